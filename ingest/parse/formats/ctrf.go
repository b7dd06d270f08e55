package formats

import (
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// ctrfTest is a test of a report in the Common Test Report Format.
type ctrfTest struct {
	Name, Status, Message, Trace string
	FilePath, RawStatus          string
	Duration                     float64
	Line, Retries                int
	Flaky                        bool
	Suite                        json.RawMessage // a list of names; a single name before version 0.0.3
	RetryAttempts                []struct {
		Status, Message string
		Duration        float64
	}
}

// path returns the test's name below its suites.
func (t ctrfTest) path() string {
	var suites []string
	if json.Unmarshal(t.Suite, &suites) != nil {
		var one string
		if json.Unmarshal(t.Suite, &one) == nil && one != "" {
			suites = []string{one}
		}
	}
	suite := strings.Join(suites, " > ")
	if suite == "" || t.Name == suite || strings.HasPrefix(t.Name, suite+" ") { // names of Vitest include the suites
		return t.Name
	}
	return suite + " > " + t.Name
}

// readCTRF reads a report in the Common Test Report Format.
func readCTRF(s *parse.Scan, t *parse.Text) error {
	var report struct {
		Results *struct {
			Tool    struct{ Name string }
			Summary json.RawMessage
			Tests   []ctrfTest
		}
	}
	if err := json.Unmarshal(t.Data, &report); err != nil {
		return err
	}
	if report.Results == nil || report.Results.Tests == nil || report.Results.Summary == nil {
		return errors.New("not a CTRF report")
	}
	search := newSearch(t)
	for _, test := range report.Results.Tests {
		line := search.line(test.Name)
		test.tell(s)
		if jsOutcome(test.Status) != store.TestFailed {
			continue
		}
		d := testDraft(test.path(), firstLines(parse.StripEscapes(test.Message)))
		d.Tool, d.File, d.Line, d.LogLine = report.Results.Tool.Name, test.FilePath, test.Line, line
		if at, rest, ok := parse.PlaceAt(test.Trace); ok && d.File == "" && rest == "" { // an export of blq
			d.File, d.Line = at.File, at.Line
		}
		if d.Message == "" {
			d.Message = "test failed"
		}
		s.Add(d)
	}
	return nil
}

// tell reports the outcomes of the test's attempts. An attempt before the last counts as failed if the report has only
// the number of retries, or only says that the test is flaky.
func (t ctrfTest) tell(s *parse.Scan) {
	r := parse.Result{Name: t.path(), File: t.FilePath, Distinct: true}
	for _, a := range t.RetryAttempts {
		r.Outcome, r.Message, r.Duration = jsOutcome(a.Status), a.Message, duration(a.Duration, true, time.Millisecond)
		s.Test(r)
		r.Retry = true
	}
	before := t.Retries
	if t.Flaky {
		before = max(before, 1)
	}
	for range min(before, 100) - len(t.RetryAttempts) {
		r.Outcome, r.Message, r.Duration = store.TestFailed, t.Message, 0
		s.Test(r)
		r.Retry = true
	}
	r.Outcome, r.Message, r.Duration = jsOutcome(t.Status), t.Message, duration(t.Duration, true, time.Millisecond)
	switch {
	case t.RawStatus == "todo" || t.RawStatus == "pending":
		r.Outcome = store.TestSkipped
	case t.RawStatus == "error":
		r.Outcome = store.TestError
	case t.RawStatus == store.TestInfra.String():
		r.Outcome = store.TestInfra
	}
	s.Test(r)
}
