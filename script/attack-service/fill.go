//go:build linux

package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/blob"
	"github.com/blq-ci/blq/store/chunk"
	"github.com/blq-ci/blq/store/testpack"
)

// need is data that an attack needs in the store.
type need int

const (
	nothing    need = iota
	largeRuns       // two runs of t0/app with many errors
	largeLog        // a run of t0/app with a long log
	manyRuns        // many runs of t0/app with errors
	testedRuns      // runs of t0/app with results of tests; one further run makes the store pack them
	documents       // long documents of several tenants
)

// filler fills a store.
type filler struct {
	ctx context.Context
	d   directory
	dir string
	sizes
	n int // number of runs
}

func (f *filler) fill(n need) error {
	switch n {
	case nothing:
		return f.run("t0/app", 50)
	case largeRuns:
		return firstError(func() error { return f.run("t0/app", f.Events) },
			func() error { return f.run("t0/app", f.Events) })
	case largeLog:
		return f.log()
	case documents:
		return f.documents()
	case testedRuns:
		return f.tested(testpack.Runs - 1)
	case manyRuns:
		for range f.Runs {
			if err := f.run("t0/app", min(f.Runs, 1_000_000/f.Runs)); err != nil {
				return err
			}
		}
	}
	return nil
}

// tested records runs with results of tests.
func (f *filler) tested(runs int) error {
	results := make([]store.TestResult, f.Tests)
	for i := range results {
		results[i] = store.TestResult{Test: store.Test{Name: testName(0, i)}, Attempt: 1, Duration: time.Millisecond}
	}
	for range runs {
		r, err := f.begin("t0/app")
		if err != nil {
			return err
		}
		if err := f.d.AddTests(f.ctx, r.Attempt, results); err != nil {
			return err
		}
	}
	return nil
}

// testName returns the name of a test of a suite.
func testName(suite, i int) string { return fmt.Sprintf("suite %d, test %d", suite, i) }

// small records the runs of the neighbour.
func (f *filler) small(repo string) error {
	for range 20 {
		if err := f.run(repo, 20); err != nil {
			return err
		}
	}
	return nil
}

func firstError(steps ...func() error) error {
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// run records a failed run with n errors.
func (f *filler) run(repo string, n int) error {
	r, err := f.begin(repo)
	if err != nil {
		return err
	}
	const batch = 10_000
	for from := 0; from < n; from += batch {
		events := make([]store.Event, min(batch, n-from))
		for i := range events {
			events[i] = event(from+i, f.n)
		}
		if err := f.d.AddEvents(f.ctx, r.Attempt, from/batch, events); err != nil {
			return err
		}
	}
	return f.end(r)
}

// event returns an error of a run, by its index. The errors of every seventh run have the same fingerprints.
func event(i, run int) store.Event {
	e := store.Event{ID: i + 1, Severity: store.SeverityError, Tool: "gcc", Category: store.CategoryCompile,
		File: fmt.Sprintf("src/module%d/file_%d.c", i%97, i%1009), Line: 1 + i%5000, Column: 1 + i%80,
		Message: fmt.Sprintf("'symbol_%s_%d' undeclared (first use in this function)", word(i), (i+run%7)%100_000)}
	e.Fingerprint, e.Pattern = store.Fingerprint(e), store.Pattern(e)
	return e
}

// word returns a word of letters for a number. Different numbers have different words.
func word(n int) string {
	var b strings.Builder
	for ; n > 0; n /= 26 {
		b.WriteByte(byte('a' + n%26))
	}
	return b.String()
}

func (f *filler) begin(repo string) (store.Run, error) {
	f.n++
	return f.d.StartRun(f.ctx, store.Run{Attempt: attemptID(f.n), Repo: repo, Source: "build", Command: "make",
		StartedAt: time.Now().Add(-time.Minute), Git: store.Git{Branch: "main", Commit: fmt.Sprintf("%040x", f.n)}})
}

// attemptID returns an attempt ID for a number.
func attemptID(n int) string { return fmt.Sprintf("018d0c00-0000-7000-8000-%012x", n) }

func (f *filler) end(r store.Run) error {
	code := 1
	_, err := f.d.FinishRun(f.ctx, r.Attempt, store.Finish{Chunks: -1, Batches: -1,
		Ending: store.Ending{FinishedAt: time.Now(), ExitCode: &code}})
	return err
}

// log records a run with a long log.
func (f *filler) log() error {
	if err := os.MkdirAll(f.dir+"/logs", 0o700); err != nil {
		return err
	}
	blobs, err := blob.OpenFile(f.dir + "/logs")
	if err != nil {
		return err
	}
	r, err := f.begin("t0/app")
	if err != nil {
		return err
	}
	w, err := chunk.NewWriter(f.d, blobs, r.Attempt)
	if err != nil {
		return err
	}
	for i := range f.LogMB {
		if _, err := w.Write(f.ctx, store.StreamCombined, noise(uint64(i))); err != nil {
			return err
		}
	}
	if err := w.Flush(f.ctx); err != nil {
		return err
	}
	return f.end(r)
}
