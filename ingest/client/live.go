package client

import (
	"context"

	"github.com/blq-ci/blq/ingest/api"
	"github.com/blq-ci/blq/store"
)

// show sends the live events from the first one that has changed since the last call. An event is live until it is part
// of a batch.
func (u *upload) show(ctx context.Context) error {
	if u.mute {
		return nil
	}
	page, err := u.Source.Events(ctx, store.Everything(), store.EventFilter{
		Runs: store.RunFilter{Attempts: []string{u.attempt}}, Limit: batchSize, Offset: u.Batches * batchSize,
	})
	if err != nil {
		return err
	}
	now := make([]store.Event, len(page.Events))
	var changed []api.Event
	same := 0
	for i, e := range page.Events {
		now[i] = e.Event
		if same == i && i < len(u.shown) && u.shown[i] == e.Event {
			same++
		} else {
			changed = append(changed, u.event(e.Event))
		}
	}
	if len(changed) == 0 && same == len(u.shown) {
		return nil
	}
	err = u.Client.putLive(ctx, u.attempt, u.Batches*batchSize+same+1, changed)
	switch {
	case err == nil:
		u.shown = now
	case Passing(err) || ctx.Err() != nil:
		return err
	default:
		u.mute = true // an older service has no live events, but still gets the batches
	}
	return nil
}
