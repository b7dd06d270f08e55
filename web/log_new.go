package web

import (
	"fmt"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/questions"
	"github.com/blq-ci/blq/store"
)

// These are the directions in which a page of a log looks for the nearest new error.
const (
	nextNew     = "next"
	previousNew = "previous"
)

// uncompared returns a sentence that says why a run was not compared with another run.
func uncompared(d query.Diff) string {
	if d.Baseline != nil && d.Baseline.Reason != "" {
		return "No error is called new: " + d.Baseline.Reason + "."
	}
	return "There is no run to compare with, so no error is called new."
}

// newError returns the place of the nearest error that is not in the baseline. way says whether to search before or
// after the requested line. If there is no such error, newError returns the zero place and adds a note to the page.
func (q *request) newError(log *logWindow, way string, marks []query.Event) (place, error) {
	if way != nextNew && way != previousNew {
		return place{}, store.Hint(store.Errorf(store.Invalid, "new is %.40q, and has to be next or previous", way),
			"the links beside a log lead to new errors")
	}
	diff, err := questions.Diff.Ask(q.context(), q.by, query.DiffParams{Run2: q.ref(), Limit: maxMarks})
	if err != nil {
		return place{}, err
	}
	if diff.Run1 == "" {
		log.Note = uncompared(diff)
		return place{}, nil
	}
	fresh := map[string]bool{}
	for _, e := range diff.New {
		fresh[withoutSource(e.Ref)] = true
	}
	var found place
	for _, m := range marks {
		if m.Severity != store.SeverityError || !fresh[withoutSource(m.Ref)] {
			continue
		}
		switch order := log.order(placeOf(m)); {
		case order > 0 && way == nextNew:
			return placeOf(m), nil
		case order < 0 && way == previousNew:
			found = placeOf(m)
		}
	}
	if found.Line == 0 {
		side := map[string]string{nextNew: "after", previousNew: "before"}[way]
		log.Note = fmt.Sprintf("Compared with %s, no error is new %s line %d.", diff.Run1, side, max(1, log.At))
		if diff.Summary.New > len(diff.New) {
			log.Note += fmt.Sprintf(" The first %d of %d new errors were looked at.", len(diff.New), diff.Summary.New)
		}
	}
	return found, nil
}
