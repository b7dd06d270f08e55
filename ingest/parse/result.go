package parse

import (
	"strconv"
	"strings"
	"time"

	"github.com/blq-ci/blq/store"
)

// Result is the outcome of one attempt of a test, as a test runner reports it.
type Result struct {
	Name     string
	File     string // "" if the runner does not say
	Outcome  store.TestOutcome
	Duration time.Duration // 0 if it is not known
	Message  string        // why it failed
	// Retry marks the result of a further attempt of the test with this name. Without Retry, a result after a failed
	// attempt is a further attempt, too. A result after a passed attempt belongs to another test with the same name.
	Retry bool
	// After marks a result that may come from code that runs after the test, such as its teardown. Runners count such a
	// result separately. So if the test already has an outcome other than an error, the result counts as a test of its
	// own.
	After bool
	// Distinct is set if several programs have a test with this name.
	Distinct bool
	// Listed marks a result from a list that may repeat earlier results. The result is dropped if the same kind of
	// source already has a result of the test.
	Listed bool

	document int // number of the document that has the result, 0 for a line of text
}

// Test reports the outcome of a test, if the caller of the parser wants outcomes.
func (s *Scan) Test(r Result) {
	if s.tests == nil || r.Name == "" || s.inner {
		return
	}
	if r.File != "" {
		r.File = s.paths.clean(r.File, "")
	}
	r.document = s.document
	s.tests(r)
}

// outcomes offers a line to the formats that read test outcomes. It is called before the open block sees the line.
func (s *Scan) outcomes(l Line, m *mask) {
	for i := range s.formats {
		if s.formats[i].Outcomes == nil || !m.has(i) {
			continue
		}
		if s.cur.outcomes[i] == nil {
			s.cur.outcomes[i] = s.formats[i].Outcomes()
		}
		s.cur.outcomes[i](s, l)
	}
}

// finishOutcomes tells the readers of outcomes that the log has ended. It sends them the zero Line.
func (s *Scan) finishOutcomes() {
	for _, lane := range s.lanes {
		for _, read := range lane.outcomes {
			if read != nil {
				read(s, Line{})
			}
		}
	}
}

// Tests collects the test results of a run. The zero value is empty.
type Tests struct {
	results []store.TestResult
	from    []int // the document of each result
	tests   map[testKey]*tested
	short   map[string]int // best source so far of each short test name: 1 lines, 2 documents, 3 reports
	report  int            // number of the current report, 0 for the log
	Cut     bool           // there were more than store.MaxTestResults
}

type testKey struct{ name, file string }

// tested is a test that has results.
type tested struct {
	at     []int // indexes of the results
	short  string
	source int
}

// Report marks the beginning of another report. All following results come from this report, and not from the log.
func (t *Tests) Report() { t.report++ }

// reportDocuments is larger than the number of documents in any log.
const reportDocuments = 1 << 40

// Add adds a result. If there are store.MaxTestResults already, it sets Cut instead.
func (t *Tests) Add(r Result) {
	if len(t.results) >= store.MaxTestResults {
		t.Cut = true
		return
	}
	if t.tests == nil {
		t.tests, t.short = map[testKey]*tested{}, map[string]int{}
	}
	source := 1
	switch {
	case t.report > 0:
		source, r.document = 3, t.report*reportDocuments+r.document
	case r.document > 0:
		source = 2
	}
	name := cutName(r.Name)
	t.short[ShortTest(name)] = max(t.short[ShortTest(name)], source)
	result := store.TestResult{Test: store.Test{Name: name, File: cutName(r.File)}, Outcome: r.Outcome, Attempt: 1,
		Duration: r.Duration}
	if r.Outcome.Failed() && infrastructureFailed(r.Message) {
		result.Outcome = store.TestInfra
	}
	t.place(r, result, source)
}

// place adds a result to the results of its test.
func (t *Tests) place(r Result, result store.TestResult, source int) {
	name := result.Test.Name
	for n := 2; ; n++ {
		key := testKey{result.Test.Name, result.Test.File}
		known := t.tests[key]
		if known == nil {
			known = &tested{source: source, short: ShortTest(name)}
			t.tests[key] = known
		}
		last := len(known.at) - 1
		isApart := last >= 0 && known.source == source && isApart(r, t.results[known.at[last]].Outcome)
		if !isApart && last >= 0 && (r.Listed && known.source == source || t.repeats(known, r, result)) {
			return
		}
		if !isApart && (last < 0 || r.Retry || !r.Distinct && t.mayRetry(t.results[known.at[last]].Outcome)) {
			result.Attempt = len(known.at) + 1
			known.at = append(known.at, len(t.results))
			t.results, t.from = append(t.results, result), append(t.from, r.document)
			return
		}
		result.Test.Name = name + " (" + strconv.Itoa(n) + ")"
	}
}

// isApart reports whether a result counts as a test of its own, and not as another attempt of the test with the same
// name. before is the outcome of the earlier result. A list has errors before failures. If a test has both, its error
// comes from its teardown.
func isApart(r Result, before store.TestOutcome) bool {
	if r.Listed && !r.After && before == store.TestError && r.Outcome == store.TestFailed {
		return true
	}
	return r.After && before != store.TestError
}

// mayRetry reports whether a runner may retry a test with this outcome.
func (t *Tests) mayRetry(o store.TestOutcome) bool { return o.Failed() || o == store.TestInfra }

// repeats reports whether another document of the log already has this result of the test.
func (t *Tests) repeats(known *tested, r Result, result store.TestResult) bool {
	if r.document == 0 || r.Distinct {
		return false
	}
	for _, i := range known.at {
		old := t.results[i]
		if t.from[i] != r.document && old.Outcome == result.Outcome && old.Duration == result.Duration && old.Duration > 0 {
			return true
		}
	}
	return false
}

// maxAttempts is the max number of attempts kept for a test.
const maxAttempts = 1000

// Results returns the results. The attempts of a test are next to each other. If a better source has a test, the
// results of a worse source do not count. Reports are better than documents in the log, and documents are better than
// lines.
func (t *Tests) Results() []store.TestResult {
	list := make([]store.TestResult, 0, len(t.results))
	for i, r := range t.results {
		known := t.tests[testKey{r.Test.Name, r.Test.File}]
		if i != known.at[0] || known.source < t.short[known.short] {
			continue
		}
		for _, at := range known.at[:min(len(known.at), maxAttempts)] {
			list = append(list, t.results[at])
		}
	}
	return list
}

// ShortTest returns the last part of a test's name. Logs and reports have this part in common.
func ShortTest(name string) string {
	if i := strings.LastIndexAny(name, ":./> "); i >= 0 && i < len(name)-1 && !strings.Contains(name, "[") {
		return name[i+1:]
	}
	return name
}

// cutName returns a name in the form that stores keep.
func cutName(name string) string {
	name = strings.ToValidUTF8(strings.TrimSpace(name), "\uFFFD")
	if len(name) > store.MaxTestName {
		name = strings.ToValidUTF8(name[:store.MaxTestName-8], "") + "…"
	}
	return name
}

// infrastructureFailed reports whether the message of a failure says that the machine or the network failed. It returns
// false for an assertion with such words, because then the test failed.
func infrastructureFailed(message string) bool {
	if len(message) > MaxText {
		message = message[:MaxText]
	}
	if strings.Contains(message, "ssert") || strings.Contains(message, "xpected") {
		return false
	}
	for _, words := range infrastructure {
		if strings.Contains(message, words) {
			return true
		}
	}
	return false
}

var infrastructure = [...]string{
	"No space left on device", "no space left on device", "ENOSPC", "Disk quota exceeded", "disk quota exceeded",
	"Read-only file system", "read-only file system", "Input/output error", "There is not enough space on the disk",
	"Temporary failure in name resolution", "EAI_AGAIN", "Could not resolve host", "Name or service not known",
	"no such host", "Network is unreachable", "network is unreachable", "ENETUNREACH", "No route to host", "EHOSTUNREACH",
	"Connection reset by peer", "connection reset by peer", "ECONNRESET", "Connection timed out", "ETIMEDOUT",
	"TLS handshake timeout", "502 Bad Gateway", "503 Service Unavailable", "504 Gateway",
	"received a shutdown signal", "lost communication with the server", "The operation was canceled.",
}
