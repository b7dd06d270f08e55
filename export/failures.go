package export

import (
	"context"
	"sort"

	"github.com/blq-ci/blq/store"
)

// failures holds the events of a run that are failed tests, without their messages. The events are read once for
// all parts of a document. Each part looks up its own tests in failures.
type failures struct {
	list []failure
	by   [3]map[string][]int // indexes in list, by the names that keys returns
}

type failure struct {
	id         int // number of the event
	test, file string
}

// allFailures returns the failures of the run.
func (d *document) allFailures(ctx context.Context) (*failures, error) {
	key := "failures " + d.run.Attempt
	if known, ok := d.asker.Parts.Get(key).(*failures); ok {
		return known, nil
	}
	all, bytes := &failures{}, 0
	for i := range all.by {
		all.by[i] = map[string][]int{}
	}
	err := d.eachFailure(ctx, func(e *store.Event) bool {
		const each = 300 // approximate number of bytes that an event takes in list and by
		bytes += each + 3*(len(e.Test)+len(e.File))
		for i, name := range keys(e.Test, e.File) {
			all.by[i][name] = append(all.by[i][name], len(all.list))
		}
		all.list = append(all.list, failure{e.ID, e.Test, e.File})
		return true
	})
	if err != nil {
		return nil, err
	}
	d.asker.Parts.Put(key, all, bytes)
	return all, nil
}

// explainPart adds events to the failed attempts of a part.
func (d *document) explainPart(ctx context.Context, w *wanting) error {
	all, err := d.allFailures(ctx)
	if err != nil {
		return err
	}
	var places []int
	for i, names := range w.by {
		for name := range names {
			places = append(places, all.by[i][name]...)
		}
	}
	sort.Slice(places, func(i, j int) bool { return places[i] < places[j] })
	events := map[int]*store.Event{}
	for i, at := range places {
		if i > 0 && at == places[i-1] {
			continue // the test was already found by another name
		}
		of := all.list[at]
		e := &store.Event{ID: of.id, Test: of.test, File: of.file}
		if w.take(e) {
			events[of.id] = e
		}
	}
	f := d.filter()
	for id := range events {
		if f.IDs = append(f.IDs, id); len(f.IDs) == eventsAtOnce {
			err = d.read(ctx, f, events)
			f.IDs = nil
		}
		if err != nil {
			return err
		}
	}
	if len(f.IDs) == 0 {
		return nil
	}
	return d.read(ctx, f, events)
}

// read reads the events that the filter selects. Their numbers must be keys of events.
func (d *document) read(ctx context.Context, f store.EventFilter, events map[int]*store.Event) error {
	page, err := d.asker.Store.Events(ctx, d.asker.Scope, f)
	for _, e := range page.Events {
		*events[e.ID] = clean(e.Event)
	}
	return err
}
