package redact

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// neighbours are texts that may stand before and after a secret.
var neighbours = []struct{ name, before, behind string }{
	{"lines", "first line\n", "\nlast line\n"},
	{"lines of Windows", "first line\r\n", "\r\nlast line\r\n"},
	{"colours", "\x1b[1;32mok\x1b[0m first line\n", "\n\x1b[31mlast line\x1b[0m\n"},
	{"progress", "Receiving 41%\rReceiving 100%\n", "\nResolving 7%\rResolving 100%\n"},
	{"escapes", "http://a.example/x%20y%2fz\n", "\nat C:\\u0041\\x&amp;y\n"},
	{"numbers", "00 01 02 03 41 42 43 44\n", "\nwaiting 10 9 8 7 6 5 4 3 2 1\n"},
	{"characters beyond ASCII", "→ “first” line\n", "\n✔ last line …\n"},
}

// dull returns text without secrets.
func dull(size int) string {
	const line = "go build -trimpath ./cmd/tool: compiled 17 packages from /home/ci/src/tool in 3.42s\n"
	return strings.Repeat(line, size/len(line)+1)[:size]
}

// Redaction skips text that cannot be part of a secret. Each form of a secret is found between such texts, at each
// position of the eight bytes that are examined together. Each form is also found at the edges of writes, and next to
// each text in neighbours.
func TestFormsAreFoundInDullText(t *testing.T) {
	t.Parallel()
	const secret = "hunter2x"
	red := New(Options{Shapes: true})
	lines := strings.Split(strings.TrimSpace(foundForms), "\n")[1:]
	for _, n := range neighbours {
		for shift := range 8 {
			var text, out strings.Builder
			s := red.Stream(func(text []byte) { out.Write(text) })
			write := func() {
				_, _ = s.Write([]byte(text.String()))
				text.Reset()
			}
			for i, line := range lines {
				form := n.before + strings.NewReplacer("{S}", secret, `\n`, "\n").Replace(line) + n.behind
				text.WriteString(dull(4<<10+shift) + "\n")
				if edge := len(form) * shift / 8; i%16 == shift { // the edge of a write
					text.WriteString(form[:edge])
					write()
					form = form[edge:]
				}
				text.WriteString(form)
			}
			write()
			s.Close()
			if got := out.String(); strings.Contains(got, secret) {
				at := strings.Index(got, secret)
				t.Errorf("%s, shifted by %d: %q stays", n.name, shift, got[max(0, at-100):at+len(secret)])
			}
		}
	}
}

// The search in a view reuses the results of the search in the raw text. It must find the same secrets as a search of
// all bytes of the view.
func TestViewsAreSearchedAsRawText(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 8))
	values := []string{"s3cr3t-Value/42", "xK9v", "Zq8vT3xKZq8vT3xKZq8v"}
	lines := strings.SplitAfter(strings.NewReplacer("{S}", "hunter2x", `\n`, "\n").Replace(foundForms), "\n")
	marks := append([]string{"\x1b[0m", "\x1b[1;31m", "\r", "%41", "&quot;", `\"`, "\u200b", "\b", "\x1b[K\n",
		"s3cr3t-\n"}, values...)
	for _, red := range []*Redactor{New(Options{Shapes: true}), New(Options{Values: values, Shapes: true})} {
		for range 4000 {
			raw := []byte(lines[r.IntN(len(lines))] + values[r.IntN(len(values))] + lines[r.IntN(len(lines))])
			for range 1 + r.IntN(6) {
				raw = slices.Insert(raw, r.IntN(len(raw)), []byte(marks[r.IntN(len(marks))])...)
			}
			s := scan{set: red.set.Load(), text: raw, final: true, deaf: true}
			s.words()
			var stripped, decoded, screen view
			stripped.strip(raw, false, true)
			decoded.decode(&stripped, true)
			screen.screen(raw, true, &screenLine{})
			for _, v := range []*view{&stripped, &decoded, &screen} {
				all := scan{set: s.set, text: v.text, final: true, deaf: true, viewed: true}
				known := all
				known.source = source{v, 0, s.room().positions}
				if known.run(); len(v.pieces) > 0 && (all.run() != len(v.text) || !slices.Equal(known.spans, all.spans)) {
					t.Fatalf("%q: in the view %q, %v are secret, want %v", raw, v.text, known.spans, all.spans)
				}
			}
		}
	}
}

// A character is invisible if it is in unseenTables, or if it is one of four Hangul fillers. The shortcuts in
// the function unseen must give the same result.
func TestUnseenCharacters(t *testing.T) {
	t.Parallel()
	for r := rune(0x300); r <= unicode.MaxRune; r++ {
		want := unicode.In(r, unseenTables...) || strings.ContainsRune("\u115f\u1160\u3164\uffa0", r)
		if got := unseen(r); got != want {
			t.Errorf("unseen(%U) = %v", r, got)
		}
	}
}
