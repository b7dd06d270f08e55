package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/sqlite"
	"github.com/blq-ci/blq/store/sqlite/cage"
	"github.com/blq-ci/blq/store/sqlite/sqlitetest"
)

// box is the cage for statements over slices.
var box = cage.New(cage.Options{})

// recorded are runs with their events.
type recorded []struct {
	store.Run
	events []store.Event
}

// slice returns a slice with all rows. It records the requested columns.
func (list recorded) slice(asked *sqlite.Need) *sqlite.Slice {
	return sqlite.NewSlice(func(_ context.Context, s *sqlite.Slice, n sqlite.Need) error {
		if asked != nil {
			*asked = n
		}
		for i, r := range list {
			id := int64(100 + 7*i)
			if err := s.AddRun(id, r.Run); err != nil {
				return err
			}
			for _, e := range r.events {
				fingerprint, _ := store.FingerprintHash(e.Fingerprint)
				pattern, _ := store.FingerprintHash(e.Pattern)
				s.AddEvent(&sqlite.Event{Event: e, Run: id, Fingerprint: fingerprint, Pattern: pattern})
			}
		}
		return nil
	})
}

// sample records runs in a store.
func sample(t testing.TB, s *sqlite.Store) recorded {
	t.Helper()
	var list recorded
	for n := range 6 {
		r := store.Run{
			Attempt: fmt.Sprint("attempt-", n), Repo: fmt.Sprint("o/", n%2), Source: []string{"build", "Build", "test"}[n%3],
			Command: "make", StartedAt: time.Unix(1e9+int64(n), 5000),
			Git: store.Git{Branch: "main", Commit: strings.Repeat(fmt.Sprint(n), 40), Dirty: n == 2},
			CI:  &store.CI{Provider: "github", PR: n, Matrix: `{"os":"linux"}`},
		}
		if n == 3 {
			r.CI = nil
		}
		if _, err := s.StartRun(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		found := events(10 * n)
		if err := s.AddEvents(t.Context(), r.Attempt, 0, found); err != nil {
			t.Fatal(err)
		}
		r, err := s.Run(t.Context(), store.Everything(), store.Ref{Attempt: r.Attempt})
		if err == nil && n != 4 {
			r, err = s.FinishRun(t.Context(),
				r.Attempt, store.Finish{Ending: store.Ending{FinishedAt: time.Unix(1e9+9, 0), ExitCode: &n}, Batches: 1})
		}
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, struct {
			store.Run
			events []store.Event
		}{r, found})
	}
	return list
}

func TestSliceAnswersAsTheStoreDoes(t *testing.T) {
	t.Parallel()
	s := sqlitetest.Open(t)
	list := sample(t, s)
	for _, q := range []string{
		"SELECT * FROM blq_load_runs()",
		"SELECT * FROM blq_load_events()",
		"SELECT * FROM lq_events",
		"SELECT 1",
		"SELECT count(*) FROM lq_events",
		"SELECT count(*) FROM blq_load_runs() WHERE exit_code IS NULL",
		"SELECT run_ref FROM blq_load_runs() WHERE exit_code = 1",
		"SELECT ref FROM blq_load_events() WHERE run_id = 2 AND event_id = 3",
		"SELECT ref FROM blq_load_events() WHERE run_id = '2' AND event_id < 3",
		"SELECT ref FROM blq_load_events() WHERE run_id = 2.0 AND event_id < 3",
		"SELECT ref FROM blq_load_events() WHERE run_id IN (1, 3) AND event_id < 3",
		"SELECT ref FROM blq_load_events() WHERE source_name = 'BUILD' COLLATE NOCASE AND event_id = 1",
		"SELECT ref FROM blq_load_events() WHERE source_name = 'build' AND event_id = 1",
		"SELECT ref FROM blq_load_events() WHERE source_name = 'build  ' COLLATE RTRIM AND event_id = 1",
		"SELECT ref FROM blq_load_events() WHERE source_name = 5",
		"SELECT ref FROM blq_load_events() WHERE source_name = NULL",
		"SELECT ref FROM blq_load_events() WHERE message = \"none\" OR message LIKE '%symbol_7%'",
		"SELECT r.run_ref, e.message FROM blq_load_runs() r LEFT JOIN blq_load_events() e ON e.run_ref = r.run_ref AND " +
			"e.repo = r.repo AND e.event_id = 1 ORDER BY r.run_id, r.repo",
		"SELECT r.command, count(e.ref) FROM blq_load_runs() r JOIN blq_load_events() e USING (run_ref) GROUP BY " +
			"r.attempt_id ORDER BY 2, 1",
		"SELECT a.message, count(*) FROM blq_load_events() a JOIN blq_load_events() b ON a.message = b.message GROUP BY " +
			"1 ORDER BY 2 DESC, 1 LIMIT 5",
		"SELECT message FROM blq_load_events() WHERE run_id = (SELECT max(run_id) FROM blq_load_runs()) ORDER BY " +
			"event_id DESC LIMIT 3",
		"SELECT fingerprint, count(*), min(run_id) FROM blq_load_events() GROUP BY fingerprint HAVING count(*) > 2 " +
			"ORDER BY 2 DESC, 1",
		"WITH f AS (SELECT * FROM blq_load_events() WHERE severity = 'error') SELECT repo, count(*) FROM f GROUP BY 1 " +
			"ORDER BY 1",
		"SELECT pattern FROM blq_load_events() EXCEPT SELECT fingerprint FROM blq_load_events()",
		"SELECT run_id, row_number() OVER (PARTITION BY severity ORDER BY run_id, event_id) FROM lq_events ORDER BY 1, 2",
	} {
		q := store.Query{SQL: q, MaxRows: 1000}
		want, err := s.Query(t.Context(), store.Everything(), q)
		failed := store.CodeOf(err)
		got, err := list.slice(nil).Query(t.Context(), box, q)
		if diff := cmp.Diff(want, got); store.CodeOf(err) != failed || diff != "" {
			t.Errorf("%s: %v, -want +got:\n%s", q.SQL, err, diff)
		}
	}
}

func TestSliceIsGuarded(t *testing.T) {
	t.Parallel()
	list := sample(t, sqlitetest.Open(t))
	for _, q := range []string{
		"SELECT * FROM runs", "SELECT count(*) FROM main.events", "SELECT * FROM sqlite_schema", "DELETE FROM events",
		"PRAGMA page_count",
		"ATTACH '/tmp/x' AS x", "VACUUM INTO '/tmp/x'", "SELECT readfile('/etc/passwd')", "SELECT 1; SELECT 2", "",
		"SELECT * FROM blq_rows", "SELECT * FROM blq_rows('s1')", "SELECT * FROM blq_rows(s1)",
		"CREATE VIRTUAL TABLE x USING blq_rows(s1)", "DROP TABLE runs",
	} {
		if _, err := list.slice(nil).Query(t.Context(), box, store.Query{SQL: q}); store.CodeOf(err) != store.Invalid {
			t.Errorf("%s: %v", q, err)
		}
	}
}

func TestSliceAsksForWhatItReads(t *testing.T) {
	t.Parallel()
	list := sample(t, sqlitetest.Open(t))
	for q, want := range map[string]sqlite.Need{
		"SELECT 1":                              {},
		"SELECT none FROM lq_events":            {},
		"SELECT count(*) FROM blq_load_runs()":  {Runs: []string{"id", "serial"}},
		"SELECT pr_number FROM blq_load_runs()": {Runs: []string{"id", "serial", "pr"}},
		"SELECT command, ci FROM blq_load_runs() WHERE hostname = 'x'": {
			Runs: []string{"id", "serial", "command", "hostname", "ci"}},
		"SELECT count(*) FROM blq_load_events()": {
			Runs: []string{"id", "serial"}, Events: []string{"run_id", "id"}},
		"SELECT file_path, code FROM lq_events": {},
		"SELECT ref_file, code FROM blq_load_events() WHERE severity = 'error'": {
			Runs: []string{"id", "serial"}, Events: []string{"run_id", "id", "severity", "file", "code"}},
		"SELECT 1 WHERE EXISTS (SELECT 1 FROM lq_events WHERE message = 'x')": {
			Runs: []string{"id", "serial"}, Events: []string{"run_id", "id", "message"}},
	} {
		var got sqlite.Need
		if _, err := list.slice(&got).Query(t.Context(), box, store.Query{SQL: q}); err != nil &&
			store.CodeOf(err) != store.Invalid {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: -want +got:\n%s", q, diff)
		}
	}
}

func TestSliceFailsAsItsLoaderDoes(t *testing.T) {
	t.Parallel()
	broken := store.Errorf(store.Unavailable, "broken")
	n := 0
	s := sqlite.NewSlice(func(context.Context, *sqlite.Slice, sqlite.Need) error {
		n++
		return broken
	})
	if _, err := s.Query(t.Context(), box, store.Query{SQL: "SELECT * FROM lq_events"}); !errors.Is(err, broken) ||
		n != 1 {
		t.Errorf("loaded %d times: %v", n, err)
	}
	slow := func() *sqlite.Slice {
		return sqlite.NewSlice(func(ctx context.Context, _ *sqlite.Slice, _ sqlite.Need) error {
			<-ctx.Done()
			return ctx.Err()
		})
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if _, err := slow().Query(ctx, box, store.Query{SQL: "SELECT * FROM lq_events"}); !errors.Is(
		err, context.DeadlineExceeded) {
		t.Errorf("given up: %v", err)
	}
	if _, err := slow().Query(t.Context(), box,
		store.Query{SQL: "SELECT * FROM lq_events", Timeout: 10 * time.Millisecond}); store.CodeOf(err) != store.TooLarge {
		t.Errorf("too slow: %v", err)
	}
}

func TestSlicesAreApart(t *testing.T) {
	t.Parallel()
	list := sample(t, sqlitetest.Open(t))
	counts := make([]int64, len(list))
	done := make(chan error)
	for i := range list {
		go func() {
			got, err := list[:i+1].slice(nil).Query(t.Context(), box, store.Query{SQL: "SELECT count(*) FROM blq_load_runs()"})
			if err == nil {
				counts[i] = got.Rows[0][0].(int64)
			}
			done <- err
		}()
	}
	for range list {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	if !slices.Equal(counts, []int64{1, 2, 3, 4, 5, 6}) {
		t.Errorf("runs of slices: %v", counts)
	}
}

func BenchmarkSlice(b *testing.B) {
	list := recorded{{Run: store.Run{Attempt: "a", Source: "build"}, events: events(20_000)}}
	for b.Loop() {
		if _, err := list.slice(nil).Query(b.Context(), box,
			store.Query{SQL: "SELECT tool_name, severity, count(*) FROM blq_load_events() GROUP BY 1, 2"}); err != nil {
			b.Fatal(err)
		}
	}
}
