package dispatch

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/sqlite"
	"github.com/blq-ci/blq/store/sqlite/sqlitetest"
)

// counted counts the runs that are read from a store.
type counted struct {
	*sqlite.Store
	read int
}

func (c *counted) Runs(ctx context.Context, sc store.Scope, f store.RunFilter) ([]store.Run, error) {
	runs, err := c.Store.Runs(ctx, sc, f)
	c.read += len(runs)
	return runs, err
}

func TestTheRunOfAWorkflowIsFoundAmongAnyNumberOfOthers(t *testing.T) {
	s := sqlitetest.Open(t)
	for n := range 210 { // the wanted run comes first
		_, err := s.StartRun(t.Context(), store.Run{
			Attempt: fmt.Sprintf("01999999-0000-7000-8000-%012x", n), Repo: "acme/shop", Source: "build",
			CI: &store.CI{Provider: "github", RunID: fmt.Sprint(1000 + n)},
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	runs := &counted{Store: s}
	for id, want := range map[string]string{"1000": "acme/shop@build:1", "1209": "acme/shop@build:210"} {
		runs.read = 0
		ref, err := New(Config{Runs: runs}).arrival(t.Context(), "acme/shop", id, time.Minute)
		if ref != want || err != nil || runs.read != 1 {
			t.Errorf("%s: got %q, %v, reading %d runs; want %s, reading 1", id, ref, err, runs.read, want)
		}
	}
}
