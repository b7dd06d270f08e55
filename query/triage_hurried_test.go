package query

import (
	"strings"
	"testing"

	"github.com/blq-ci/blq/store"
)

// A triage that did not find all suspects does not say that there are none.
func TestATriageSaysThatSuspectsAreMissing(t *testing.T) {
	t.Parallel()
	for _, hurried := range []bool{true, false} {
		answer := Triage{hurried: hurried}
		answer.fit(store.Run{Source: "build", Serial: 5}, 0)
		said := answer.Truncated
		missing := len(said) == 1 && strings.HasPrefix(said[0].String(), "suspects, because")
		if missing != hurried || !hurried && len(said) > 0 {
			t.Errorf("%v: %v", hurried, said)
		}
	}
}
