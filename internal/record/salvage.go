package record

import (
	"context"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/internal/workspace"
	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/chunk"
)

// salvageBatch is a number that no live recorder reaches.
const salvageBatch = 1 << 30

// Salvage marks the runs whose recorder has died and finds the events in what
// they left of their logs.
func Salvage(ctx context.Context, w *workspace.Workspace) error {
	return w.SweepOrphans(ctx, func(ctx context.Context, r store.Run) error { return salvage(ctx, w, r) })
}

func salvage(ctx context.Context, w *workspace.Workspace, r store.Run) error {
	stored, err := w.Store.Events(ctx, store.Everything(), store.EventFilter{Runs: store.RunFilter{Attempts: []string{r.Attempt}}, Limit: 1})
	if err != nil {
		return err
	}
	formats, err := parse.Select(r.Format)
	if err != nil {
		formats = nil // a format that is gone: all of them
	}
	var events []store.Event
	last := 0
	for _, stream := range []string{store.StreamCombined, store.StreamStdout, store.StreamStderr} {
		p := parse.New(parse.Options{Formats: formats, Root: rootOf(w, r), Dir: r.Cwd}, func(e store.Event) {
			if last++; last <= stored.Total {
				return // the recorder had stored it
			}
			e.ID = last
			if stream != store.StreamCombined {
				e.Stream = stream
			}
			events = append(events, e)
		})
		if _, err := chunk.NewReader(w.Store, w.Blobs, store.Everything(), r, stream).WriteTo(ctx, p); err != nil {
			return err
		}
		p.Finish(nil)
	}
	if len(events) == 0 {
		return nil
	}
	return w.Store.AddEvents(ctx, r.Attempt, salvageBatch, events)
}
