package query

import "github.com/blq-ci/blq/store"

// PageOf returns the address of the page about a run, an event or lines of a log; "" where there are no pages.
func (a *Asker) PageOf(ref store.Ref) string {
	if a.Page == nil {
		return ""
	}
	return a.Page(ref)
}
