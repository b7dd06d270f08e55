// Package export writes a run in the standard forms of other tools: JUnit XML, CTRF, SARIF, Checkstyle, rdjson and
// OTLP. It imports query and store, and the parser's short names of tests.
//
// A document is written in parts, each of a page of events or tests. So memory does not grow with the run, and a
// service answers each part on its own. What a part needs to know of the parts before it is in Params.Next.
package export

import (
	"bytes"
	"context"
	"fmt"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

// Form is a form of documents.
type Form string

// These are the forms.
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
	Ref      string `json:"ref,omitempty" kind:"ref" jsonschema:"the run"` // "" for the newest
	Baseline string `json:"baseline,omitempty" kind:"ref" jsonschema:"for sarif: a run, branch or commit"`
	// Next continues a document: Part.Next of the part before, with its attempt as Ref.
	Next string `json:"next,omitempty" jsonschema:"of the part before"`
}

// Part is a part of a document. The texts of its parts, one after another, are the document.
type Part struct {
	Attempt   string `json:"attempt_id"` // to continue with
	MediaType string `json:"media_type"`
	Text      string `json:"text"`
	Next      string `json:"next,omitempty"` // "" for the last part
	Note      string `json:"note,omitempty"` // values that the form has no place for, in the first part
}

// writer writes a form. Nil functions write nothing.
type writer struct {
	media  string
	head   func(*document)
	events func(*document, []store.Event) // nil for a form of tests alone
	middle func(*document)                // between events and tests
	tests  func(*document, []testCase)    // nil for a form of events alone
	foot   func(*document)
}

var writers = map[Form]writer{
	JUnit:      {media: "application/xml", head: junitHead, tests: junitTests, foot: junitFoot},
	SARIF:      {media: "application/sarif+json", head: sarifHead, events: sarifEvents, foot: sarifFoot},
	CTRF:       {media: "application/json", head: ctrfHead, tests: ctrfTests, foot: ctrfFoot},
	Checkstyle: {media: "application/xml", head: checkstyleHead, events: checkstyleEvents, foot: checkstyleFoot},
	RDJSON:     {media: "application/json", head: rdjsonHead, events: rdjsonEvents, foot: rdjsonFoot},
	RDJSONL:    {media: "application/x-ndjson", events: rdjsonlEvents},
	OTLP: {media: "application/json", head: otlpHead, events: otlpEvents, middle: otlpMiddle, tests: otlpTests,
		foot: otlpFoot},
}

// document is the part of a document that is being written.
type document struct {
	bytes.Buffer
	asker *query.Asker
	run   store.Run
	sum   store.TestSum // of its tests
	broke int           // tests that ended with an error, of those that failed; known at the head
	known bool          // results of tests are stored; without them failed tests are known by their events
	other bool          // the run failed, and no test did: it has a case of its own
	tool  string        // the runner of its tests, "" if it is not known
	fresh map[int]bool  // by number of event: whether it is new; nil without a baseline
	since store.Baseline
	at    cursor
}

// Write returns a part of a document. Invalid: an unknown form, or Next is of another document. NotFound: no such
// run. Conflict: the run goes on.
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

// prepare reads what all parts of a document need.
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

// maxCompared is the max number of errors of a run that are compared with a baseline. The comparison is made again for
// each part.
const maxCompared = 5000

// write writes the part at the cursor, and moves it.
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

// note says what a form of tests leaves out of the run.
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
		return fmt.Sprintf("%s has %d errors, and %d tests failed: sarif, rdjson and checkstyle have the other errors",
			d.run.Ref(), d.run.Errors, failed)
	case status == store.StatusFail && failed == 0:
		return fmt.Sprintf("%s is %s, and no test failed: it has a case of its own", d.run.Ref(), status)
	case status != store.StatusFail && status != store.StatusOK:
		return fmt.Sprintf("%s is %s: tests that it did not come to are missing", d.run.Ref(), status)
	}
	return ""
}
