package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/blq-ci/blq/facts/graph"
	"github.com/blq-ci/blq/store"
)

// checkTime is the max time of the checks after a command.
const checkTime = 20 * time.Second

// checkAfter checks rules and documents after a command, and records the findings. It does nothing if the configuration
// disables the checks, if the store is read-only, if there is no graph, or if nothing has changed since the last check.
// The checks never change the exit code.
func (a *app) checkAfter(ctx context.Context) {
	w := a.opened
	if w == nil || w.ReadOnly() || w.Config.Checks.Off {
		return
	}
	if info, err := os.Stat(filepath.Join(w.Root(), filepath.FromSlash(graph.Folder))); err != nil || !info.IsDir() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, checkTime)
	defer cancel()
	if err := a.checkChanged(ctx); err != nil && store.CodeOf(err) != store.NotFound {
		fmt.Fprintf(a.stderr, "blq: rules and documents are not checked: %v\n", err)
	}
}

// checkChanged checks rules and documents. It does nothing if nothing has changed since the last check.
func (a *app) checkChanged(ctx context.Context) error {
	g, err := a.graph(ctx, factsFlags{})
	if err != nil {
		return err
	}
	said, err := a.opened.Store.Attestations(ctx, store.Everything(), "")
	if err != nil {
		return err
	}
	state := g.state
	if n := len(said); n > 0 {
		state += " " + said[n-1].At.UTC().Format(time.RFC3339Nano)
	}
	note := filepath.Join(filepath.Dir(a.opened.FactsCache()), "checked")
	if last, err := os.ReadFile(note); err == nil && string(last) == state {
		return nil
	}
	if _, err := a.recordFindings(ctx, g.from, g.index, true); err != nil && store.CodeOf(err) != store.NotFound {
		return err
	}
	_ = os.WriteFile(note, []byte(state), 0o644) // if this fails, the next command checks again
	return nil
}
