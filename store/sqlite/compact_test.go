package sqlite_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/sqlite/sqlitetest"
)

func TestCompactGivesSpaceBack(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	path := filepath.Join(t.TempDir(), "blq.db")
	s := sqlitetest.OpenAt(t, path)
	r, err := s.StartRun(ctx, store.Run{Attempt: "01a1fc2e-0afe-7d10-a696-2acb95f352db", Source: "build",
		StartedAt: time.Now(), State: store.StateRunning})
	if err != nil {
		t.Fatal(err)
	}
	events := make([]store.Event, 5000)
	for i := range events {
		events[i] = store.Event{ID: i + 1, Severity: store.SeverityError, Message: strings.Repeat("x", 200)}
	}
	if err := s.AddEvents(ctx, r.Attempt, 0, events); err != nil {
		t.Fatal(err)
	}
	if _, err := s.FinishRun(ctx, r.Attempt, store.Finish{Chunks: -1, Batches: -1}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Prune(ctx, store.Everything(), store.Policy{All: true}); err != nil {
		t.Fatal(err)
	}
	if err := s.Compact(ctx); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Size() > 500_000 {
		t.Errorf("the database has %d bytes after a run of 1 MB was pruned (error %v)", info.Size(), err)
	}
}
