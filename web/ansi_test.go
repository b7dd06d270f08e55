package web_test

import (
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/blq-ci/blq/query/querytest"
	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/web"
)

func events(message string) []store.Event {
	return []store.Event{querytest.Event("error", `a"><script>.c`, 1, 1, message, 1, 1)}
}

func TestSpans(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"plain":                                     "plain",
		"\x1b[1;31merror:\x1b[0m no":                "[b c1]error:[] no",
		"\x1b[38;5;196mx\x1b[39my":                  "[c9]x[]y",
		"\x1b[38;2;10;200;30mx":                     "[c10]x",
		"\x1b[31mx\x1b[39m\x1b[31my\x1b[0m":         "[c1]xy",
		"\x1b[48;5;1mx":                             "x",
		"a\tb\x07":                                  "a\tb·",
		"\x1b]0;title\x07shown":                     "shown",
		"\x1b]8;;https://e.example\x1b\\t":          "t",
		"\x1b[":                                     "",
		"old\rnew\r\n":                              "new",
		"\x1b[4;3mx\x1b[24;23my":                    "[i u]x[]y",
		"2026-01-31T12:00:00.1234567Z make":         "[t]2026-01-31T12:00:00.1234567Z []make",
		"2026-01-31 12:00:00,123 INFO  up":          "[t]2026-01-31 12:00:00,123 []INFO  up",
		"[2026-01-31T12:00:00+01:00] up":            "[t][2026-01-31T12:00:00+01:00] []up",
		"\x1b[2m2026-01-31T12:00:00Z\x1b[0m up":     "[t d]2026-01-31T12:00:00Z[] up",
		"2026-01-31T12:00:00Zebra":                  "2026-01-31T12:00:00Zebra",
		"[2026-01-31T12:00:00 up":                   "[2026-01-31T12:00:00 up",
		"2026-01-31T12:00":                          "2026-01-31T12:00",
		"2026-01-31 is a day, and 12:00:00 no line": "2026-01-31 is a day, and 12:00:00 no line",
	} {
		var got strings.Builder
		for i, s := range web.Spans(line) {
			if s.Class != "" || i > 0 {
				got.WriteString("[" + s.Class + "]")
			}
			got.WriteString(s.Text)
		}
		if got.String() != want {
			t.Errorf("%q is shown as %q, want %q", line, got.String(), want)
		}
	}
}

// class matches the allowed classes.
var class = regexp.MustCompile(`^(b|d|i|u|c[0-9]|c1[0-5])$`)

func FuzzSpans(f *testing.F) {
	f.Add(hostile)
	f.Add("\x1b[38;5;\x1b[38;2;1m\x1b[;;;m\x1b]8;;x")
	f.Fuzz(func(t *testing.T, line string) {
		size := 0
		for _, s := range web.Spans(line) {
			size += len(s.Text)
			if i := strings.IndexFunc(s.Text, func(r rune) bool {
				return r != '\t' && unicode.IsControl(r) || r >= 0x202a && r <= 0x202e
			}); i >= 0 {
				t.Fatalf("%q shows %q", line, s.Text)
			}
			for _, name := range strings.Fields(s.Class) {
				if !class.MatchString(name) {
					t.Fatalf("%q has class %q", line, s.Class)
				}
			}
		}
		if size > 8*len(line)+100 {
			t.Fatalf("%d bytes are shown as %d", len(line), size)
		}
	})
}
