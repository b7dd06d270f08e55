package export

import (
	"context"
	"fmt"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

// These limits bound a part of a document.
const (
	eventsAtOnce = 5000
	eventBytes   = 4 << 20 // approximate max size of the texts of events, in bytes
	testsAtOnce  = 5000
)

// filter returns a filter that selects the events of the run.
func (d *document) filter() store.EventFilter {
	return store.EventFilter{Runs: store.RunFilter{Attempts: []string{d.run.Attempt}}, Uncounted: true,
		Limit: eventsAtOnce}
}

// events returns the events of the part, and reports whether more events follow.
func (d *document) events(ctx context.Context) ([]store.Event, bool, error) {
	f := d.filter()
	f.After = d.at.after
	page, err := d.asker.Store.Events(ctx, d.asker.Scope, f)
	if err != nil {
		return nil, false, err
	}
	list := make([]store.Event, 0, len(page.Events))
	for size := 0; len(list) < len(page.Events) && size < eventBytes; {
		e := clean(page.Events[len(list)].Event)
		size += len(e.Message) + len(e.File) + len(e.Test)
		list = append(list, e)
	}
	return list, len(list) < len(page.Events) || len(list) == eventsAtOnce, nil
}

// ownEvent returns the error for a run that failed without an error. Otherwise readers that only look at events would
// count the run as passed.
func (d *document) ownEvent() store.Event {
	return store.Event{Severity: store.SeverityError, Tool: self,
		Message: fmt.Sprintf("%s ended with %s, and no error was recognised", d.run.Ref(), d.ending())}
}

// clean returns an event without invisible and harmful characters.
func clean(e store.Event) store.Event {
	for _, s := range []*string{&e.File, &e.Message, &e.Tool, &e.Code, &e.Test} {
		*s = query.Clean(*s)
	}
	if e.Message == "" {
		e.Message = string(e.Severity) // the forms require a message
	}
	return e
}
