package query

import "github.com/blq-ci/blq/store"

// PageOf returns the URL of the page about a run, an event or lines of a log. It returns "" if the service has no
// pages.
func (a *Asker) PageOf(ref store.Ref) string { return a.pageIn(ref, "") }

// pageIn returns the URL of the page about lines of a stream. The stream "" means the stream that the page shows first.
func (a *Asker) pageIn(ref store.Ref, stream string) string {
	if a.Page == nil {
		return ""
	}
	return a.Page(ref, stream)
}

// pageOfAll returns the URL of the page about the run of the events. It returns "" if the events belong to several
// runs, if there are no events, or if the service has no pages.
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
	return a.PageOf(ref)
}
