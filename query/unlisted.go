package query

import (
	"context"
	"fmt"
	"slices"

	"github.com/blq-ci/blq/store"
)

// saysNone reports whether the question asks for errors, from the first error on, but the answer has no errors.
func (e *EventList) saysNone(f store.EventFilter) bool {
	return f.Offset == 0 && slices.Contains(f.Severities, store.SeverityError) &&
		!slices.ContainsFunc(e.Events, func(e Event) bool { return e.Severity == store.SeverityError })
}

// noteFailed adds a note if the list has no errors, but runs failed or have not ended. The note names at most maxNamed
// of these runs.
func (e *EventList) noteFailed(f store.EventFilter, b failedRuns) {
	if !e.saysNone(f) {
		return
	}
	var all []string
	for _, r := range b.here {
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
	for _, r := range b.counting {
		e.Failed = append(e.Failed, r.Ref().String())
		all = append(all, fmt.Sprintf("%s is %s, and still counts", r.Ref(), r.Status()))
	}
	for _, r := range b.elsewhere {
		all = append(all, fmt.Sprintf("the newest on %s, %s, is %s", branchOf(r), r.Ref(), r.Status()))
	}
	for _, o := range b.retired {
		all = append(all, fmt.Sprintf("%s, which is %s, is left out: %s", o.Ref(), o.Status(), o.Why))
	}
	if more := len(all) - maxNamed; more > 0 {
		all = append(all[:maxNamed], plural(more, "other run")+" likewise")
	}
	e.Note = notes(all...)
}

// failedRuns holds runs for the note of a list without errors. The runs in the field here may have passed.
type failedRuns struct {
	here      []store.Run // the newest runs of the steps that a question selects
	counting  []store.Run // failed runs of these steps that still count although the steps passed later
	elsewhere []store.Run // failed runs on other branches; each is the newest run of its step on its branch
	retired   []leftOut   // failed runs of retired steps
}

// wentWrong returns the runs to name if there are no errors.
func (a *Asker) wentWrong(ctx context.Context, p EventsParams) (b failedRuns, err error) {
	all, f, err := a.newestSince(ctx, p.At, p.Since)
	if err != nil {
		return b, err
	}
	of := store.RunFilter{Repo: p.Repo, Source: p.Source, Since: f.Since}
	if b.elsewhere, err = a.failedElsewhere(ctx, p.At, of, all); err != nil {
		return b, err
	}
	past, err := a.unanswered(ctx, f, all, p.At != (At{}))
	if err != nil {
		return b, err
	}
	b.here, b.retired, err = a.current(ctx, all)
	b.counting, b.retired = countingRuns(past), append(b.retired, retiredRuns(past)...)
	other := func(r store.Run) bool { return p.Source != "" && r.Source != p.Source }
	b.here, b.counting = slices.DeleteFunc(b.here, other), slices.DeleteFunc(b.counting, other)
	b.retired = slices.DeleteFunc(b.retired, func(o leftOut) bool {
		return other(o.Run) || slices.ContainsFunc(b.elsewhere, isAttempt(o.Run))
	})
	b.counting, b.elsewhere = besides(b.here, b.counting), besides(b.counting, b.elsewhere)
	return b, err
}
