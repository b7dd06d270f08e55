package client

import (
	"context"

	"github.com/blq-ci/blq/ingest/api"
	"github.com/blq-ci/blq/store"
)

// batchesRead is the number of batches that are read from the store at a time.
const batchesRead = 8

// sendEvents sends the batches of events that the service does not have. While a run is running, it sends only full
// batches, because a sent batch never changes.
func (u *upload) sendEvents(ctx context.Context) error {
	for {
		page, err := u.Source.Events(ctx, store.Everything(), store.EventFilter{
			Runs: store.RunFilter{Attempts: []string{u.attempt}}, Settled: true, Limit: batchesRead * batchSize,
			Offset: u.Batches * batchSize,
		})
		if err != nil {
			return err
		}
		events := page.Events
		for len(events) >= batchSize || len(events) > 0 && u.Run.State != store.StateRunning {
			if u.has != nil && u.Batches >= u.has.Batches {
				return nil
			}
			n := min(batchSize, len(events))
			if err := u.Client.putEvents(ctx, u.attempt, u.Batches, u.events(events[:n])); err != nil {
				return err
			}
			u.Batches++
			u.shown = nil // the batch replaces the live events
			events = events[n:]
			u.tell()
		}
		if len(page.Events) < batchesRead*batchSize {
			return nil
		}
	}
}

func (u *upload) events(events []store.RunEvent) []api.Event {
	list := make([]api.Event, len(events))
	for i, e := range events {
		list[i] = u.event(e.Event)
	}
	return list
}

func newEvent(e store.Event) api.Event {
	return api.Event{ID: e.ID, Event: e, Pattern: e.Pattern, Stream: e.Stream}
}
