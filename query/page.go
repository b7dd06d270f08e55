package query

import "github.com/blq-ci/blq/store"

// PageOf returns the address of the page about a run, an event or lines of a log; "" where there are no pages.
func (a *Asker) PageOf(ref store.Ref) string {
	if a.Page == nil {
		return ""
	}
	return a.Page(ref)
}

// pageOfAll returns the address of the page about the run that all events are of; "" for several runs.
func (a *Asker) pageOfAll(events []Event) string {
	if a.Page == nil || len(events) == 0 {
		return ""
	}
	run := events[0].RunRef
	for _, e := range events {
		if e.RunRef != run {
			return ""
		}
	}
	ref, err := store.ParseRef(run)
	if err != nil {
		return ""
	}
	return a.Page(ref)
}
