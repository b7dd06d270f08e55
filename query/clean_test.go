package query_test

import (
	"strings"
	"testing"

	"github.com/blq-ci/blq/query"
)

func TestCleanRemovesWhatTerminalsAndReadersObey(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"":                       "",
		"plain, ünïcode 日本 👩🏽 ✓": "plain, ünïcode 日本 👩🏽 ✓",
		"tab\tand\nline":         "tab\tand\nline",
		"\x1b[31;1mred\x1b[0m":   "red",
		"\x1b]0;title\x07after":  "after",
		"\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\": "link",
		"a\x00b\x07c\x7fd\re":                      "abcde",
		"c1 \u009b31m \u0085":                      "c1 31m ",
		"zero\u200bwidth\u200d\ufeff\u2060":        "zerowidth",
		"bidi \u202eevil\u202c \u2066x\u2069":      "bidi evil x",
		"marks \u200e\u200f\u061c":                 "marks ",
		"soft\u00adhyphen \u180e":                  "softhyphen ",
		"lines \u2028\u2029":                       "lines ",
		"tags \U000e0041\U000e007f\U000e0100":      "tags ",
		"notes \ufff9\ufffa\ufffb":                 "notes ",
		"invalid \x9b31m \xff":                     "invalid \ufffd31m \ufffd",
		"both \xff\x1b[1m":                         "both \ufffd",
	} {
		if got := query.Clean(in); got != want {
			t.Errorf("Clean(%q) = %q, want %q", in, got, want)
		}
	}
}

func FuzzCleanIsDoneAtOnce(f *testing.F) {
	f.Add("\x1b\u200b[31m\x1b]0;")
	f.Fuzz(func(t *testing.T, s string) {
		got := query.Clean(s)
		if again := query.Clean(got); again != got {
			t.Errorf("Clean(%q) = %q, and again %q", s, got, again)
		}
		if strings.ContainsAny(got, "\x1b\x00\u202e\u200b") {
			t.Errorf("Clean(%q) = %q", s, got)
		}
	})
}
