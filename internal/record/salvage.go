package record

import (
	"context"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/ingest/parse/formats"
	"github.com/blq-ci/blq/internal/ci"
	"github.com/blq-ci/blq/internal/project"
	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/chunk"
)

// salvageBatch is a batch number that live recorders never reach.
const salvageBatch = 1 << 30

// Salvage stores the runs that could not be stored when they began or ended. It also marks runs with a dead recorder as
// orphaned, parses the parts of their logs that have not been parsed, and stores the events. In a read-only folder it
// changes nothing. Errors: unavailable if a run that did not pass still cannot be stored.
func Salvage(ctx context.Context, w *project.Project) error {
	if err := RecordMissed(ctx, w, nil); err != nil || w.ReadOnly() {
		return err
	}
	return w.SweepOrphans(ctx, func(ctx context.Context, r store.Run) error { return salvage(ctx, w, r) })
}

func salvage(ctx context.Context, w *project.Project, r store.Run) error {
	page, err := w.Store.Events(ctx, store.Everything(),
		store.EventFilter{Runs: store.RunFilter{Attempts: []string{r.Attempt}}, Settled: true})
	if err != nil {
		return err
	}
	stored := map[string]int{} // number of stored events by stream; stored events come first in the log
	for _, e := range page.Events {
		stored[e.Stream]++
	}
	var events []store.Event
	for _, stream := range []string{store.StreamCombined, store.StreamStdout, store.StreamStderr} {
		found, err := reread(ctx, w, r, stream)
		if err != nil {
			return err
		}
		for _, e := range found[min(len(found), stored[eventStream(stream)]):] {
			e.ID, e.Stream = page.Total+len(events)+1, eventStream(stream)
			events = append(events, e)
		}
	}
	return w.Store.AddEvents(ctx, r.Attempt, salvageBatch, events)
}

// reread parses the stored log of a stream.
func reread(ctx context.Context, w *project.Project, r store.Run, stream string) ([]store.Event, error) {
	list, err := formats.Select(r.Format)
	if err != nil {
		list = formats.All() // the format does not exist any more, so all formats are used
	}
	var events []store.Event
	p := parse.New(parse.Options{Formats: list, Root: rootOf(w, r), Dir: r.Cwd, Tree: tree(rootOf(w, r)),
		WorkDirs: ci.WorkDirs(r.Command)}, func(e store.Event) { events = append(events, e) })
	if _, err := chunk.NewReader(w.Store, w.Blobs, store.Everything(), r, stream).WriteTo(ctx, p); err != nil {
		return nil, err
	}
	p.Finish(nil)
	return events, nil
}

// eventStream returns the name of a stream in events, or "" for the combined stream.
func eventStream(stream string) string {
	if stream == store.StreamCombined {
		return ""
	}
	return stream
}
