//go:build unix

package deliveries_test

import (
	"fmt"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/blq-ci/blq/internal/github/githubtest"
	"github.com/blq-ci/blq/internal/pgtest"
	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/postgres"
	"github.com/blq-ci/blq/store/sqlite"
)

// BenchmarkJobLog measures the time from the delivery about a job's end until the job's log of 50 MB is fetched,
// parsed and stored. The job has one step with 500,000 lines, 1000 errors and 19,000 results of tests. B-peak is the
// largest growth of the heap; the log of the fake GitHub does not count. On a busy machine, only the processor time
// s-cpu is meaningful. It includes the fake GitHub.
func BenchmarkJobLog(b *testing.B) {
	for name, open := range map[string]func(b *testing.B) db{"sqlite": openFile, "postgres": openDurable} {
		b.Run(name, func(b *testing.B) {
			p := newPlace(b, open(b))
			text := longLog(500_000)
			b.SetBytes(int64(len(text)))
			id, worked := int64(0), time.Duration(0)
			end := func() {
				id++
				job := failed(id, "build")
				job.Log = text
				p.github.SetRun(shop, githubtest.Run{ID: id, HeadSHA: head, Jobs: []githubtest.Job{job}})
				p.jobEnded(id)
			}
			for b.Loop() {
				before := processor(b)
				end()
				worked += processor(b) - before
			}
			b.ReportMetric(worked.Seconds()/float64(b.N), "s-cpu/op")
			b.ReportMetric(float64(peakOf(end)), "B-peak")
			p.same(p.dead(), []string(nil))
			list, err := p.store.Runs(b.Context(), store.Everything(), store.RunFilter{Limit: 1})
			check(b, err)
			if len(list) != 1 || list[0].Errors != 1000 || list[0].Lines < 500_000 {
				b.Errorf("the log is stored as %+v", list)
			}
		})
	}
}

func openFile(b *testing.B) db {
	b.Helper()
	s, err := sqlite.Open(b.Context(), filepath.Join(b.TempDir(), "blq.db"))
	check(b, err)
	b.Cleanup(func() { s.Close() })
	return s
}

func openDurable(b *testing.B) db {
	b.Helper()
	server, err := pgtest.Start(pgtest.Options{Durable: true})
	check(b, err)
	b.Cleanup(func() { server.Close() })
	s, err := postgres.Open(b.Context(), server.URL("postgres"), postgres.Options{})
	check(b, err)
	b.Cleanup(func() { s.Close() })
	check(b, s.Migrate(b.Context()))
	return s
}

// longLog returns the log of a job with the step "Build & check", which prints n lines.
func longLog(n int) string {
	var b strings.Builder
	b.WriteString(aLog("0 Current runner version: '2.328.0'", "1 ##[group]Run actions/checkout@v4", "1 ##[endgroup]",
		"2 ##[group]Run make", "2 \x1b[36;1mmake\x1b[0m", "2 shell: /usr/bin/bash -e {0}", "2 ##[endgroup]"))
	at := githubtest.At.Add(3 * time.Second).Format("2006-01-02T15:04:05.0000000Z ")
	for i := range n {
		b.WriteString(at)
		switch {
		case i%500 == 0:
			fmt.Fprintf(&b, "src/part%d/file%d.c:%d:7: error: use of undeclared identifier 'value_%d'\n", i%40, i%900, i%3000, i)
		case i%25 == 0:
			fmt.Fprintf(&b, "--- PASS: TestNumber%d (0.%02ds)\n", i, i%100)
		default:
			fmt.Fprintf(&b, "[%3d%%] Building CXX object src/part%d/CMakeFiles/part.dir/file%d.cc.o, %08x\n", i*100/n, i%40, i, i*7919)
		}
	}
	b.WriteString(at + "##[error]Process completed with exit code 2.\n")
	return b.String()
}

// peakOf returns the largest growth of the heap during a call. Garbage is collected often, so the result has little
// garbage.
func peakOf(do func()) (peak int64) {
	defer debug.SetGCPercent(debug.SetGCPercent(2))
	inUse := func() int64 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapInuse)
	}
	runtime.GC()
	before, done, ended := inUse(), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(10 * time.Millisecond)
		defer tick.Stop()
		for {
			peak = max(peak, inUse()-before)
			select {
			case <-done:
				return
			case <-tick.C:
			}
		}
	}()
	do()
	close(done)
	<-ended
	return peak
}

// processor returns the processor time of this process.
func processor(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	check(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
