package query

import "github.com/blq-ci/blq/store"

// The command line prints some facts that the JSON for agents leaves out. So a service sends the wire form of an
// answer to the command line. The wire form has all facts.

// wireTable is a Table with the field More.
type wireTable struct {
	Table
	More bool `json:"more,omitempty"`
}

// Wire returns the table in its wire form.
func (t Table) Wire() any { return wireTable{t, t.More} }

// ReadWire sets the table from its wire form. The function read decodes the wire form.
func (t *Table) ReadWire(read func(any) error) error {
	var w wireTable
	err := read(&w)
	*t = w.Table
	t.More = w.More
	return err
}

// wireHistory is a History with the commands of its runs.
type wireHistory struct {
	History
	Commands []string `json:"commands"`
	Note     string   `json:"note,omitempty"`
}

// Wire returns the history in its wire form.
func (h History) Wire() any {
	w := wireHistory{History: h, Note: h.Note}
	for _, r := range h.Runs {
		w.Commands = append(w.Commands, r.Command)
	}
	return w
}

// ReadWire sets the history from its wire form. The function read decodes the wire form.
func (h *History) ReadWire(read func(any) error) error {
	var w wireHistory
	err := read(&w)
	*h = w.History
	h.Note = w.Note
	for i := range h.Runs[:min(len(h.Runs), len(w.Commands))] {
		h.Runs[i].Command = w.Commands[i]
	}
	return err
}

// wireDiff is a Diff with the facts that its JSON leaves out, such as the references of the runs and the log lines of
// the events.
type wireDiff struct {
	Diff
	Base   store.Ref   `json:"base"`
	Head   store.Ref   `json:"head"`
	Before *store.Call `json:"before_call,omitempty"`
	Lines  [3][]int    `json:"lines"` // lines of fixed, new and unchanged errors

	Unexplained bool `json:"unexplained,omitempty"`
}

func (d Diff) lists() [3][]DiffEvent { return [3][]DiffEvent{d.Fixed, d.New, d.Unchanged} }

// Wire returns the diff in its wire form.
func (d Diff) Wire() any {
	w := wireDiff{Diff: d, Base: d.Base, Head: d.Head, Before: d.Before, Unexplained: d.Unexplained}
	for i, list := range d.lists() {
		for _, e := range list {
			w.Lines[i] = append(w.Lines[i], e.Line)
		}
	}
	return w
}

// ReadWire sets the diff from its wire form. The function read decodes the wire form.
func (d *Diff) ReadWire(read func(any) error) error {
	var w wireDiff
	err := read(&w)
	*d = w.Diff
	d.Base, d.Head, d.Before, d.Unexplained = w.Base, w.Head, w.Before, w.Unexplained
	for i, list := range d.lists() {
		for j := range list[:min(len(list), len(w.Lines[i]))] {
			list[j].Line = w.Lines[i][j]
		}
	}
	return err
}

// wireTriage is a Triage with the calls that return the missing parts.
type wireTriage struct {
	Triage
	Omitted []wireOmission `json:"omitted,omitempty"`
}

type wireOmission struct {
	What string     `json:"what"`
	Next store.Call `json:"next"`
}

// Wire returns the triage in its wire form.
func (t Triage) Wire() any {
	w := wireTriage{Triage: t}
	for _, o := range t.Truncated {
		w.Omitted = append(w.Omitted, wireOmission(o))
	}
	return w
}

// ReadWire sets the triage from its wire form. The function read decodes the wire form.
func (t *Triage) ReadWire(read func(any) error) error {
	var w wireTriage
	err := read(&w)
	*t = w.Triage
	if len(w.Omitted) > 0 {
		t.Truncated = nil
	}
	for _, o := range w.Omitted {
		t.Truncated = append(t.Truncated, Omission(o))
	}
	return err
}

// wireInspection is an Inspection with the field Seen, which identifies the state of the files at the time of the run.
type wireInspection struct {
	Inspection
	Seen Seen `json:"seen"`
}

// Wire returns the inspection in its wire form.
func (in Inspection) Wire() any { return wireInspection{in, in.Seen} }

// ReadWire sets the inspection from its wire form. The function read decodes the wire form.
func (in *Inspection) ReadWire(read func(any) error) error {
	var w wireInspection
	err := read(&w)
	*in = w.Inspection
	in.Seen = w.Seen
	return err
}

// wireEvents is an EventList with the field Failed: the runs that failed although the list has no errors.
type wireEvents struct {
	EventList
	Failed []string `json:"failed,omitempty"`
}

// Wire returns the list in its wire form.
func (e EventList) Wire() any { return wireEvents{e, e.Failed} }

// ReadWire sets the list from its wire form. The function read decodes the wire form.
func (e *EventList) ReadWire(read func(any) error) error {
	var w wireEvents
	err := read(&w)
	*e = w.EventList
	e.Failed = w.Failed
	return err
}
