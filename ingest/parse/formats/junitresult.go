package formats

import (
	"encoding/xml"
	"strconv"
	"strings"
	"time"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// junitStatus returns TestSkipped if the attributes of a test case say that it did not run, and TestPassed otherwise.
// Only some runners write such attributes.
func junitStatus(el xml.StartElement) store.TestOutcome {
	for _, name := range [...]string{"status", "result"} {
		switch strings.ToLower(xmlAttr(el, name)) {
		case "notrun", "disabled", "skipped", "suppressed", "ignored":
			return store.TestSkipped
		}
	}
	return store.TestPassed
}

// attempt returns the result of a failed attempt of the open test case.
func (r *junitReport) attempt(el xml.StartElement, message string) parse.Result {
	t := parse.Result{Outcome: store.TestFailed, Message: message, Duration: seconds(xmlAttr(el, "time"))}
	if strings.HasSuffix(strings.ToLower(el.Name.Local), "error") {
		t.Outcome = store.TestError
	}
	if strings.HasPrefix(xmlAttr(el, "message"), "failed on teardown with ") { // pytest reports the teardown of a test
		t.After = true
	}
	if xmlAttr(el, "type") == store.TestInfra.String() { // an export of blq
		t.Outcome = store.TestInfra
	}
	return t
}

// end ends a suite or a test case. If a test case has failed attempts but no failure element, it passed in the end.
func (r *junitReport) end(name string) {
	switch {
	case (name == "testsuite" || name == "testsuites") && len(r.files) > 0:
		r.files = r.files[:len(r.files)-1]
	case name == "testcase":
		file := r.c.file
		for i := len(r.files) - 1; file == "" && i >= 0; i-- {
			file = r.files[i]
		}
		id := testID{r.c.class, r.c.name, file}
		// blq stores a failure in the teardown of a test as a test of its own, with " (2)" after the name. So a report
		// that blq exported has two separate tests.
		if base, ok := strings.CutSuffix(id.name, " (2)"); ok && len(r.attempts) > 0 {
			if _, isKnown := r.tests[testID{id.class, base, file}]; isKnown {
				r.attempts[0].After = false
			}
		}
		if !r.c.failed || r.attempts[0].After && id != r.newest {
			r.attempts = append(r.attempts, parse.Result{Outcome: r.c.outcome})
		}
		if last := len(r.attempts) - 1; r.c.failed && r.attempts[0].After { // the test comes before its teardown
			r.attempts[0], r.attempts[last] = r.attempts[last], r.attempts[0]
		}
		isApart := r.isApart(id)
		for i, t := range r.attempts {
			t.Name, t.File, t.Retry, t.Distinct = junitName(r.c, r.suite), file, i > 0 && !t.After, isApart
			if last := len(r.attempts) - 1; t.Duration == 0 && (i == last && !r.c.failed || i == 0 && r.c.failed) {
				t.Duration = r.c.took
			}
			r.results = append(r.results, t)
		}
		r.c, r.attempts = junitCase{}, nil
	}
}

// isApart reports whether the test is another test with the name of an earlier test, and not a further attempt of that
// test. Node.js never retries, and writes the same class for all tests. Playwright has a suite for each of its
// projects, and writes the project as the host of the suite.
func (r *junitReport) isApart(id testID) bool {
	if r.tests == nil {
		r.tests = map[testID]junitSuite{}
	}
	before, isKnown := r.tests[id]
	if !isKnown {
		r.tests[id] = r.in
	}
	r.newest = id
	return isKnown && (id.class == "test" || before.host != r.in.host && before.time == r.in.time)
}

// seconds reads a number of seconds. It returns 0 if text is not a number.
func seconds(text string) time.Duration {
	n, err := strconv.ParseFloat(strings.ReplaceAll(text, ",", ""), 64)
	return duration(n, err == nil, time.Second)
}

// duration returns n units of time. It returns 0 if ok is false, or if n is negative or too large.
func duration(n float64, ok bool, unit time.Duration) time.Duration {
	if !ok || !(n > 0 && n < 1e8) {
		return 0
	}
	return time.Duration(n * float64(unit))
}
