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
		if !r.c.failed {
			r.attempts = append(r.attempts, parse.Result{Outcome: r.c.outcome})
		}
		file := r.c.file
		for i := len(r.files) - 1; file == "" && i >= 0; i-- {
			file = r.files[i]
		}
		for i, t := range r.attempts {
			t.Name, t.File, t.Retry = junitName(r.c, r.suite), file, i > 0
			if last := len(r.attempts) - 1; t.Duration == 0 && (i == last && !r.c.failed || i == 0 && r.c.failed) {
				t.Duration = r.c.took
			}
			r.results = append(r.results, t)
		}
		r.c, r.attempts = junitCase{}, nil
	}
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
