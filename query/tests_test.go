package query_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/querytest"
	"github.com/blq-ci/blq/store"
)

// results returns the results of tests from a text. "a+ b- b+ c?" means: a passed, b failed and then passed, c was
// skipped. "!" means that the machine failed. The first result takes a millisecond, and each further one takes a
// millisecond more.
func results(text string) []store.TestResult {
	outcomes := map[byte]store.TestOutcome{'+': store.TestPassed, '-': store.TestFailed, '?': store.TestSkipped,
		'!': store.TestInfra}
	var list []store.TestResult
	for i, word := range strings.Fields(text) {
		r := store.TestResult{Test: store.Test{Name: word[:len(word)-1], File: "t.py"}, Outcome: outcomes[word[len(word)-1]],
			Attempt: 1, Duration: time.Duration(i+1) * time.Millisecond}
		if i > 0 && list[i-1].Test == r.Test {
			r.Attempt = list[i-1].Attempt + 1
		}
		list = append(list, r)
	}
	return list
}

// testsOf asks about tests, and returns the answer in brief.
func testsOf(t *testing.T, f *querytest.Fixture, p query.TestsParams) string {
	t.Helper()
	answer, err := f.Asker.Tests(t.Context(), p)
	querytest.Check(t, err)
	var b strings.Builder
	for _, test := range answer.Tests {
		fmt.Fprintf(&b, "%s %s%s %s", test.Test, test.Outcome, test.Change, test.Run)
		if n := test.Passed + test.Failed + test.Skipped; n > 0 {
			fmt.Fprintf(&b, " +%d-%d?%d", test.Passed, test.Failed, test.Skipped)
		}
		b.WriteString("\n")
	}
	for _, r := range answer.Runs {
		fmt.Fprintf(&b, "%s %s %d %v\n", r.Run, r.Outcome, r.Tries, r.Flaky)
	}
	c := answer.Counts
	fmt.Fprintf(&b, "+%d-%d?%d!%d of %d\n", c.Passed, c.Failed, c.Skipped, c.Infra, answer.Looked)
	return b.String()
}

// Tests are shown and compared for the step unit, and for the step other, whose baseline has no results of tests.
func TestTestsAreShown(t *testing.T) {
	t.Parallel()
	f := &querytest.Fixture{Asker: querytest.NewAsker(t, t.TempDir())}
	for i, r := range []querytest.Run{
		{Source: "unit", Exit: 1, Tests: results("a- b+ never?")},
		{Source: "other", Exit: 0},
		{Source: "unit", Exit: 1, Tests: results("a+ b- never?")},
		{Source: "unit", Exit: 1, Tests: results("a- b- c- c+ never?")},
		{Source: "other", Exit: 1, Tests: results("x- net!")},
	} {
		r.At = 10 * (i + 1)
		r.Git = &store.Git{Commit: fmt.Sprintf("%040d", i/3), Branch: "main"}
		f.Add(t, r)
	}
	for name, tt := range map[string]struct {
		p    query.TestsParams
		want string
	}{
		"failing": {query.TestsParams{}, "x failed other:5\na failed unit:4\nb failed unit:4\n+1-3?1!1 of 2\n"},
		"by name": {query.TestsParams{Test: "x"}, "x failed other:5\n+1-3?1!1 of 2\n"},
		"slowest": {query.TestsParams{Show: query.TestsSlowest, Source: "unit", Limit: 2},
			"c passed unit:4\nnever skipped unit:4\n+1-2?1!0 of 1\n"},
		"changed": {query.TestsParams{Show: query.TestsChanged, Baseline: "unit:1", Source: "unit"},
			"b failednewly_failing unit:4\n+1-2?1!0 of 1\n"},
		// The baseline of other has no results. That does not hide changes of unit.
		"changed in all steps": {query.TestsParams{Show: query.TestsChanged},
			"a failednewly_failing unit:4\n+1-3?1!1 of 2\n"},
		"never run": {query.TestsParams{Show: query.TestsNever}, "never skipped unit:4 +0-0?3\n+1-3?1!1 of 4\n"},
		"flaky": {query.TestsParams{Show: query.TestsFlaky},
			"a passed unit:3 +1-1?0\nb failed unit:3 +1-1?0\nc passed unit:4 +1-1?0\n+1-3?1!1 of 4\n"},
		"history": {query.TestsParams{Show: query.TestsHistory, Test: "b"},
			"b failed  +1-2?0\nunit:4 failed 0 false\nunit:3 failed 0 true\nunit:1 passed 0 true\n+1-2?0!0 of 3\n"},
	} {
		if got := testsOf(t, f, tt.p); got != tt.want {
			t.Errorf("%s:\n%swant\n%s", name, got, tt.want)
		}
	}
	for _, p := range []query.TestsParams{{Source: "unti"}, {Show: query.TestsHistory, Test: "b", Source: "unti"},
		{Show: query.TestsHistory, Test: "x", Source: "unit"}} {
		if _, err := f.Asker.Tests(t.Context(), p); store.CodeOf(err) != store.NotFound {
			t.Errorf("%+v: %v", p, err)
		}
	}
	for _, p := range []query.TestsParams{{Show: "sideways"}, {Show: query.TestsHistory}} {
		if _, err := f.Asker.Tests(t.Context(), p); store.CodeOf(err) != store.Invalid {
			t.Errorf("%+v: %v", p, err)
		}
	}
	if _, err := f.Asker.Tests(t.Context(), query.TestsParams{Show: query.TestsHistory, Test: "zzz"}); store.CodeOf(
		err) != store.NotFound {
		t.Errorf("no such test: %v", err)
	}
}

// A history has only the runs of the source and branch that are asked for. A run with several matching tests counts
// once.
func TestTheHistoryOfATestOnABranch(t *testing.T) {
	t.Parallel()
	f := querytest.New(t)
	for i, r := range []querytest.Run{
		{Source: "unit", Git: &store.Git{Branch: "main"}, Tests: results("one+ two+")},
		{Source: "unit", Git: &store.Git{Branch: "topic"}, Tests: results("one- two+")},
		{Source: "other", Git: &store.Git{Branch: "main"}, Tests: results("one+")},
		{Source: "unit", Git: &store.Git{Branch: "main"}, Tests: results("one- two+")},
	} {
		r.At = 50 + i
		f.Add(t, r)
	}
	p := query.TestsParams{Show: query.TestsHistory, Test: "one"}
	for name, tt := range map[string]struct {
		source, branch, test string
		limit                int
		want, note           string
	}{
		"all":      {"", "", "one", 9, "4 runs: +2-2, 1 test, 4 listed", ""},
		"branch":   {"", "topic", "one", 9, "1 runs: +0-1, 1 test, 1 listed", ""},
		"source":   {"other", "", "one", 9, "1 runs: +1-0, 1 test, 1 listed", ""},
		"both":     {"unit", "main", "one", 9, "2 runs: +1-1, 1 test, 2 listed", ""},
		"some":     {"", "", "one", 3, "4 runs: +2-2, 1 test, 3 listed", "the newest 3 of 4 runs are listed"},
		"two":      {"unit", "", "o", 9, "3 runs: +4-2, 2 test, 0 listed", "the runs of one test are listed if"},
		"only one": {"other", "", "o", 9, "1 runs: +1-0, 1 test, 1 listed", ""},
	} {
		p.Source, p.Branch, p.Test, p.Limit = tt.source, tt.branch, tt.test, tt.limit
		got, err := f.Asker.Tests(t.Context(), p)
		querytest.Check(t, err)
		text := fmt.Sprintf("%d runs: +%d-%d, %d test, %d listed", got.Looked, got.Counts.Passed, got.Counts.Failed,
			len(got.Tests), len(got.Runs))
		if text != tt.want || !strings.HasPrefix(got.Note, tt.note) || tt.note == "" && got.Note != "" {
			t.Errorf("%s: %s %q, want %s", name, text, got.Note, tt.want)
		}
	}
}

// A job that ran again proves that its test is flaky. Two jobs of one name in one attempt of a workflow prove nothing,
// because they may be different jobs.
func TestJobsOfOneNameAreNoRepetition(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		attempt int
		want    string
	}{
		"again":    {2, "a passed unit:2 +1-1?0\n+1-0?0!0 of 2\n"},
		"together": {1, "+1-0?0!0 of 2\n"},
	} {
		f := &querytest.Fixture{Asker: querytest.NewAsker(t, t.TempDir())}
		for i, r := range []querytest.Run{{Exit: 1, Tests: results("a-")}, {Exit: 0, Tests: results("a+")}} {
			r.Source, r.At, r.Git = "unit", 10*(i+1), &store.Git{Commit: strings.Repeat("a", 40), Branch: "main"}
			r.CI = &store.CI{Provider: "github", Job: "test", RunID: "7", RunAttempt: 1, CheckRunID: fmt.Sprint(i + 1)}
			if i == 1 {
				r.CI.RunAttempt = tt.attempt
			}
			f.Add(t, r)
		}
		if got := testsOf(t, f, query.TestsParams{Show: query.TestsFlaky}); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}
