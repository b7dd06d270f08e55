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
	results := tests.Results(exit != nil && *exit == 0)
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

// A golden may have a section named "tests". It lists all outcomes of tests in the log. Its first line has the counts
// that the test runner printed.
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

// The counts must equal those of the runner. A test with subtests in braces only repeats the subtests, and does not
// count. An error in the teardown of a test counts apart from the test, and is no retry.
func TestOutcomesOfARunner(t *testing.T) {
	for name, tt := range map[string]struct{ log, want string }{
		"pytest -v": {`collected 6 items

test_a.py::test_teardown PASSED                                          [ 16%]
test_a.py::test_teardown ERROR                                           [ 16%]
test_a.py::test_both FAILED                                              [ 33%]
test_a.py::test_both ERROR                                               [ 33%]
test_a.py::test_setup ERROR                                              [ 50%]
test_a.py::test_again RERUN                                              [ 66%]
test_a.py::test_again ERROR                                              [ 66%]
test_a.py::test_flaky RERUN                                              [ 83%]
test_a.py::test_flaky PASSED                                             [ 83%]
test_a.py::test_fine PASSED                                              [100%]
`, "passed 3 failed 5 skipped 0 infrastructure 0 retried 2 flaky 1"},
		"pytest -rA": {`=========================== short test summary info ============================
PASSED test_a.py::test_teardown
PASSED test_a.py::test_fine
ERROR test_a.py::test_teardown - RuntimeError: teardown
FAILED test_a.py::test_fails - assert 0
`, "passed 2 failed 2 skipped 0 infrastructure 0 retried 0 flaky 0"},
		"vitest --reporter=tap": {`TAP version 13
1..2
not ok 1 - a.test.js # time=82.89ms {
    1..1
    not ok 1 - group "a" # time=79.33ms {
        1..3
        ok 1 - passes # time=16.44ms
        not ok 2 - fails # time=55.14ms
            ---
            error:
                name: "AssertionError"
                message: "expected 1 to be 2 // Object.is equality"
            at: "/app/a.test.js:5:35"
            ...
        ok 3 - is skipped # SKIP
    }
}
ok 2 - b.test.js # time=9.39ms {
    1..1
    ok 1 - other file passes # time=6.88ms
}
`, "passed 2 failed 1 skipped 1 infrastructure 0 retried 0 flaky 0"},
	} {
		got, _, _ := strings.Cut(outcomes([]byte(tt.log), nil, parse.Options{Formats: All()}), "\n")
		if got != tt.want {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
		if events := parse.Bytes([]byte(tt.log), nil, parse.Options{Formats: All()}); name == "vitest --reporter=tap" &&
			(len(events) != 1 || events[0].Test != `a.test.js > group "a" > fails`) {
			t.Errorf("%s: %+v", name, events)
		}
	}
}
