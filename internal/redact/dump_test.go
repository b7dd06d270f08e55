package redact

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// dumps returns the texts of testdata/dumps.txt by the commands that printed them.
func dumps(t *testing.T) map[string]string {
	data, err := os.ReadFile("testdata/dumps.txt")
	if err != nil {
		t.Fatal(err)
	}
	list := map[string]string{}
	for _, part := range strings.Split("\n"+string(data), "\n-- ")[1:] {
		command, text, _ := strings.Cut(part, " --\n")
		list[command] = text + "\n"
	}
	return list
}

// dumpedPart searches the text for dumps of three adjacent bytes of part. It returns the first dump that it finds, or
// "" for none. It compares only digits and letters.
func dumpedPart(text string, part string) string {
	text = strings.ToLower(text)
	for _, prefix := range []string{"0x", "0o", "0b", `\x`} {
		text = strings.ReplaceAll(text, prefix, " ")
	}
	plain := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, text)
	for i := range len(part) - 2 {
		p := part[i : i+3]
		for _, format := range []string{"%02x", "%d", "%03o", "%08b", "%b", "%02x00", "%d0", "%c"} {
			if dumped := strings.ToLower(everyByte(p, format)); strings.Contains(plain, dumped) {
				return dumped
			}
		}
	}
	return ""
}

// A redacted dump shows at most two adjacent bytes of a secret. The result is the same if the dump is written line by
// line.
func TestDumpsHoldNoSecrets(t *testing.T) {
	t.Parallel()
	const v = "s3cr3t-Value/42"
	red := New(Options{Values: []string{v}, Shapes: true})
	for command, text := range dumps(t) {
		before, behind := "12:30:59 begin 17 of 20\n", "12:31:00 end, 0 errors\n"
		got := whole(red, before+text+behind)
		if !strings.HasPrefix(got, before) || !strings.HasSuffix(got, behind) ||
			strings.Count(got, "\n") != strings.Count(before+text+behind, "\n") {
			t.Errorf("%s: ends differ: %q", command, got)
		}
		if part := dumpedPart(got, "Value"); part != "" || !strings.Contains(got, Mask) {
			t.Errorf("%s shows %s:\n%s", command, part, got)
		}
		for _, c := range []string{"cr3t-V", "3cr", "lue/4", "Value"} {
			if strings.Contains(got, c) {
				t.Errorf("%s shows %s:\n%s", command, c, got)
			}
		}
		if lines := inLines(red, before+text+behind); lines != got {
			t.Errorf("%s: line by line\n%s, want\n%s", command, lines, got)
		}
	}
}

// inLines writes s to a stream line by line, and returns the output.
func inLines(red *Redactor, s string) string {
	var out strings.Builder
	st := red.Stream(func(text []byte) { out.Write(text) })
	for line := range strings.Lines(s) {
		_, _ = st.Write([]byte(line))
	}
	st.Close()
	return out.String()
}

// A dump that contains none of the secrets stays unchanged.
func TestDumpsWithoutSecretsStay(t *testing.T) {
	t.Parallel()
	red := New(Options{Values: []string{"s3cr3t-Value/43", "other-Secret"}})
	for command, text := range dumps(t) {
		if got := whole(red, text); got != text {
			t.Errorf("%s became\n%s", command, got)
		}
	}
}

// A dump is found wherever the text is split.
func TestDumpsInTwoPieces(t *testing.T) {
	t.Parallel()
	const v = "s3cr3t-Value/42"
	red := New(Options{Values: []string{v}})
	for _, text := range []string{
		everyByte(v, "%02x "), everyByte(v, "%d, "), everyByte(v, "%d\n"), everyByte(v, "0x%02X,"),
		everyByte(v, "%c "), everyByte(v, "%c\n"), everyByte(v, `"%c",`), everyByte(v, "%c, "),
		everyByte(v, "%03o "), everyByte(v, "%02x-"), everyByte(v, "%d;"), everyByte(v, "%d\t"),
		everyByte(v, "'%d' "), everyByte(v, "0o%o "), everyByte(v, `\x%02x `), everyByte(v, "%d|"),
		everyByte(v, "%02x_"), everyByte(v, "%d/"), everyByte(v, "+%d,"), everyByte(v, "$%02X,"), everyByte(v, "%-4d|"),
	} {
		text = "the bytes are\n" + text + "here\n"
		want := whole(red, text)
		if dumpedPart(want, "Value") != "" || !strings.HasPrefix(want, "the bytes are\n") ||
			!strings.HasSuffix(want, "here\n") {
			t.Errorf("%q became %q", text, want)
		}
		for cut := range text {
			var got strings.Builder
			s := red.Stream(func(text []byte) { got.Write(text) })
			_, _ = s.Write([]byte(text[:cut]))
			_, _ = s.Write([]byte(text[cut:]))
			if s.Close(); got.String() != want {
				t.Errorf("%q cut at %d became %q, want %q", text, cut, got.String(), want)
				break
			}
		}
	}
}

// Complete lines that look like dumps are not held back, except for a line of one character.
func TestLinesAreNotHeldAsDumps(t *testing.T) {
	t.Parallel()
	var values []string
	for c := 'a'; c <= 'z'; c++ {
		values = append(values, string(c)+"-secret-Value")
	}
	red := New(Options{Values: values})
	for _, line := range []string{
		"2026-01-02 03:04:05,678 INFO 104 117 110", "exit code 104", "coverage: 85 | 97 | 104 |", "took 97 ms: a b c",
		"usage: x [-a]", "12 passed, 104 failed", "a", "ok 1 - a",
	} {
		s := red.Stream(func([]byte) {})
		_, _ = fmt.Fprintln(s, line)
		if len(s.text) > 0 && line != "a" {
			t.Errorf("%q: %q is held", line, s.text)
		}
	}
}
