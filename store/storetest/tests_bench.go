package storetest

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/blq-ci/blq/store"
)

// BenchmarkTests adds the results of 1000 tests in each of many runs and asks for the history of tests. It reports the
// bytes of a result on disk, by the size of all tables, and how long a history takes. BLQ_BENCH_TESTS is the number of
// runs, 500 without it.
func BenchmarkTests(b *testing.B, s store.Store, size func() int64) {
	runs, err := strconv.Atoi(os.Getenv("BLQ_BENCH_TESTS"))
	if err != nil {
		runs = 500
	}
	const tests = 1000
	results := make([]store.TestResult, tests)
	began := time.Now()
	for n := range runs {
		for i := range results {
			o := store.TestPassed
			if rand.IntN(50) == 0 {
				o = store.TestOutcome(rand.IntN(4))
			}
			results[i] = store.TestResult{Outcome: o, Attempt: 1, Duration: time.Duration(rand.IntN(1e9)),
				Test: store.Test{Name: fmt.Sprintf("suite%d.Class.test_number_%d", i%40, i),
					File: fmt.Sprintf("tests/%d.py", i%40)}}
		}
		r, err := s.StartRun(b.Context(), store.Run{Attempt: fmt.Sprint("run-", n), Repo: "o/a", Source: "test",
			StartedAt: start.Add(time.Duration(n) * time.Minute)})
		if err != nil {
			b.Fatal(err)
		}
		if err := s.AddTests(b.Context(), r.Attempt, results); err != nil {
			b.Fatal(err)
		}
	}
	speed := float64(runs*tests) / time.Since(began).Seconds()
	list, err := s.Tests(b.Context(), everything, store.TestFilter{})
	if err != nil {
		b.Fatal(err)
	}
	var took []time.Duration
	for b.Loop() {
		began := time.Now()
		past, err := s.TestHistory(b.Context(), everything, list[rand.IntN(len(list))])
		if err != nil || len(past) != runs {
			b.Fatalf("%d results, %v", len(past), err)
		}
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "ms-p99")
	b.ReportMetric(speed, "results/s")
	b.ReportMetric(float64(size())/float64(runs*tests), "B/result")
}
