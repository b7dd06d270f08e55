package redact

import (
	"strings"
	"testing"
)

func TestBeginningsOfValuesBeforeAnEllipsis(t *testing.T) {
	t.Parallel()
	red := New(Options{Values: []string{"s3cr3t-Value/42", "s3cr3t-Other", "hunter-k3y", "eyJhbGciOi.J9xyz"}})
	for text, want := range map[string]string{
		"ValueError: token is hunter...\n":              "ValueError: token is ***...\n",
		"assert 's3cr3t-Val…' == ''":                    "assert '***…' == ''",
		"assert 's3cr3t-Oth...e' == ''":                 "assert '***...e' == ''",
		"E   - \x1b[31ms3cr3t-V\x1b[0m... and 3 more":   "E   - ***... and 3 more",
		"'hunte...' is short, and s3cr3t-V.. no mark":   "'hunte...' is short, and s3cr3t-V.. no mark",
		"hunters... are no secret, nor is hunter alone": "hunters... are no secret, nor is hunter alone",
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
