package architecture_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/blq-ci/blq/facts"
	"github.com/blq-ci/blq/internal/architecture"
)

// set is a set with one file.
type set struct{ path, text string }

func (s set) Files() []facts.File {
	return []facts.File{{Path: s.path, Digest: facts.Digest([]byte(s.text)), Size: int64(len(s.text))}}
}
func (s set) Read(context.Context, facts.File) ([]byte, error) { return []byte(s.text), nil }
func (s set) Digest() string                                   { return facts.Digest([]byte(s.path + s.text)) }

// A large graph takes much memory while it is read, so it waits for the gate, like sources.
func TestLargeGraphsAreReadInTurns(t *testing.T) {
	t.Parallel()
	errClosed := errors.New("closed")
	for size, want := range map[int]error{100: nil, 1 << 20: errClosed} {
		var asked []int64
		c := architecture.New(1<<20, func(_ context.Context, text int64) (func(), error) {
			if asked = append(asked, text); len(asked) > 1 {
				return nil, errClosed
			}
			return func() {}, nil
		})
		declared := set{".beadloom/_graph/a.yml", "nodes:\n- ref_id: a\n#" + strings.Repeat("x", size)}
		_, err := c.Graph(t.Context(), "", "o/a", architecture.Facts{Declared: declared, Sources: set{"a.go", "package a\n"}})
		if !errors.Is(err, want) {
			t.Errorf("a graph of %d bytes: %v; the gate was asked for %d bytes", size, err, asked)
		}
	}
}
