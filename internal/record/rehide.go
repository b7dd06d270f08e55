package record

import (
	"bytes"
	"context"
	"reflect"

	"github.com/blq-ci/blq/internal/project"
	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/chunk"
)

// Rehide removes secrets from a completed, stored run. In the log, each secret is replaced with the same number of
// asterisks.
func (h Hider) Rehide(ctx context.Context, w *project.Project, r store.Run) error {
	facts := r
	h.Run(&facts)
	changed := store.Rewriting{Run: facts}
	page, err := w.Store.Events(ctx, store.Everything(),
		store.EventFilter{Runs: store.RunFilter{Attempts: []string{r.Attempt}}})
	if err != nil {
		return err
	}
	for _, e := range page.Events {
		hidden := e.Event
		if h.Event(&hidden); !reflect.DeepEqual(hidden, e.Event) {
			changed.Events = append(changed.Events, hidden)
		}
	}
	for _, stream := range streams {
		chunks, err := w.Store.Chunks(ctx, store.Everything(), r.Attempt, string(stream), 1, 0)
		if err != nil {
			return err
		}
		for _, c := range chunks {
			fresh, err := h.rehideChunk(ctx, w, r.Attempt, c)
			if err != nil {
				return err
			}
			if fresh.Digest != c.Digest {
				changed.Chunks = append(changed.Chunks, fresh)
			}
		}
	}
	if len(changed.Events) == 0 && len(changed.Chunks) == 0 && reflect.DeepEqual(facts, r) {
		return nil
	}
	return w.Rewrite(ctx, changed)
}

// rehideChunk removes the secrets from a stored chunk, and returns the chunk. It returns a chunk without secrets
// unchanged.
func (h Hider) rehideChunk(ctx context.Context, w *project.Project, attempt string, c store.Chunk) (
	store.Chunk, error) {
	object, err := w.Blobs.Get(ctx, c.Key)
	if err != nil {
		return c, err
	}
	hidden, err := chunk.Rewrite(object, c, h.Blank)
	if err != nil || bytes.Equal(hidden, object) {
		return c, err
	}
	c = chunk.Renewed(attempt, c, hidden)
	return c, w.Blobs.Put(ctx, c.Key, hidden)
}
