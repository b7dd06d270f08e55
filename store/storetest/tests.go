package storetest

import (
	"fmt"
	"strings"
	"time"

	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/testpack"
)

// result returns a result of a test of the file a.py.
func result(name string, outcome store.TestOutcome) store.TestResult {
	return store.TestResult{Test: store.Test{Name: name, File: "a.py"}, Outcome: outcome, Attempt: 1,
		Duration: 1500 * time.Millisecond}
}

// tested records a run with results.
func (f fixture) tested(repo string, results ...store.TestResult) store.Run {
	f.Helper()
	r := f.start(repo, "test")
	f.ok(f.s.AddTests(f.Context(), r.Attempt, results))
	return f.finish(r, 0)
}

// blocks returns the results of runs with the names of their tests.
func (f fixture) blocks(sc store.Scope, runs ...store.Run) []store.TestBlock {
	f.Helper()
	var attempts []string
	for _, r := range runs {
		attempts = append(attempts, r.Attempt)
	}
	blocks, err := f.s.TestBlocks(f.Context(), sc, attempts, true)
	f.ok(err)
	for _, b := range blocks {
		for i := range b.Results {
			list, err := f.s.Tests(f.Context(), sc, store.TestFilter{IDs: []int64{b.Results[i].Test.ID}})
			f.ok(err)
			if len(list) != 1 {
				f.Fatalf("%d tests have the ID of a result", len(list))
			}
			b.Results[i].Test = list[0]
			b.Results[i].Test.ID = 0
		}
	}
	return blocks
}

// past returns the history of a test, by name.
func (f fixture) past(sc store.Scope, repo, name string) []store.TestPast {
	f.Helper()
	list, err := f.s.Tests(f.Context(), everything, store.TestFilter{Repo: repo, Name: name})
	f.ok(err)
	if len(list) != 1 {
		f.Fatalf("%d tests have the name %s", len(list), name)
	}
	past, err := f.s.TestHistory(f.Context(), sc, list[0])
	f.ok(err)
	return past
}

// names returns the names of the tests that a filter selects.
func (f fixture) names(sc store.Scope, filter store.TestFilter) string {
	f.Helper()
	list, err := f.s.Tests(f.Context(), sc, filter)
	f.ok(err)
	var names []string
	for _, t := range list {
		names = append(names, t.Name)
	}
	return strings.Join(names, " ")
}

var testTests = map[string]func(f fixture){
	"results are returned as they were added": func(f fixture) {
		retried := result("b", store.TestPassed)
		retried.Attempt, retried.Duration = 2, 0
		results := []store.TestResult{result("a", store.TestPassed), result("b", store.TestFailed), retried,
			result("c\x00ü", store.TestSkipped), result("d", store.TestError), result("e", store.TestInfra)}
		r := f.tested("o/a", results...)
		for i := range results {
			results[i].Test.Repo = "o/a"
		}
		f.equal(f.blocks(everything, r), []store.TestBlock{{Run: r.Ref(), Results: results,
			TestSum: store.TestSum{Tests: 5, Failed: 1, Skipped: 1, Infra: 1, Retried: 1, Flaky: 1}}})
		sums, err := f.s.TestBlocks(f.Context(), everything, []string{r.Attempt}, false)
		f.ok(err)
		f.equal(len(sums[0].Results), 0)
		f.equal(sums[0].Passed(), 2)
	},
	"results that are added again change nothing": func(f fixture) {
		r := f.start("o/a", "test")
		f.ok(f.s.AddTests(f.Context(), r.Attempt, []store.TestResult{result("a", store.TestPassed)}))
		f.ok(f.s.AddTests(f.Context(), r.Attempt, []store.TestResult{result("b", store.TestFailed)}))
		f.finish(r, 0)
		f.ok(f.s.AddTests(f.Context(), r.Attempt, []store.TestResult{result("b", store.TestFailed)}))
		f.equal(f.blocks(everything, r)[0].Tests, 1)
		f.equal(f.names(everything, store.TestFilter{}), "a")
	},
	"the results of many tests are stored whole, with new and old names": func(f fixture) {
		const half = 6000
		var results []store.TestResult
		for i := range 2 * half {
			again := result(fmt.Sprint("test", i), store.TestPassed)
			again.Attempt = 2
			results = append(results, result(again.Test.Name, store.TestFailed), again)
		}
		f.tested("o/a", results[half:2*half]...)
		r := f.tested("o/a", results...)
		blocks, err := f.s.TestBlocks(f.Context(), everything, []string{r.Attempt}, true)
		f.ok(err)
		f.equal(blocks[0].TestSum, store.TestSum{Tests: 2 * half, Retried: 2 * half, Flaky: 2 * half})
		list, err := f.s.Tests(f.Context(), everything, store.TestFilter{})
		f.ok(err)
		f.equal(len(list), 2*half)
		for i, b := range blocks[0].Results {
			if b.Test.ID != list[i/2].ID || b.Attempt != i%2+1 {
				f.Fatalf("result %d is attempt %d of the test %d, not of %d", i, b.Attempt, b.Test.ID, list[i/2].ID)
			}
		}
	},
	"results of a completed or unknown run are refused": func(f fixture) {
		r := f.finish(f.start("o/a", "test"), 0)
		list := []store.TestResult{result("a", store.TestPassed)}
		f.refused(f.s.AddTests(f.Context(), r.Attempt, list), store.Conflict)
		f.refused(f.s.AddTests(f.Context(), f.attempt(), list), store.NotFound)
		f.ok(f.s.AddTests(f.Context(), r.Attempt, nil))
	},
	"what is not whole is refused": func(f fixture) {
		r := f.start("o/a", "test")
		for _, change := range []func(r *store.TestResult){
			func(r *store.TestResult) { r.Test.Name = "" }, func(r *store.TestResult) { r.Attempt = 0 },
			func(r *store.TestResult) { r.Outcome = 9 }, func(r *store.TestResult) { r.Duration = -1 },
			func(r *store.TestResult) { r.Test.Name = strings.Repeat("x", store.MaxTestName+1) },
		} {
			bad := result("a", store.TestPassed)
			change(&bad)
			f.refused(f.s.AddTests(f.Context(), r.Attempt, []store.TestResult{bad}), store.Invalid)
		}
		many := make([]store.TestResult, store.MaxTestResults+1)
		f.refused(f.s.AddTests(f.Context(), r.Attempt, many), store.TooLarge)
	},
	"nobody sees tests of others": func(f fixture) {
		a := f.tested("o/a", result("a", store.TestPassed))
		b := f.tested("o/b", result("a", store.TestFailed), result("b", store.TestFailed))
		f.equal(f.names(store.Repos("o/a"), store.TestFilter{}), "a")
		f.equal(f.names(store.Repos("o/a"), store.TestFilter{Repo: "o/b"}), "")
		f.equal(len(f.blocks(store.Repos("o/a"), a, b)), 1)
		f.equal(len(f.past(store.Repos("o/a"), "o/b", "b")), 0)
		f.equal(len(f.past(store.Repos("o/a", "o/b"), "o/b", "a")), 1)
	},
	"tests are found by name and by a part of it": func(f fixture) {
		f.tested("o/a", result("Adds", store.TestPassed), result("adds twice", store.TestPassed))
		f.equal(f.names(everything, store.TestFilter{Like: "ADDS"}), "Adds adds twice")
		f.equal(f.names(everything, store.TestFilter{Like: "A.py", Limit: 1}), "Adds")
		f.equal(f.names(everything, store.TestFilter{Name: "adds twice"}), "adds twice")
		f.equal(f.names(everything, store.TestFilter{IDs: []int64{}}), "")
	},
	"the history of a test has all of its runs, also when they are packed": func(f fixture) {
		var want []store.TestPast
		for i := range 2*testpack.Runs + 5 {
			results := []store.TestResult{result("always", store.TestPassed)}
			if i%7 == 3 {
				again := result("seldom", store.TestPassed)
				again.Attempt = 2
				results = append(results, result("seldom", store.TestFailed), again)
			}
			if i == 90 {
				for n := range 20 {
					results = append(results, result(fmt.Sprint("once", n), store.TestPassed))
				}
			}
			r := f.tested("o/a", results...)
			f.tested("o/b", result("always", store.TestFailed))
			if i%7 == 3 {
				want = append([]store.TestPast{
					{Serial: r.Serial, Outcome: store.TestFailed, Attempt: 1, Duration: results[1].Duration},
					{Serial: r.Serial, Outcome: store.TestPassed, Attempt: 2, Duration: results[1].Duration},
				}, want...)
			}
		}
		f.equal(f.past(everything, "o/a", "seldom"), want)
		always := f.past(everything, "o/a", "always")
		f.equal(len(always), 2*testpack.Runs+5)
		for i, p := range always {
			if p.Outcome != store.TestPassed || i > 0 && p.Serial >= always[i-1].Serial {
				f.Errorf("result %d is %v", i, p)
			}
		}
		f.equal(len(f.past(everything, "o/a", "once7")), 1)
	},
	"results of removed runs are gone, and tests without results": func(f fixture) {
		// The removed tests fill whole pages, so that these pages disappear.
		for n := range testpack.Runs + 2 {
			results := []store.TestResult{result("stays", store.TestPassed)}
			for i := range 3 * testpack.PageTests {
				if n < testpack.Runs {
					results = append(results, result(fmt.Sprint("old", i), store.TestPassed))
				}
			}
			f.tested("o/a", results...)
		}
		_, err := f.s.Prune(f.Context(), everything, store.Policy{KeepPerSource: 4})
		f.ok(err)
		f.equal(len(f.past(everything, "o/a", "stays")), 4)
		_, err = f.s.Prune(f.Context(), everything, store.Policy{KeepPerSource: 1})
		f.ok(err)
		f.equal(len(f.past(everything, "o/a", "stays")), 1)
		for range testpack.Runs {
			f.tested("o/a", result("stays", store.TestPassed))
		}
		f.equal(len(f.past(everything, "o/a", "stays")), testpack.Runs+1)
		f.equal(f.names(everything, store.TestFilter{Like: fmt.Sprint("old", 2*testpack.PageTests)}), "")
	},
	"results count as bytes of the repository": func(f fixture) {
		r := f.start("o/a", "test")
		started, _, err := f.s.Usage(f.Context(), "o/a")
		f.ok(err)
		f.ok(f.s.AddTests(f.Context(), r.Attempt, []store.TestResult{result("a", store.TestPassed)}))
		after, _, err := f.s.Usage(f.Context(), "o/a")
		f.ok(err)
		if added := after.Bytes - started.Bytes; added < 64 || added > 200 {
			f.Errorf("%d bytes were added", added)
		}
	},
}
