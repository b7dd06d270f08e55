package mcp

import "testing"

// The function sentence begins an error with a capital letter. It does not change the name of a tool or a repository at
// the beginning.
func TestSentencesKeepNames(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"there is no realm":                  "There is no realm",
		"contract_get needs domain":          "contract_get needs domain",
		"acme/blue is not in the realm beta": "acme/blue is not in the realm beta",
	} {
		if got := sentence(text); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
