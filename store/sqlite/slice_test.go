package sqlite_test

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/sqlite"
)

// sliceOf has a run with its events.
func sliceOf(r store.Run, events []store.Event) *sqlite.Slice {
	return sqlite.NewSlice(func(_ context.Context, s *sqlite.Slice, _ sqlite.Need) error {
		for _, e := range events {
			fingerprint, _ := store.FingerprintHash(e.Fingerprint)
			pattern, _ := store.FingerprintHash(e.Pattern)
			s.AddEvent(&sqlite.Event{Event: e, Run: 7, Fingerprint: fingerprint, Pattern: pattern})
		}
		return s.AddRun(7, r)
	})
}

func TestSliceAnswersAsTheStoreDoes(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "blq.db"))
	list := events(120)
	code := 1
	r := store.Run{
		Attempt: "0190a1b2-0000-7000-8000-000000000001", Repo: "o/n", Source: "build", Command: "make", StartedAt: time.Unix(1e9, 5000),
		Git: store.Git{Branch: "main", Commit: "abc", Dirty: true}, CI: &store.CI{Provider: "github", PR: 7, Matrix: `{"os":"linux"}`},
	}
	if _, err := s.StartRun(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	if err := s.AddEvents(t.Context(), r.Attempt, 0, list); err != nil {
		t.Fatal(err)
	}
	r, err := s.FinishRun(t.Context(), r.Attempt, store.Finish{Ending: store.Ending{FinishedAt: time.Unix(1e9+9, 0), ExitCode: &code}, Batches: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, relation := range []string{"blq_load_runs()", "blq_load_events()", "lq_events"} {
		q := store.Query{SQL: "SELECT * FROM " + relation, MaxRows: 1000}
		want, err := s.Query(t.Context(), store.Everything(), q)
		if err != nil {
			t.Fatal(err)
		}
		got, err := sliceOf(r, list).Query(t.Context(), q)
		if diff := cmp.Diff(want, got); err != nil || diff != "" || len(got.Rows) == 0 {
			t.Errorf("%s: %d rows, %v, -want +got:\n%s", relation, len(got.Rows), err, diff)
		}
	}
}

func TestSliceIsGuarded(t *testing.T) {
	for _, q := range []string{
		"SELECT * FROM runs", "SELECT count(*) FROM main.events", "SELECT * FROM sqlite_schema", "DELETE FROM events", "PRAGMA page_count",
		"ATTACH '/tmp/x' AS x", "VACUUM INTO '/tmp/x'", "SELECT readfile('/etc/passwd')", "SELECT 1; SELECT 2", "",
	} {
		s := sliceOf(store.Run{Attempt: "a", Source: "build"}, nil)
		if _, err := s.Query(t.Context(), store.Query{SQL: q}); store.CodeOf(err) != store.Invalid {
			t.Errorf("%s: %v", q, err)
		}
	}
}

func BenchmarkSlice(b *testing.B) {
	list := events(20_000)
	for b.Loop() {
		s := sliceOf(store.Run{Attempt: "a", Source: "build"}, list)
		if _, err := s.Query(b.Context(), store.Query{SQL: "SELECT tool_name, severity, count(*) FROM blq_load_events() GROUP BY 1, 2"}); err != nil {
			b.Fatal(err)
		}
	}
}
