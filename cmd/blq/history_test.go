//go:build unix

package main

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/sqlite"
)

// crowded is a store with any number of runs.
type crowded struct{ store.Store }

func (crowded) Runs(_ context.Context, _ store.Scope, f store.RunFilter) ([]store.Run, error) {
	runs := make([]store.Run, f.Limit)
	for i := range runs {
		runs[i] = store.Run{Repo: "acme/app", Serial: 1_000_000 - i, Source: "build"}
	}
	return runs, nil
}

func TestAHistorySaysThatThereAreMoreRuns(t *testing.T) {
	t.Parallel()
	st, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "blq.db"))
	if err != nil {
		t.Fatal(err)
	}
	far := newServiceOf(t, crowded{st}, nil, nil)
	for _, form := range [][]string{nil, {"--json"}} {
		cmd := to(blq(t.TempDir(), append([]string{"history", "--limit", "0", "--remote", far.URL}, form...)...), far.URL)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		if _, err := cmd.Output(); err != nil {
			t.Fatalf("%v: %s", err, &stderr)
		}
		if strings.TrimSpace(stderr.String()) != "only 10000 runs are listed; before=990001 lists older ones" {
			t.Errorf("%v: it says %s", form, &stderr)
		}
	}
}
