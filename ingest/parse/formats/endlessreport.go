package formats

import (
	"encoding/xml"
	"fmt"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// A test runner that crashes may leave a report that is not complete, or whose counts have failures that it does not
// describe. The tests have then not passed, even if no test in the report failed.

// endlessReport returns the draft about a report of tests whose end is missing.
func endlessReport(text *parse.Text) parse.Draft {
	d := testDraft("", "the report of the tests is not complete: its end is missing")
	d.LogLine = text.Line(len(text.Data))
	return d
}

// addEndlessReport adds the draft about a report of tests whose end is missing. It does not read the tests of the
// report.
func addEndlessReport(s *parse.Scan, text *parse.Text) { s.Add(endlessReport(text)) }

// count adds the number of failures that a suite says to have. The number of an outer suite includes those of inner
// suites.
func (r *junitReport) count(suite xml.StartElement) {
	failures, _ := parse.Number(xmlAttr(suite, "failures"))
	errors, _ := parse.Number(xmlAttr(suite, "errors"))
	r.counted = max(r.counted, failures+errors)
}

// checkCounts adds a failure if the report counts failures, but describes none. A suite may have crashed outside of its
// tests.
func (r *junitReport) checkCounts() {
	if r.counted == 0 || r.told {
		return
	}
	d := parse.Draft{Event: store.Event{Test: r.suite, Category: store.CategoryTest,
		Message: fmt.Sprintf("the report counts %d failed tests, and describes no failure", r.counted)}}
	if r.counted == 1 {
		d.Message = "the report counts 1 failed test, and describes no failure"
	}
	d.LogLine = r.text.Line(0)
	r.drafts = append(r.drafts, d)
}
