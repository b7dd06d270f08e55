package query_test

import (
	"context"
	"os"
	"runtime"
	"runtime/metrics"
	"strconv"
	"testing"
	"time"

	"github.com/blq-ci/blq/internal/cmdline"
	"github.com/blq-ci/blq/internal/markdown"
	"github.com/blq-ci/blq/internal/pgtest"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/querytest"
	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/postgres"
	"github.com/blq-ci/blq/store/sqlite/sqlitetest"
)

// noBlobs is an object storage without objects.
type noBlobs struct{}

func (noBlobs) Get(context.Context, string) ([]byte, error) {
	return nil, store.Errorf(store.NotFound, "none")
}

// engines are the stores for tests of large runs.
var engines = map[string]func(t testing.TB) store.Store{
	"sqlite": func(t testing.TB) store.Store {
		return sqlitetest.Open(t)
	},
	"postgres": func(t testing.TB) store.Store {
		s, err := postgres.Open(t.Context(), pgtest.New(t), postgres.Options{})
		querytest.Check(t, err)
		t.Cleanup(func() { s.Close() })
		querytest.Check(t, s.Migrate(t.Context()))
		return s
	},
}

// BenchmarkQuestions asks about a run and its baseline, each with BLQ_BENCH_ERRORS errors. peak-MB is the max growth of
// the heap.
func BenchmarkQuestions(b *testing.B) {
	n, err := strconv.Atoi(os.Getenv("BLQ_BENCH_ERRORS"))
	if err != nil {
		n = 10_000
	}
	for name, open := range engines {
		b.Run(name, func(b *testing.B) {
			s := open(b)
			querytest.AddErrors(b, s, "base", n, n, 0)
			r := querytest.AddErrors(b, s, "head", n, n*9/10, 1)
			a := &query.Asker{Store: s, Blobs: noBlobs{}, Scope: store.Everything()}
			for _, q := range questionsOf(r) {
				b.Run(q.name, func(b *testing.B) {
					peak, cpu := watchHeap(), processorTime()
					for b.Loop() {
						querytest.Check(b, q.ask(b.Context(), a))
					}
					b.ReportMetric((processorTime()-cpu).Seconds()/float64(b.N), "CPU-s")
					b.ReportMetric(float64(peak())/(1<<20), "peak-MB")
				})
			}
		})
	}
}

type asked struct {
	name string
	ask  func(context.Context, *query.Asker) error
}

func questionsOf(r store.Run) []asked {
	ref := r.Ref().String()
	return []asked{
		{"triage", func(ctx context.Context, a *query.Asker) error {
			_, err := a.Triage(ctx, query.TriageParams{Ref: ref})
			return err
		}},
		{"diff", func(ctx context.Context, a *query.Asker) error {
			_, err := a.Diff(ctx, query.DiffParams{Run2: ref})
			return err
		}},
		{"check", func(ctx context.Context, a *query.Asker) error {
			_, err := a.Check(ctx, query.CheckParams{Run: ref, FailOn: query.FailOnNewErrors})
			return err
		}},
		{"report", func(ctx context.Context, a *query.Asker) error {
			_, err := markdown.Write(ctx, a, cmdline.Words, markdown.Params{Ref: ref})
			return err
		}},
		{"brief", func(ctx context.Context, a *query.Asker) error {
			_, err := a.Brief(ctx, query.InfoParams{Ref: ref, Limit: 20})
			return err
		}},
		{"prints", func(ctx context.Context, a *query.Asker) error {
			after := 0
			for {
				list, err := a.Store.Prints(ctx, a.Scope, store.PrintFilter{Attempt: r.Attempt, After: after, Limit: 25_000})
				if err != nil || len(list) == 0 {
					return err
				}
				after = list[len(list)-1].ID
			}
		}},
	}
}

// processorTime returns the CPU time of the Go code of this process. The time does not include the garbage collector,
// or a database server.
func processorTime() time.Duration {
	sample := []metrics.Sample{{Name: "/cpu/classes/user:cpu-seconds"}}
	metrics.Read(sample)
	return time.Duration(sample[0].Value.Float64() * float64(time.Second))
}

// watchHeap measures the heap until the caller calls the returned function. That function returns the max growth.
func watchHeap() func() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	start, peak := m.HeapAlloc, m.HeapAlloc
	end, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-end:
				return
			case <-tick.C:
				var m runtime.MemStats
				runtime.ReadMemStats(&m)
				peak = max(peak, m.HeapAlloc)
			}
		}
	}()
	return func() uint64 {
		close(end)
		<-ended
		return peak - start
	}
}
