package parse_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// A later success of a test with the same name outweighs a failure only with proof: the runner says that it tried the
// test again, or the step passed.
func TestASuccessOfTheSameNameHidesNoFailure(t *testing.T) {
	t.Parallel()
	failed, passed := parse.Result{Name: "a", Outcome: store.TestFailed}, parse.Result{Name: "a"}
	retry, same, distinct, infra := passed, passed, passed, failed
	retry.Retry, same.Same, distinct.Distinct, infra.Message = true, true, true, "No space left on device"
	failedAgain, sameFailed, other, listed := failed, failed, failed, failed
	listed.Listed = true
	failedAgain.Retry, sameFailed.Same, other.Name = true, true, "a (2)"
	for _, tt := range []struct {
		name       string
		results    []parse.Result
		red, green []string
	}{
		{"unknown", []parse.Result{failed, passed}, []string{"a 1 failed", "a (2) 1 passed"},
			[]string{"a 1 failed", "a 2 passed"}},
		{"passed first", []parse.Result{passed, failed}, []string{"a 1 passed", "a (2) 1 failed"},
			[]string{"a 1 passed", "a (2) 1 failed"}},
		{"the name of the second is taken", []parse.Result{failed, passed, other},
			[]string{"a 1 failed", "a (3) 1 passed", "a (2) 1 failed"},
			[]string{"a 1 failed", "a 2 passed", "a (2) 1 failed"}},
		{"the runner tried again", []parse.Result{failed, failedAgain, retry},
			[]string{"a 1 failed", "a 2 failed", "a 3 passed"}, []string{"a 1 failed", "a 2 failed", "a 3 passed"}},
		{"tried again, then another", []parse.Result{failed, retry, distinct},
			[]string{"a 1 failed", "a 2 passed", "a (2) 1 passed"}, []string{"a 1 failed", "a 2 passed", "a (2) 1 passed"}},
		{"repeated", []parse.Result{failed, same, same}, []string{"a 1 passed", "a 2 passed", "a 3 failed"},
			[]string{"a 1 failed", "a 2 passed", "a 3 passed"}},
		{"repeated without a failure", []parse.Result{same, same}, []string{"a 1 passed", "a 2 passed"},
			[]string{"a 1 passed", "a 2 passed"}},
		{"repeated, failed in the end", []parse.Result{same, sameFailed}, []string{"a 1 passed", "a 2 failed"},
			[]string{"a 1 passed", "a 2 failed"}},
		{"known to be others", []parse.Result{failed, distinct}, []string{"a 1 failed", "a (2) 1 passed"},
			[]string{"a 1 failed", "a (2) 1 passed"}},
		{"the machine failed", []parse.Result{infra, passed}, []string{"a 1 infrastructure", "a (2) 1 passed"},
			[]string{"a 1 infrastructure", "a 2 passed"}},
		{"a list with a new failure", []parse.Result{passed, listed}, []string{"a 1 passed", "a (2) 1 failed"},
			[]string{"a 1 passed", "a (2) 1 failed"}},
		{"a list with a known failure", []parse.Result{failed, listed}, []string{"a 1 failed"}, []string{"a 1 failed"}},
	} {
		for ok, want := range map[bool][]string{false: tt.red, true: tt.green} {
			var tests parse.Tests
			for _, r := range tt.results {
				tests.Add(r)
			}
			var got []string
			for _, r := range tests.Results(ok) {
				got = append(got, fmt.Sprint(r.Test.Name, " ", r.Attempt, " ", r.Outcome))
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s, passed %v (-want +got):\n%s", tt.name, ok, diff)
			}
		}
	}
}

func TestAReportOfOneTestHidesNoFailureOfAnother(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		reported store.TestOutcome
		failed   int
	}{{store.TestPassed, 1}, {store.TestFailed, 1}} {
		var tests parse.Tests
		tests.Add(parse.Result{Name: "x.a", Outcome: store.TestFailed})
		tests.Report()
		tests.Add(parse.Result{Name: "y.a", Outcome: tt.reported})
		if s := store.SumTests(tests.Results(false)); s.Failed != tt.failed {
			t.Errorf("with a report that y.a %s: %+v", tt.reported, s)
		}
	}
}

func TestAFailureIsAnsweredOnlyByASuccess(t *testing.T) {
	t.Parallel()
	for _, outcome := range []store.TestOutcome{store.TestSkipped, store.TestInfra} {
		var tests parse.Tests
		tests.Add(parse.Result{Name: "a", Outcome: store.TestFailed})
		tests.Add(parse.Result{Name: "a", Outcome: outcome, Retry: true})
		if s := store.SumTests(tests.Results(false)); s.Failed != 1 {
			t.Errorf("failed, then %s: %+v", outcome, s)
		}
	}
}

// The test adds the max number of results, all with the same name. If the time grew with the square of the number of
// results, the test would not end.
func TestManyResultsOfOneName(t *testing.T) {
	t.Parallel()
	for _, r := range []parse.Result{{Name: "a"}, {Name: "a", Distinct: true}, {Name: "a", Outcome: store.TestFailed}} {
		var tests parse.Tests
		for range store.MaxTestResults {
			tests.Add(r)
		}
		names := map[string]bool{}
		for _, r := range tests.Results(false) {
			names[r.Test.Name] = true
		}
		if want := map[bool]int{false: store.MaxTestResults, true: 1000}[r.Outcome.Failed()]; len(names) != want {
			t.Errorf("%+v: %d tests, want %d", r, len(names), want)
		}
	}
}

// A test may break connections to a server of its own. Only a broken connection to another host is a failure of the
// infrastructure.
func TestABrokenConnectionNamesAHost(t *testing.T) {
	t.Parallel()
	for message, infra := range map[string]int{
		"read tcp 127.0.0.1:40412->127.0.0.1:8080: read: connection reset by peer": 0,
		"read: connection reset by peer (conn_test.go:80)":                         0,
		"GET http://localhost:3000/health: 503 Service Unavailable":                0,
		"request to https://packages.example.com/left-pad failed: read ECONNRESET": 1,
		"dial tcp 140.82.112.3:443: i/o timeout: Connection timed out":             1,
		"git clone: proxy.example.com:443: Connection reset by peer":               1,
		"write /tmp/x: no space left on device":                                    1,
	} {
		var tests parse.Tests
		tests.Add(parse.Result{Name: "a", Outcome: store.TestFailed, Message: message})
		if s := store.SumTests(tests.Results(false)); s.Infra != infra {
			t.Errorf("%s: %d failures of infrastructure, want %d", message, s.Infra, infra)
		}
	}
}
