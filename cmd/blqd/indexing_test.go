package main

import (
	"context"
	"errors"
	"log/slog"
	"testing"

	"github.com/blq-ci/blq/store"
)

func TestDocumentsAreIndexedInTurns(t *testing.T) {
	t.Parallel()
	a := &app{config: defaults()}
	a.config.Data = t.TempDir()
	p, err := a.open(t.Context())
	check(t, err)
	t.Cleanup(func() { p.Close() })
	s, err := newService(&a.config, p, slog.New(slog.DiscardHandler))
	check(t, err)

	end, err := s.indexing(t.Context(), maxDocs)
	check(t, err)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.indexing(gone, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("two are indexed at the same time: %v", err)
	}
	end()
	end, err = s.indexing(t.Context(), 1)
	check(t, err)
	end()
	if _, err := s.indexing(t.Context(), maxDocs+1); store.CodeOf(err) != store.TooLarge || store.NextOf(err) == nil {
		t.Errorf("documents that take too much memory: %v", err)
	}
}
