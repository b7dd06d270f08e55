package main

import (
	"context"
	"errors"
	"log/slog"
	"runtime"
	"testing"
)

func TestSearchesTakeTurns(t *testing.T) {
	t.Parallel()
	a := &app{config: defaults()}
	a.config.Data = t.TempDir()
	p, err := a.open(t.Context())
	check(t, err)
	t.Cleanup(func() { p.Close() })
	s, err := newService(&a.config, p, slog.New(slog.DiscardHandler))
	check(t, err)
	asker, err := s.asker(t.Context())
	check(t, err)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	var leaves []func()
	for len(leaves) <= runtime.NumCPU() {
		var leave func()
		if leave, err = asker.Searches(gone); err != nil {
			break
		}
		leaves = append(leaves, leave)
	}
	if n := len(leaves); n == 0 || n > max(1, runtime.NumCPU()/2) || !errors.Is(err, context.Canceled) {
		t.Fatalf("%d searches at a time, then %v", n, err)
	}
	leaves[0]()
	leave, err := asker.Searches(gone)
	check(t, err)
	leave()
}
