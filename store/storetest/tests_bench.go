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

// BenchmarkTests adds the results of 1000 tests for each of many runs, and reads the history of tests. It reports the
// number of results added per second, and the bytes on disk for each result, computed from the size of all tables. It
// also reports three times: the time for a history, the processor time that this process needs for a history, and the
// time for a statement that reads nothing (bare). On a busy machine, only the processor time and the ratio of the other
// two times are meaningful.
// BLQ_BENCH_TESTS is the number of runs, 500 by default.
func BenchmarkTests(b *testing.B, s store.Store, size func() int64, bare func() error) {
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
	var took, none, worked []time.Duration
	for b.Loop() {
		before := time.Now()
		if err := bare(); err != nil {
			b.Fatal(err)
		}
		none = append(none, time.Since(before))
		began, busy := time.Now(), processor()
		past, err := s.TestHistory(b.Context(), everything, list[rand.IntN(len(list))])
		if err != nil || len(past) != runs {
			b.Fatalf("%d results, %v", len(past), err)
		}
		took, worked = append(took, time.Since(began)), append(worked, processor()-busy)
	}
	slices.Sort(took)
	slices.Sort(none)
	slices.Sort(worked)
	for _, percent := range []int{50, 99} {
		at := len(took) * percent / 100
		b.ReportMetric(float64(took[at].Microseconds())/1000, fmt.Sprintf("ms-p%d", percent))
		b.ReportMetric(float64(worked[at].Microseconds())/1000, fmt.Sprintf("ms-cpu-p%d", percent))
		b.ReportMetric(float64(none[at].Microseconds())/1000, fmt.Sprintf("ms-bare-p%d", percent))
	}
	b.ReportMetric(speed, "results/s")
	b.ReportMetric(float64(size())/float64(runs*tests), "B/result")
}
