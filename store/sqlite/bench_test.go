package sqlite_test

import (
	"fmt"
	"io"
	"path/filepath"
	"testing"
	"time"

	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/sqlite"
)

func BenchmarkOpen(b *testing.B) {
	path := filepath.Join(b.TempDir(), "blq.db")
	if err := writeRuns(path, "x", false, io.Discard); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		s, err := sqlite.Open(b.Context(), path)
		if err != nil {
			b.Fatal(err)
		}
		s.Close()
	}
}

func BenchmarkAddEvents(b *testing.B) {
	s := open(b, filepath.Join(b.TempDir(), "blq.db"))
	list := events(100_000)
	n := 0
	for b.Loop() {
		record(b, s, n, list)
		n++
	}
	b.ReportMetric(float64(n*len(list))/b.Elapsed().Seconds(), "events/s")
}

// record records a failed run with events, in batches of 10,000 events.
func record(b *testing.B, s *sqlite.Store, n int, list []store.Event) store.Run {
	b.Helper()
	attempt := fmt.Sprint("run-", n)
	_, err := s.StartRun(
		b.Context(), store.Run{Attempt: attempt, Source: fmt.Sprint("step", n%10), StartedAt: time.Unix(1e9+int64(n), 0)})
	if err != nil {
		b.Fatal(err)
	}
	for i := 0; i*10_000 < len(list); i++ {
		if err := s.AddEvents(b.Context(), attempt, i, list[i*10_000:min(len(list), (i+1)*10_000)]); err != nil {
			b.Fatal(err)
		}
	}
	code := 1
	r, err := s.FinishRun(
		b.Context(), attempt, store.Finish{Ending: store.Ending{ExitCode: &code}, Chunks: -1, Batches: -1})
	if err != nil {
		b.Fatal(err)
	}
	return r
}

// BenchmarkRead measures the cost of questions about many events. Each run has 1000 events, and there are ten sources.
func BenchmarkRead(b *testing.B) {
	for _, size := range []int{100_000, 1_000_000} {
		if size > 100_000 && testing.Short() {
			continue
		}
		s := open(b, filepath.Join(b.TempDir(), "blq.db"))
		list := events(1000)
		var last store.Run
		for n := range size / len(list) {
			last = record(b, s, n, list)
		}
		all := store.Everything()
		sql := func(q string) func() error {
			return func() error {
				_, err := s.Query(b.Context(), all, store.Query{SQL: q, MaxRows: 1000})
				return err
			}
		}
		for _, test := range []struct {
			name string
			ask  func() error
		}{
			{"EventsOfNewest", func() error {
				_, err := s.Events(b.Context(), all, store.EventFilter{
					Runs: store.RunFilter{Newest: true}, Severities: []store.Severity{store.SeverityError}, Limit: 20})
				return err
			}},
			{"EventsOfRun", func() error {
				_, err := s.Events(b.Context(), all, store.EventFilter{Runs: store.RunFilter{Attempts: []string{last.Attempt}}})
				return err
			}},
			{"FingerprintHistory", func() error {
				_, err := s.FingerprintHistory(b.Context(), all, last, list[500].Fingerprint)
				return err
			}},
			{"History", func() error {
				_, err := s.Runs(b.Context(), all, store.RunFilter{Source: last.Source, Limit: 20})
				return err
			}},
			{"SQLByRun",
				sql(fmt.Sprintf("SELECT tool_name, count(*) FROM blq_load_events() WHERE run_id = %d GROUP BY 1", last.Serial))},
			{"SQLBySourceOfJoin", sql(fmt.Sprintf("SELECT count(*) FROM blq_load_runs() r JOIN blq_load_events() e ON "+
				"e.run_ref = r.run_ref WHERE r.run_ref = '%s'", last.Ref()))},
			{"SQLEmpty", sql("SELECT 1")},
		} {
			b.Run(fmt.Sprintf("%s/%d", test.name, size), func(b *testing.B) {
				for b.Loop() {
					if err := test.ask(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
