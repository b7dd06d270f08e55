package redact

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf16"
)

// splitters returns texts that programs print inside of a secret, such as control characters and line breaks.
func splitters() []string {
	list := []string{
		"\x1b[0m", "\x1b[1;31m", "\x1b[K", "\x1b[38;5;196m", "\x1b[38;2;255;0;0m", "\x1b[?25l", "\x1b[m", "\x1b[2J",
		"\x1b[0K", "\x1b[1m\x1b[32m", "\x1b[0;1;4m", "\x1b[?2004h",
		"\x1b(B", "\x1b)0", "\x1b=", "\x1b>", "\x1b7", "\x1b8", "\x1bM", "\x1bc", "\x1b#8", "\x1b%G",
		"\x1b]0;title\a", "\x1b]0;title\x1b\\", "\x1b]8;;https://example.com\a", "\x1b]8;;\x1b\\",
		"\x1b]8;id=1;file:///x\x1b\\", "\x1b]133;A\a", "\x1b]1337;x=y\a", "\x1bP1$r0m\x1b\\", "\x1b_x\x1b\\", "\x1b^x\x1b\\",
		"\x1bXx\x1b\\",
		"\x1b", "\x00", "\x01", "\x02", "\x03", "\x05", "\x06", "\a", "\b", "\v", "\f", "\x0e", "\x0f",
		"\x11", "\x13", "\x1a",
		"\x1c", "\x1f", "\x7f", "\r", "\x00\x00", "\r\r",
		"x\b", "\b\x1b[0m", "ab\b\b", "\x1b[1C\x1b[1D", "x\x1b[D", " \b",
		"\u0080", "\u0085", "\u009b31m", "\u00ad", "\u061c", "\u180e", "\u200b", "\u200c", "\u200d", "\u200e", "\u200f",
		"\u202a", "\u202b", "\u202c", "\u202d", "\u202e", "\u2060", "\u2061", "\u2064",
		"\u2066", "\u2067", "\u2068", "\u2069", "\u206f", "\ufeff", "\ufff9", "\ufffb", "\U000e0041", "\U000e007f",
		"\U000e0100", "\ufe0f", "\u0301", "\u0308", "\u20dd", "\u3164", "\u034f", "\u17b4", "\u2028", "\u2029",
		"\xff", "\xfe\xff", "\x80", "\xc3", "\xf0\x9f", "\xed\xa0\x80",
		" \n", "    \r\n", " \x1b[K\n", "\x1b[K\n", "\x1b[0m\n\x1b[31m", // a terminal's line, filled with blanks
		"\n", "\r\n", "\\\n", "=\n", "=\r\n", "\n  ", "\n\t", " \\\n  ", "\n> ", "\n| ", "\n+ ",
		"\n2026-01-02T03:04:05.6789012Z ", "\n#12 3.456 ", "\n#7 0.1 ", "\nweb-1  | ", "\nnodejs| ", "\n[worker] ",
		"\n03:04:05 ",
	}
	return list
}

// A secret is removed even if it is split by one of the splitters, at any position.
func TestSplitSecretsAreFound(t *testing.T) {
	t.Parallel()
	const v = "s3cr3t-Value/42"
	red := New(Options{Values: []string{v}})
	for _, splitter := range splitters() {
		for at := 1; at < len(v); at++ {
			text := "begin " + v[:at] + splitter + v[at:] + " end\n"
			for _, got := range []string{whole(red, text), red.String(text)} {
				if leak := leaked([]byte(got), v); leak != "" || !strings.HasPrefix(got, "begin ") ||
					!strings.HasSuffix(got, " end\n") {
					t.Errorf("split by %q at %d: %q shows %q", splitter, at, got, leak)
				}
			}
		}
	}
}

// An encoded secret that is split is removed, too.
func TestSplitEncodedSecretsAreFound(t *testing.T) {
	t.Parallel()
	const v = "s3cr3t-Value/42"
	red := New(Options{Values: []string{v}})
	for _, text := range []string{base64.StdEncoding.EncodeToString([]byte(v)), hex.EncodeToString([]byte(v))} {
		for _, end := range []string{"\n", "\r\n", " \n", " \x1b[K\r\n", " │\n│ "} {
			for at := 1; at < len(text); at++ {
				got := red.String("begin " + text[:at] + end + text[at:] + " end\n")
				if strings.Contains(got, text[at:]) || at >= gramSize && strings.Contains(got, text[:at]) {
					t.Errorf("%s split by %q at %d: %q", text, end, at, got)
				}
			}
		}
	}
}

func TestSplitSecretsAreFoundInPieces(t *testing.T) {
	t.Parallel()
	const v = "s3cr3t-Value/42"
	red := New(Options{Values: []string{v}})
	r := rand.New(rand.NewPCG(3, 9))
	for _, splitter := range splitters() {
		text := "begin " + v[:5] + splitter + v[5:] + " end\n"
		want := whole(red, text)
		for range 10 {
			if got := inPieces(red, text, r); got != want {
				t.Fatalf("split by %q: %q in pieces, want %q", splitter, got, want)
			}
		}
	}
}

func TestSecretsSplitAtEachByteAreFound(t *testing.T) {
	t.Parallel()
	const v = "s3cr3t-Value/42"
	for _, splitter := range splitters() {
		if strings.Contains(splitter, "\n") {
			continue // nobody wraps a line after one byte
		}
		got := whole(New(Options{Values: []string{v}}), "begin "+strings.Join(strings.Split(v, ""), splitter)+" end\n")
		if got = strings.NewReplacer(splitter, "").Replace(got); strings.Contains(got, v[:6]) ||
			strings.Contains(got, v[8:]) {
			t.Errorf("split by %q: %q", splitter, got)
		}
	}
}

// everyByte returns each byte of v in a format.
func everyByte(v, format string) string {
	var b strings.Builder
	for i := range len(v) {
		fmt.Fprintf(&b, format, v[i])
	}
	return b.String()
}

func TestEncodedBytesAreFound(t *testing.T) {
	t.Parallel()
	const v = "s3cr3t-Value/42"
	for _, text := range []string{
		everyByte(v, "%%%02x"), everyByte(v, "%%%02X"), everyByte(v, `\x%02x`), everyByte(v, `\x%02X`), everyByte(
			v, `\u%04x`), everyByte(v, `\U%08x`), everyByte(v, `\u{%x}`), everyByte(v, `\x{%x}`), everyByte(v, `\%03o`),
		everyByte(v, "&#%d;"), everyByte(v, "&#x%x;"), everyByte(v, "&#%04d;"), everyByte(v, "=%02X"), everyByte(v, "%02x "),
		everyByte(v, "%02x:"), everyByte(v, "%02X-"), everyByte(v, "0x%02x, "), everyByte(v, "%d, "),
		"[" + everyByte(v, "%d ") + "]", everyByte(v, "%08b "),
		everyByte(v, "%%25%02x"), everyByte(v, `\\u%04x`), everyByte(v, "&amp;#%d;"), everyByte(v, "\\u%04x\x1b[0m"),
		everyByte(v, "\x1b[1m%%%02x"),
		"s%33cr3t-Value/42", `s3cr3t\u002dValue/42`, "s3cr3t&#45;Value/42", "s3cr3t-Value&sol;42", `s\63cr3t-Value/42`,
		"s3cr3t-Val\\\nue/42",
		"\xff\xfe" + utf16le(v), swapped(utf16le(v)), "\xfe\xff" + swapped(utf16le("x "+v+" y")),
		"s3c\xc1\xb23t-Value/42",
	} {
		got := whole(New(Options{Values: []string{v}}), "begin "+text+" end\n")
		if !strings.Contains(got, Mask) || strings.Contains(got, "Value") || strings.Count(got, "3") > 1 &&
			strings.Contains(got, "7") {
			t.Errorf("%q became %q", text, got)
		}
		r := rand.New(rand.NewPCG(1, 9))
		for range 5 {
			if again := inPieces(New(Options{Values: []string{v}}), "begin "+text+" end\n", r); again != got {
				t.Fatalf("%q became %q, in pieces %q", text, got, again)
			}
		}
	}
}

func TestSecretsBeyondASCIIAreFound(t *testing.T) {
	t.Parallel()
	const v = "pässwörd-€-日本"
	units := utf16.Encode([]rune(v))
	var be strings.Builder
	for _, u := range units {
		be.WriteByte(byte(u >> 8))
		be.WriteByte(byte(u))
	}
	for _, text := range []string{v, utf16le(v), be.String(), "p\x1b[1mässw\u200börd-€-日\x1b[0m本"} {
		if got := whole(New(Options{Values: []string{v}}), "begin "+text+" end\n"); got != "begin *** end\n" {
			t.Errorf("%q became %q", text, got)
		}
	}
}

// Text that only looks like a split secret stays unchanged.
func TestWhatIsNoSplitStays(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"s3cr3t-Val\n\nue/42\n", "s3cr3t-Val more\nue/42\n", "\x1b[31ms3cr3t\x1b[0m-Other\n",
		"100% of %41 &amp; \\x41 \\u0041 C:\\users\\x\r\n", "50%|=====>   |\r60%|======>  |\r\n", "s3cr3t-Va",
	} {
		if got := whole(New(Options{Values: []string{"s3cr3t-Value/42"}, Shapes: true}), text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}

// A text with many escapes comes out completely. The stream never holds back more than 100 bytes of it.
func TestNothingIsLostBehindEscapes(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&b, "line %d \x1b[1mof the log\x1b[0m\r\nplain line %d\nplain line\n100%%41 &amp;\n", i, i)
	}
	b.WriteString("no end of line")
	red := New(Options{Values: []string{"s3cr3t-Value/42"}, Shapes: true})
	n := 0
	s := red.Stream(func(text []byte) { n += len(text) })
	for rest := b.String(); len(rest) > 0; rest = rest[min(len(rest), 10_000):] {
		_, _ = s.Write([]byte(rest[:min(len(rest), 10_000)]))
		if len(s.text) > 100 {
			t.Fatalf("%d bytes are held", len(s.text))
		}
	}
	s.Close()
	if n != b.Len() {
		t.Errorf("%d bytes came out of %d", n, b.Len())
	}
}

func TestShortMasks(t *testing.T) {
	t.Parallel()
	red := New(Options{Shapes: true})
	if got := whole(red, "::add-mask::ab\nxaby a b\n::add-mask::Q\nQuick ab\n::add-mask:: \na b\n"); got != "::add-mask::***\nx***y a b\n::add-mask::***\n***uick ***\n::add-mask::***\na b\n" {
		t.Errorf("it became %q", got)
	}
	if got := whole(
		New(Options{}), "::add-mask::{%0Along-line%0A}\n{ long-line }\n"); got != "::add-mask::***\n*** *** ***\n" {
		t.Errorf("lines of a mask became %q", got)
	}
}

// A long spelled text is searched in parts. Each search covers at least maxCells/2 bytes of the text.
func TestLongSpelledTextsAreLookedAtInParts(t *testing.T) {
	t.Parallel()
	s := scan{text: []byte(strings.Repeat("y\n", 5*maxCells))}
	for at := 4 * maxCells; at < 8*maxCells; {
		v := s.spelledAt(at, minDump)
		if v.behind() < at+maxCells/2 {
			t.Fatalf("at %d it ends at %d", at, v.behind())
		}
		at = v.behind() - v.behind()%2
	}
}

// A secret is found if a program breaks it into lines that begin with the same text, or that all have the same colour.
func TestSecretsInLinesWithTheSameBeginning(t *testing.T) {
	t.Parallel()
	const v = "Zq8vT3xKm1N0pQrSaB4cD6eF8gH0iJ2kLw5yU7zXn9M2oPtRbC1dE3fG5hI7jK9lMv4wQ6sYp8N0qRuTcD2eF4gH6iJ8kL0mNx"
	red := New(Options{Values: []string{v, "p@ss w0rd/+=&%9"}})
	for _, begin := range []string{"Jan 02 03:04:05 host app[12]: ", "2026-01-01 00:00:00,123 INFO ", "E   ", "\x1b[32m"} {
		end := ""
		if strings.HasPrefix(begin, "\x1b") {
			end = "\x1b[0m"
		}
		for _, parts := range [][]string{{"x" + v[:16], v[16:80], v[80:] + "x"}, {"x p@ss", " w0rd/+=&%9 x"}} {
			text := "first line\n"
			for _, part := range parts {
				text += begin + part + end + "\n"
			}
			text += "last line\n"
			for _, got := range []string{whole(red, text), byBytes(red, text)} {
				if strings.Contains(got, parts[0]) || strings.Contains(got, parts[1]) || !strings.HasSuffix(got, "\nlast line\n") {
					t.Errorf("%q became %q", text, got)
				}
			}
		}
	}
}

// A secret in a hexadecimal dump of many lines is removed, even if the text comes byte by byte.
func TestLongDumpsInBytes(t *testing.T) {
	t.Parallel()
	v := strings.Repeat("Zq8vT3xKm1N0pQrSaB4cD6eF8gH0iJ2k", 4)
	red := New(Options{Values: []string{v}})
	var text strings.Builder
	for i := 0; i < len(v); i += 16 {
		fmt.Fprintf(&text, "%08x: ", i)
		for k := i; k < i+16; k += 2 {
			fmt.Fprintf(&text, "%x ", v[k:k+2])
		}
		fmt.Fprintf(&text, " %s\n", v[i:i+16])
	}
	if got := byBytes(red, "first line\n"+text.String()+"last line\n"); strings.Contains(got, "5a71") ||
		strings.Contains(got, "pQrS") || !strings.HasSuffix(got, "\nlast line\n") {
		t.Errorf("the dump became %q", got)
	}
}
