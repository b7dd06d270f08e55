package redact

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// each returns the bytes of a value in a format, with a text between the bytes. The verb %c writes a byte as a
// character, and other verbs write its number. A # in the format becomes the index of the byte.
func each(v, format, between string) string {
	list := make([]string, 0, len(v))
	for i := range len(v) {
		list = append(list, strings.ReplaceAll(fmt.Sprintf(strings.ReplaceAll(format, "#", "%[2]d"), v[i], i),
			"%!(EXTRA int="+fmt.Sprint(i)+")", ""))
	}
	return strings.Join(list, between)
}

// writtenForms returns texts that write a value one character at a time. The texts are the keys of the map. Each
// element is the part of its text that writes the first two characters.
func writtenForms(v string) map[string]string {
	return map[string]string{
		each(v, "chr(%d)", "+"):                         each(v[:2], "chr(%d)", "+"),
		each(v, "Chr(%d)", " & "):                       each(v[:2], "Chr(%d)", " & "),
		each(v, "CHR(%d)", "||"):                        each(v[:2], "CHR(%d)", "||"),
		each(v, "char(0x%x)", ","):                      each(v[:2], "char(0x%x)", ","),
		each(v, "ChrW(&H%X)", " & "):                    each(v[:2], "ChrW(&H%X)", " & "),
		each(v, "(char)%d", " + "):                      each(v[:2], "(char)%d", " + "),
		each(v, "[char]%d", "+"):                        each(v[:2], "[char]%d", "+"),
		each(v, "%xh", " "):                             each(v[:2], "%xh", " "),
		each(v, "0%XH", ", "):                           each(v[:2], "0%XH", ", "),
		each(v, "%du8", ", "):                           each(v[:2], "%du8", ", "),
		"[" + each(v, "%d_u8", ", ") + "]":              each(v[:2], "%d_u8", ", "),
		each(v, "<b>%c</b>", ""):                        each(v[:2], "<b>%c</b>", ""),
		each(v, `<span class="k">%c</span>`, ""):        each(v[:2], `<span class="k">%c</span>`, ""),
		each(v, "  <td>%c</td>", "\n"):                  each(v[:2], "<td>%c</td>", "\n  "),
		each(v, "2026-01-02T03:04:05Z %d", "\n"):        each(v[:2], "2026-01-02T03:04:05Z %d", "\n"),
		each(v, "2026-01-02T03:04:05Z %c", "\n"):        each(v[:2], "2026-01-02T03:04:05Z %c", "\n"),
		each(v, "web-1  | %d", "\n"):                    each(v[:2], "web-1  | %d", "\n"),
		each(v, "[info] %d,", "\r\n"):                   each(v[:2], "[info] %d,", "\r\n"),
		each(v, "U+%04X", " "):                          each(v[:2], "U+%04X", " "),
		each(v, "%07b", " "):                            each(v[:2], "%07b", " "),
		each(v, "%b", " "):                              each(v[:2], "%b", " "),
		each(v, "%%u%04x", ""):                          each(v[:2], "%%u%04x", ""),
		"[0] = 109\n[1] = " + each(v, "%d", "\n[2] = "): each(v[:2], "%d", "\n[2] = "),
		each(v, "%c", "|"):                              each(v[:2], "%c", "|"),
		each(v, "%c", "_"):                              each(v[:2], "%c", "_"),
		each(v, "%c", `\`):                              each(v[:2], "%c", `\`),
		each(v, "%c", "\u00a0"):                         each(v[:2], "%c", "\u00a0"),
	}
}

// A value that is written one character at a time is found, however the output is cut.
func TestWrittenCharacters(t *testing.T) {
	t.Parallel()
	const v = "m8GAF0wAwaIINYNv"
	red := New(Options{Values: []string{v}, Shapes: true})
	for form, part := range writtenForms(v) {
		text := "12:30:59 begin 17 of 20\n" + form + "\n12:31:00 end, 0 errors\n"
		got := whole(red, text)
		if strings.Contains(got, part) || !strings.Contains(got, Mask) ||
			!strings.HasPrefix(got, "12:30:59 begin 17 of 20\n") || !strings.HasSuffix(got, "end, 0 errors\n") ||
			strings.Count(got, "\n") != strings.Count(text, "\n") {
			t.Errorf("%q became %q", text, got)
		}
		if lines := inLines(red, text); lines != got {
			t.Errorf("line by line, %q became %q, want %q", text, lines, got)
		}
		for at := range len(text) {
			var out strings.Builder
			st := red.Stream(func(text []byte) { out.Write(text) })
			_, _ = st.Write([]byte(text[:at]))
			_, _ = st.Write([]byte(text[at:]))
			if st.Close(); strings.Contains(out.String(), part) || !strings.Contains(out.String(), Mask) {
				t.Errorf("cut at %d, %q became %q", at, text, out.String())
				break
			}
		}
		if plain := whole(New(Options{Shapes: true}), text); plain != text {
			t.Errorf("without a value, %q became %q", text, plain)
		}
	}
}

// Dumps are found after log prefixes.
func TestDumpsBehindMargins(t *testing.T) {
	t.Parallel()
	const v = "s3cr3t-Value/42"
	red := New(Options{Values: []string{v}, Shapes: true})
	for command, text := range dumps(t) {
		if !slices.ContainsFunc([]string{"xxd", "od -c", "hexdump -C"},
			func(tool string) bool { return strings.HasPrefix(command, tool) }) {
			continue
		}
		for _, margin := range []string{"2026-01-02T03:04:05.678Z ", "web-1  | ", "> "} {
			var out strings.Builder
			for line := range strings.Lines(text) {
				out.WriteString(margin + line)
			}
			got := whole(red, out.String())
			if part := dumpedPart(strings.ReplaceAll(got, margin, ""), "Value"); part != "" || strings.Contains(got, "Value") {
				t.Errorf("%s behind %q shows %s:\n%s", command, margin, part, got)
			}
		}
	}
}
