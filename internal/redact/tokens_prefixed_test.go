package redact

import (
	"strings"
	"testing"
)

// A token with a known prefix is found if it has at least the min length of such tokens. A shorter text and a name
// after the prefix stay visible.
func TestTokensByTheirBeginning(t *testing.T) {
	t.Parallel()
	red := New(Options{Shapes: true})
	for _, token := range prefixedTokens {
		rest := strings.Repeat("aQ7-x_K2", 40)
		for _, size := range []int{token.min, token.min + 9} {
			text := "using " + token.prefix + rest[:size] + " now\n"
			if got := whole(red, text); got != "using *** now\n" {
				t.Errorf("%s: %q became %q", token.name, text, got)
			}
			if got := byBytes(red, text); got != "using *** now\n" {
				t.Errorf("%s: byte by byte, %q became %q", token.name, text, got)
			}
		}
		for _, rest := range []string{rest[:min(token.min-1, 14)], strings.Repeat("name_of-", 40)[:token.min]} {
			text := "using " + token.prefix + rest + " now\n"
			if got := whole(red, text); got != text {
				t.Errorf("%s: %q became %q", token.name, text, got)
			}
		}
	}
}
