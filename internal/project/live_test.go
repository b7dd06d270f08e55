package project

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/store"
)

func TestOnlyRunsWhoseRecorderDiedAreOrphans(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	w := newProject(t)
	now := time.Now()
	alive := startRun(t, w, "alive", now.Add(-time.Hour))
	lock, err := w.MarkLive(alive.Attempt)
	if err != nil {
		t.Fatal(err)
	}
	dead := startRun(t, w, "dead", now)
	died, err := w.MarkLive(dead.Attempt)
	if err != nil {
		t.Fatal(err)
	}
	died.lock.Unlock() // like the death of the process: the file stays
	startRun(t, w, "quiet", now.Add(-time.Minute))
	silent := startRun(t, w, "silent", now.Add(-2*silence))

	salvaged := map[string]int{}
	for range 2 {
		err := w.SweepOrphans(ctx, func(_ context.Context, r store.Run) error { salvaged[r.Attempt]++; return nil })
		if err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(map[string]int{dead.Attempt: 1}, salvaged); diff != "" {
		t.Errorf("salvaged, by attempt (-want +got):\n%s", diff)
	}
	marked, err := w.Store.Runs(ctx, store.Everything(), store.RunFilter{State: store.StateOrphaned})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]bool{}
	for _, r := range marked {
		got[r.Attempt] = true
	}
	if diff := cmp.Diff(map[string]bool{dead.Attempt: true, silent.Attempt: true}, got); diff != "" {
		t.Errorf("orphans (-want +got):\n%s", diff)
	}
	lock.Release()
	if left, _ := filepath.Glob(filepath.Join(w.Dir, "live", "*")); left != nil {
		t.Errorf("locks left: %v", left)
	}
}

func TestRunThatIsPrunedDuringTheSweep(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	w := newProject(t)
	dead := startRun(t, w, "dead", time.Now())
	died, err := w.MarkLive(dead.Attempt)
	if err != nil {
		t.Fatal(err)
	}
	died.lock.Unlock()
	err = w.SweepOrphans(ctx, func(ctx context.Context, r store.Run) error {
		code := 0
		_, err := w.Store.FinishRun(ctx, r.Attempt, store.Finish{
			Ending: store.Ending{FinishedAt: time.Now(), ExitCode: &code}})
		if err != nil {
			t.Error(err)
		}
		if _, err := w.Clean(ctx, CleanData, 0, ""); err != nil {
			t.Error(err)
		}
		_, err = w.Store.Run(ctx, store.Everything(), store.Ref{Attempt: r.Attempt})
		if store.CodeOf(err) != store.NotFound {
			t.Errorf("the pruned run: %v, want not_found", err)
		}
		return err
	})
	if err != nil {
		t.Errorf("sweep of a run that was pruned: %v", err)
	}
}
