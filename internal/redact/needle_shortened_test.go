package redact

import (
	"strings"
	"testing"
)

func TestBeginningsOfValuesBeforeAnEllipsis(t *testing.T) {
	t.Parallel()
	red := New(Options{Values: []string{"s3cr3t-Value/42", "s3cr3t-Other", "hunter-k3y", "eyJhbGciOi.J9xyz"}})
	for n := range 16 { // a search skips over eight bytes at a time
		for _, marked := range []string{"s3cr3t...", "s3cr3t-Va…", "s3cr3t-Value***", "hunter-…",
			"\x1b[31ms3cr3t-Va\x1b[0m...", "s3cr\x1b[1m3t-Va..."} {
			text := strings.Repeat("x", n) + " " + marked + strings.Repeat(" and what follows", 3)
			if got := red.String(text); strings.Contains(got, "3t") || strings.Contains(got, "hunter") {
				t.Errorf("%q becomes %q", text, got)
			}
		}
	}
	for text, want := range map[string]string{
		"ValueError: token is hunter...\n":              "ValueError: token is ***...\n",
		"assert 's3cr3t-Val…' == ''":                    "assert '***…' == ''",
		"assert 's3cr3t-Oth...e' == ''":                 "assert '***...e' == ''",
		"E   - \x1b[31ms3cr3t-V\x1b[0m... and 3 more":   "E   - ***... and 3 more",
		"'hunte...' is short, and s3cr3t-V.. no mark":   "'hunte...' is short, and s3cr3t-V.. no mark",
		"hunters... are no secret, nor is hunter alone": "hunters... are no secret, nor is hunter alone",
		"the key hunter**** and s3cr3t-Va***":           "the key ******* and ******",
		"'s3cr3t-Val[truncated]', hunter[...]":          "'***[truncated]', ***[...]",
		"hunter<truncated 4>, s3cr3t (truncated)":       "***<truncated 4>, s3cr3t (truncated)",
		"hunter-•••, hunter**, hunter[0], *hunters*":    "***•••, hunter**, hunter[0], *hunters*",
		"s3cr3t-Value/42... is one":                     "***... is one",
	} {
		if got := red.String(text); strings.ReplaceAll(strings.ReplaceAll(got, "\x1b[31m", ""), "\x1b[0m", "") != want {
			t.Errorf("%q becomes %q", text, got)
		}
		if got := byBytes(red, text); strings.ReplaceAll(strings.ReplaceAll(got, "\x1b[31m", ""), "\x1b[0m", "") != want {
			t.Errorf("%q, byte by byte, becomes %q", text, got)
		}
	}
}
