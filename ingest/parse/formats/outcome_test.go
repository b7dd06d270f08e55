package formats

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// outcomes returns the test results of a log as lines, below their totals.
func outcomes(log []byte, exit *int, opts parse.Options) string {
	var tests parse.Tests
	opts.Tests = tests.Add
	parse.Bytes(log, exit, opts)
	results := tests.Results()
	var b strings.Builder
	sum := store.SumTests(results)
	fmt.Fprintf(&b, "passed %d failed %d skipped %d infrastructure %d retried %d flaky %d\n", sum.Passed(), sum.Failed,
		sum.Skipped, sum.Infra, sum.Retried, sum.Flaky)
	for _, r := range results {
		fmt.Fprintf(&b, "%s\t%d\t%s\t%s\t%s\n", r.Outcome, r.Attempt, r.Duration.Round(time.Microsecond), r.Test.File,
			r.Test.Name)
	}
	return b.String()
}

// A golden with a section tests gives exactly these outcomes. The first line has the runner's own counts.
func TestGoldensOfOutcomes(t *testing.T) {
	for _, g := range goldens(t) {
		for i := range g.ar.Files {
			if f := &g.ar.Files[i]; f.Name == "tests" {
				t.Run(strings.TrimPrefix(g.file, "testdata/"), func(t *testing.T) {
					got := outcomes(g.input, g.exit, g.opts)
					if *update {
						f.Data = []byte(got)
						g.rewrite(t, jsonLines(t, parse.Bytes(g.input, g.exit, g.opts)))
						return
					}
					if diff := cmp.Diff(strings.Split(string(f.Data), "\n"), strings.Split(got, "\n")); diff != "" {
						t.Errorf("outcomes differ (-want +got):\n%s", diff)
					}
				})
			}
		}
	}
}

// Events do not depend on whether test outcomes are wanted.
func TestOutcomesChangeNoEvent(t *testing.T) {
	for _, g := range goldens(t) {
		opts := g.opts
		opts.Tests = func(parse.Result) {}
		if diff := cmp.Diff(jsonLines(t, parse.Bytes(g.input, g.exit, g.opts)),
			jsonLines(t, parse.Bytes(g.input, g.exit, opts))); diff != "" {
			t.Errorf("%s: %s", g.file, diff)
		}
	}
}
