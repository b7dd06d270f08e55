package architecture_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/blq-ci/blq/facts"
	"github.com/blq-ci/blq/internal/architecture"
	"github.com/blq-ci/blq/store"
)

// set is a set of facts with one file.
type set struct{ path, text string }

func (s set) Files() []facts.File {
	return []facts.File{{Path: s.path, Digest: facts.Digest([]byte(s.text)), Size: int64(len(s.text))}}
}
func (s set) Read(context.Context, facts.File) ([]byte, error) { return []byte(s.text), nil }
func (s set) Digest() string                                   { return facts.Digest([]byte(s.path + s.text)) }

// A graph that is too large is read only once. Later questions about the graph get the same error at once.
func TestRefusedGraphsAreReadOnce(t *testing.T) {
	t.Parallel()
	c := architecture.New(1<<20, nil)
	sources := set{"a.go", "package a\n"}
	declared := &many{}
	for range 3 {
		_, err := c.Graph(t.Context(), "", "o/a", architecture.Facts{Declared: declared, Sources: sources})
		if store.CodeOf(err) != store.TooLarge || store.NextOf(err) == nil {
			t.Fatalf("got %v", err)
		}
	}
	if declared.reads != 5 { // five files have more than 200,000 nodes
		t.Errorf("%d files were read", declared.reads)
	}
	other := architecture.Facts{Declared: set{"x", ""}, Sources: sources}
	if _, err := c.Graph(t.Context(), "", "o/a", other); err != nil {
		t.Error(err)
	}
}

// many is a set with many nodes in ten files. It counts how often files are read.
type many struct {
	set
	reads int
}

func (s *many) Files() []facts.File {
	list := make([]facts.File, 10)
	for i := range list {
		list[i].Path = fmt.Sprintf(".beadloom/_graph/%d.yml", i)
	}
	return list
}

func (s *many) Read(context.Context, facts.File) ([]byte, error) {
	s.reads++
	var b strings.Builder
	b.WriteString("nodes:\n")
	for i := range 45_000 {
		fmt.Fprintf(&b, "- ref_id: n%d-%d\n", s.reads, i)
	}
	return []byte(b.String()), nil
}

// A large graph takes much memory while it is read. So the cache asks the gate before it reads the graph, as it does
// before it reads sources.
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
