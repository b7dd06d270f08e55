package query

import (
	"context"
	"fmt"
	"slices"

	"github.com/blq-ci/blq/store"
)

// saysNone reports whether the question asks for errors, but the answer has none.
func (e *EventList) saysNone(f store.EventFilter) bool {
	return f.Offset == 0 && slices.Contains(f.Severities, store.SeverityError) &&
		!slices.ContainsFunc(e.Events, func(e Event) bool { return e.Severity == store.SeverityError })
}

// without adds a note if the list has no errors although runs did not end well. The note names these runs. The list
// here holds the runs that the question selects. counting holds failed runs that still count although their steps
// passed later. The list elsewhere holds the newest runs on other branches.
func (e *EventList) without(f store.EventFilter, here, counting, elsewhere []store.Run) {
	if !e.saysNone(f) {
		return
	}
	var all []string
	for _, r := range here {
		if r.Errors > 0 || r.Status() == store.StatusOK {
			continue
		}
		e.Failed = append(e.Failed, r.Ref().String())
		if r.State == store.StateRunning {
			all = append(all, r.Ref().String()+" has not ended")
		} else {
			all = append(all, fmt.Sprintf("%s is %s, and no error was recognised in its log", r.Ref(), r.Status()))
		}
	}
	for _, r := range counting {
		e.Failed = append(e.Failed, r.Ref().String())
		all = append(all, fmt.Sprintf("%s is %s, and still counts", r.Ref(), r.Status()))
	}
	for _, r := range elsewhere {
		all = append(all, fmt.Sprintf("the newest on %s, %s, is %s", branchOf(r), r.Ref(), r.Status()))
	}
	if more := len(all) - maxNamed; more > 0 {
		all = append(all[:maxNamed], plural(more, "other run")+" likewise")
	}
	e.Note = notes(all...)
}

// wentWrong returns three lists. The list here holds the newest runs of the steps that the question selects. The list
// counting holds failed runs of these steps that later successes do not answer. The list elsewhere holds failed runs on
// other branches; each is the newest run of its step on its branch.
func (a *Asker) wentWrong(ctx context.Context, p EventsParams) (here, counting, elsewhere []store.Run, err error) {
	all, f, err := a.newestSince(ctx, p.At, p.Since)
	if err != nil {
		return nil, nil, nil, err
	}
	of := store.RunFilter{Repo: p.Repo, Source: p.Source, Since: f.Since}
	if elsewhere, err = a.failedElsewhere(ctx, p.At, of, all); err != nil {
		return nil, nil, nil, err
	}
	if counting, err = a.counting(ctx, f, all, p.At); err != nil {
		return nil, nil, nil, err
	}
	here, _, err = a.current(ctx, all)
	other := func(r store.Run) bool { return p.Source != "" && r.Source != p.Source }
	here, counting = slices.DeleteFunc(here, other), slices.DeleteFunc(counting, other)
	return here, besides(here, counting), besides(counting, elsewhere), err
}
