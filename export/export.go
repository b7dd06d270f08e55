// Package export writes a run in standard forms of other tools: JUnit XML, CTRF, SARIF, Checkstyle, rdjson and OTLP. It
// imports query and store, and ingest/parse for the short names of tests.
//
// A document is written in parts. Each part has at most one page of events and one page of tests. So the memory does
// not grow with the size of the run. A service can answer each part with a separate request. Params.Next holds the
// state that a part needs from the part before it.
package export

import (
	"bytes"
	"context"
	"fmt"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

// Form is the form of a document.
type Form string

// These are the forms of documents that this package writes.
const (
	JUnit      Form = "junit"
	SARIF      Form = "sarif"
	CTRF       Form = "ctrf"
	Checkstyle Form = "checkstyle"
	RDJSON     Form = "rdjson"
	RDJSONL    Form = "rdjsonl"
	OTLP       Form = "otlp"
)

// Params select a part of a document.
type Params struct {
	Form     Form   `json:"form" jsonschema:"the form" enum:"junit,sarif,ctrf,checkstyle,rdjson,rdjsonl,otlp"`
	Ref      string `json:"ref,omitempty" kind:"ref" jsonschema:"the run"` // "" means the newest run
	Baseline string `json:"baseline,omitempty" kind:"ref" jsonschema:"for sarif: a run, branch or commit"`
	// Next continues a document. It is the value of Part.Next in the part before. If Next is set, Ref must be the
	// Attempt of that part.
	Next string `json:"next,omitempty" jsonschema:"of the part before"`
}

// Part is a part of a document. The document is the text of all parts, joined in order.
type Part struct {
	Attempt   string `json:"attempt_id"` // value of Ref for the next part
	MediaType string `json:"media_type"`
	Text      string `json:"text"`
	Next      string `json:"next,omitempty"` // value of Params.Next for the next part, "" if this is the last part
	Note      string `json:"note,omitempty"` // values that the form cannot express; set only in the first part
}

// writer holds the functions that write the sections of a form. A section without a function is not written.
type writer struct {
	media  string
	head   func(*document)
	events func(*document, []store.Event) // writes events; nil for a form that has only tests
	bare   bool                           // the form says nothing about the run, so a failed run needs an event
	middle func(*document)                // called between events and tests
	tests  func(*document, []testCase)    // writes tests; nil for a form that has only events
	foot   func(*document)
}

var writers = map[Form]writer{
	JUnit: {media: "application/xml", head: junitHead, tests: junitTests, foot: junitFoot},
	SARIF: {media: "application/sarif+json", head: sarifHead, events: sarifEvents, foot: sarifFoot},
	CTRF:  {media: "application/json", head: ctrfHead, tests: ctrfTests, foot: ctrfFoot},
	Checkstyle: {media: "application/xml", head: checkstyleHead, events: checkstyleEvents, bare: true,
		foot: checkstyleFoot},
	RDJSON:  {media: "application/json", head: rdjsonHead, events: rdjsonEvents, bare: true, foot: rdjsonFoot},
	RDJSONL: {media: "application/x-ndjson", events: rdjsonlEvents, bare: true},
	OTLP: {media: "application/json", head: otlpHead, events: otlpEvents, middle: otlpMiddle, tests: otlpTests,
		foot: otlpFoot},
}

// document is the part of a document that is being written.
type document struct {
	bytes.Buffer
	asker *query.Asker
	run   store.Run
	sum   store.TestSum // counts of the run's tests
	broke int           // number of failed tests that ended with an error; known only for the first part
	known bool          // results of tests are stored; otherwise only events show failed tests
	other bool          // the run failed without a failed test, so the document gets a test case for the run
	tool  string        // name of the test runner, "" if it is unknown
	fresh map[int]bool  // whether an event is new, by event number; nil without a baseline
	since store.Baseline
	at    cursor
}

// Write returns a part of a document. Invalid: the form is unknown, or Next is no value of Part.Next. NotFound: there
// is no such run. Conflict: the run is still running.
func Write(ctx context.Context, a *query.Asker, p Params) (Part, error) {
	w, known := writers[p.Form]
	if !known {
		return Part{}, store.Hint(store.Errorf(store.Invalid, "no form is called %.40q", string(p.Form)),
			"the forms are junit, sarif, ctrf, checkstyle, rdjson, rdjsonl and otlp")
	}
	d := &document{asker: a}
	var err error
	if d.at, err = parseCursor(p.Next); err != nil {
		return Part{}, err
	}
	if d.run, err = a.RunAt(ctx, query.At{}, p.Ref); err != nil {
		return Part{}, err
	}
	if d.run.State == store.StateRunning {
		return Part{}, store.Next(store.Errorf(store.Conflict, "%s has not ended: its document would change",
			d.run.Ref()), store.NewCall("info", "waits for its end", "ref", d.run.Ref(), "wait", query.MaxWait))
	}
	if err := d.prepare(ctx, p, w); err != nil {
		return Part{}, err
	}
	part := Part{Attempt: d.run.Attempt, MediaType: w.media}
	if d.at.phase == phaseHead {
		part.Note = d.note(w)
	}
	if err := d.write(ctx, w); err != nil {
		return Part{}, fmt.Errorf("export %s as %s: %w", d.run.Ref(), p.Form, err)
	}
	part.Text, part.Next = d.String(), d.at.String()
	return part, nil
}

// prepare reads the data that every part of a document needs.
func (d *document) prepare(ctx context.Context, p Params, w writer) error {
	if w.tests != nil {
		if err := d.count(ctx); err != nil {
			return err
		}
		d.judge(w)
	}
	if p.Form != SARIF || d.run.Errors > maxCompared {
		return nil
	}
	base, c, err := d.asker.Compare(ctx, d.run, p.Baseline, 0)
	if err != nil || !base.Found() {
		return err
	}
	d.since, d.fresh = base, map[int]bool{}
	for _, e := range c.New {
		d.fresh[e.ID] = true
	}
	for _, e := range c.Unchanged {
		d.fresh[e.ID] = false
	}
	return nil
}

// maxCompared is the max number of errors that are compared with a baseline. A run with more errors is not compared,
// because each part of a document repeats the comparison.
const maxCompared = 5000

// write writes the part at the cursor and advances the cursor.
func (d *document) write(ctx context.Context, w writer) error {
	if d.at.phase == phaseHead {
		call(d, w.head)
		d.at.phase = phaseEvents
	}
	if d.at.phase == phaseEvents && w.events != nil {
		list, more, err := d.events(ctx)
		if err != nil {
			return err
		}
		if w.bare && !more && d.run.Errors == 0 && d.run.Status() != store.StatusOK {
			list = append(list, d.ownEvent())
		}
		w.events(d, list)
		if d.at.count += len(list); more {
			d.at.after = list[len(list)-1].ID
			return nil
		}
	}
	if d.at.phase == phaseEvents {
		call(d, w.middle)
		d.at = cursor{phase: phaseTests}
	}
	if w.tests != nil {
		cases, more, err := d.cases(ctx)
		if err != nil {
			return err
		}
		if d.other && !more {
			cases = append(cases, d.ownCase())
		}
		w.tests(d, cases)
		if d.at.count += len(cases); more {
			return nil
		}
	}
	call(d, w.foot)
	d.at = cursor{}
	return nil
}

func call(d *document, write func(*document)) {
	if write != nil {
		write(d)
	}
}

// counted returns a number with a noun: "1 error", "2 errors".
func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// note returns a sentence about how a form with only tests differs from the run: errors are left out, a test case
// stands for the run, or tests are missing. It returns "" if there is no such difference.
func (d *document) note(w writer) string {
	if w.events != nil {
		return ""
	}
	failed, status := d.sum.Failed+d.sum.Infra, d.run.Status()
	if d.other {
		failed = 0
	}
	switch {
	case d.run.Errors > failed:
		return fmt.Sprintf("%s has %s, and %s: sarif, rdjson and checkstyle have the other errors",
			d.run.Ref(), counted(d.run.Errors, "error"), counted(failed, "failed test"))
	case status == store.StatusFail && failed == 0:
		return fmt.Sprintf("%s is %s, and no test failed: it has a case of its own", d.run.Ref(), status)
	case status != store.StatusFail && status != store.StatusOK:
		return fmt.Sprintf("%s is %s: tests that it did not come to are missing", d.run.Ref(), status)
	}
	return ""
}
