package backend

import (
	"testing"

	"github.com/blq-ci/blq/internal/project"
	"github.com/blq-ci/blq/store"
)

func TestNoCommandIsRefused(t *testing.T) {
	t.Parallel()
	for _, words := range [][]string{nil, {""}, {" "}} {
		if _, err := Words(nil, words, "/"); store.CodeOf(err) != store.Invalid {
			t.Errorf("Words of %q: %v", words, err)
		}
		if _, err := Plain(&project.Config{}, words, "/", "/"); store.CodeOf(err) != store.Invalid {
			t.Errorf("Plain of %q: %v", words, err)
		}
	}
}
