package parse

import (
	"slices"
	"strconv"
	"strings"

	"github.com/blq-ci/blq/store"
)

// Tests collects the test results of a run. The zero value is empty.
type Tests struct {
	results []store.TestResult
	notes   []resultNote
	tests   map[testKey]*tested
	short   map[string]bestSource
	report  int  // number of the current report, 0 for the log
	Cut     bool // there were more than store.MaxTestResults
}

// resultNote holds facts about a result that store.TestResult does not have.
type resultNote struct {
	document    int
	retry, same bool // as in Result
}

// bestSource describes the best source so far for the tests that share a short name.
type bestSource struct {
	source int  // 1 lines, 2 documents, 3 reports
	failed bool // the test has a failure
}

type testKey struct{ name, file string }

// tested is a test with its results.
type tested struct {
	at     []int // indexes of the results
	short  string
	source int
	next   int // next number for a test with the same name, 0 if no number was used yet
}

// Report marks the beginning of another report. All following results come from this report, and not from the log.
func (t *Tests) Report() { t.report++ }

// reportDocuments is larger than the number of documents in any log. So the numbers of documents in reports differ from
// the numbers of documents in a log.
const reportDocuments = 1 << 40

// Add adds a result. If there are store.MaxTestResults already, it sets Cut instead.
func (t *Tests) Add(r Result) {
	if len(t.results) >= store.MaxTestResults {
		t.Cut = true
		return
	}
	if t.tests == nil {
		t.tests, t.short = map[testKey]*tested{}, map[string]bestSource{}
	}
	source := 1
	switch {
	case t.report > 0:
		source, r.document = 3, t.report*reportDocuments+r.document
	case r.document > 0:
		source = 2
	}
	name := cutName(r.Name)
	result := store.TestResult{Test: store.Test{Name: name, File: cutName(r.File)}, Outcome: r.Outcome, Attempt: 1,
		Duration: r.Duration}
	if r.Outcome.Failed() && infrastructureFailed(r.Message) {
		result.Outcome = store.TestInfra
	}
	if best := t.short[ShortTest(name)]; source >= best.source {
		t.short[ShortTest(name)] = bestSource{source, t.mayRetry(result.Outcome) || source == best.source && best.failed}
	}
	t.place(r, result, source)
}

// place adds a result to the results of its test. If the result belongs to another test with the same
// name, place adds a number to the name.
func (t *Tests) place(r Result, result store.TestResult, source int) {
	name := result.Test.Name
	var first *tested
	for n := 2; ; n++ {
		key := testKey{result.Test.Name, result.Test.File}
		known := t.tests[key]
		if known == nil {
			known = &tested{source: source, short: ShortTest(name)}
			t.tests[key] = known
		}
		if first == nil {
			first = known
		}
		last := len(known.at) - 1
		isApart := last >= 0 && known.source == source && isApart(r, t.results[known.at[last]].Outcome)
		if !isApart && last >= 0 && (r.Listed && known.source == source && t.lists(known, result) ||
			t.repeats(known, r, result)) {
			return
		}
		if !isApart && (last < 0 || r.Retry || r.Same || !r.Distinct && t.mayRetry(t.results[known.at[last]].Outcome)) {
			result.Attempt = len(known.at) + 1
			known.at = append(known.at, len(t.results))
			t.results, t.notes = append(t.results, result), append(t.notes, resultNote{r.document, r.Retry, r.Same})
			return
		}
		if n >= maxNamesakes {
			n = max(n, first.next)
			first.next = n + 1
		}
		result.Test.Name = numbered(name, n)
	}
}

// maxNamesakes is the max number of tests with the same name that the method place searches for the test of a result.
// Without this limit, the cost of many results with one name would grow with the square of their number.
const maxNamesakes = 100

// numbered returns the name of the nth test with the same name.
func numbered(name string, n int) string { return name + " (" + strconv.Itoa(n) + ")" }

// isApart reports whether a result counts as a test of its own, and not as another attempt of the test with the same
// name. previous is the outcome of the earlier result. Lists have errors before failures. So if a list has both for
// a test, the error comes from the teardown of the test.
func isApart(r Result, previous store.TestOutcome) bool {
	if r.Listed && !r.After && previous == store.TestError && r.Outcome == store.TestFailed {
		return true
	}
	return r.After && previous != store.TestError
}

// mayRetry reports whether a runner may retry a test with this outcome.
func (t *Tests) mayRetry(o store.TestOutcome) bool { return o.Failed() || o == store.TestInfra }

// lists reports whether a result from a list repeats an earlier result of the test. A failure that the
// test does not have yet is no repetition, because it comes from another run of the tests.
func (t *Tests) lists(known *tested, result store.TestResult) bool {
	return !t.mayRetry(result.Outcome) ||
		slices.ContainsFunc(known.at, func(i int) bool { return t.results[i].Outcome == result.Outcome })
}

// repeats reports whether the test already has the same result, with the same duration, from elsewhere in the log or
// from a report. A result from a single line of the log repeats nothing.
func (t *Tests) repeats(known *tested, r Result, result store.TestResult) bool {
	if r.document == 0 || r.Distinct {
		return false
	}
	for _, i := range known.at {
		old := t.results[i]
		if t.notes[i].document != r.document && old.Outcome == result.Outcome && old.Duration == result.Duration &&
			old.Duration > 0 {
			return true
		}
	}
	return false
}

// maxAttempts is the max number of attempts kept for a test.
const maxAttempts = 1000

// Results returns the results, with the attempts of a test next to each other. Reports are better than documents in the
// log, and documents are better than lines. If a better source has a test, the results of a worse source do not count,
// except a failure that the better source does not have.
//
// The parameter passed reports whether the step is known to have passed. If it has, all results with one name are
// attempts of one test. Otherwise, results are attempts of one test only if the runner says so (see Result.Retry and
// Result.Same). Without a Retry, a failure counts more than a success, so it becomes the last attempt.
func (t *Tests) Results(passed bool) []store.TestResult {
	list := make([]store.TestResult, 0, len(t.results))
	for i, r := range t.results {
		known := t.tests[testKey{r.Test.Name, r.Test.File}]
		if i != known.at[0] || t.hasBetter(known) {
			continue
		}
		attempts := known.at[:min(len(known.at), maxAttempts)]
		if passed {
			list = t.attempts(list, r.Test, attempts)
			continue
		}
		test, first := r.Test, 0
		for n, at := range attempts {
			if note := t.notes[at]; n > 0 && !note.retry && !note.same {
				list = t.attempts(list, test, t.failureLast(attempts[first:n]))
				test, first = t.another(r.Test), n
			}
		}
		list = t.attempts(list, test, t.failureLast(attempts[first:]))
	}
	return list
}

// hasBetter reports whether a better source also has the test. Then the results of the worse source are dropped. It
// compares only short names, because one source may print a longer name than another. A failed test is dropped only if
// the better source has a failure with the same short name.
func (t *Tests) hasBetter(known *tested) bool {
	best, last := t.short[known.short], t.results[known.at[len(known.at)-1]].Outcome
	return known.source < best.source && (best.failed || !t.mayRetry(last))
}

// attempts appends the attempts of a test to a list of results.
func (t *Tests) attempts(list []store.TestResult, test store.Test, attempts []int) []store.TestResult {
	for n, at := range attempts {
		r := t.results[at]
		r.Test, r.Attempt = test, n+1
		list = append(list, r)
	}
	return list
}

// failureLast moves the last failure of a test behind its other attempts, unless a later attempt is a retry.
func (t *Tests) failureLast(attempts []int) []int {
	for n := len(attempts) - 1; n >= 0; n-- {
		if t.results[attempts[n]].Outcome.Failed() {
			return slices.Concat(attempts[:n], attempts[n+1:], attempts[n:n+1])
		}
		if t.notes[attempts[n]].retry {
			break
		}
	}
	return attempts
}

// another returns a test with the name of the given test and a number. No other test has this name and
// number.
func (t *Tests) another(test store.Test) store.Test {
	first := t.tests[testKey{test.Name, test.File}]
	for n := max(2, first.next); ; n++ {
		key := testKey{numbered(test.Name, n), test.File}
		if t.tests[key] == nil {
			t.tests[key], first.next = &tested{}, n+1
			test.Name = key.name
			return test
		}
	}
}

// ShortTest returns the last part of a test's name, which logs and reports have in common. It returns a name with a
// bracket as it is.
func ShortTest(name string) string {
	if i := strings.LastIndexAny(name, ":./> "); i >= 0 && i < len(name)-1 && !strings.Contains(name, "[") {
		return name[i+1:]
	}
	return name
}

// cutName returns a name as valid UTF-8, shortened to the max length that stores keep.
func cutName(name string) string {
	name = strings.ToValidUTF8(strings.TrimSpace(name), "\uFFFD")
	if len(name) > store.MaxTestName {
		name = strings.ToValidUTF8(name[:store.MaxTestName-8], "") + "…"
	}
	return name
}
