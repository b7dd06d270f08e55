package record

import (
	"bytes"
	"context"
	"maps"
	"reflect"
	"slices"

	"github.com/blq-ci/blq/internal/project"
	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/chunk"
)

// Rehide removes secrets from a completed, stored run, and reports whether the run had any. In the log, an asterisk
// replaces each byte of a secret, except line ends.
func (h Hider) Rehide(ctx context.Context, w *project.Project, r store.Run) (changed bool, err error) {
	rewriting, err := h.rewriting(ctx, w, r)
	if err != nil || rewriting == nil {
		return false, err
	}
	return true, w.Rewrite(ctx, *rewriting)
}

// rewriting returns the changes that remove secrets from a run, or nil if the run has no secrets.
func (h Hider) rewriting(ctx context.Context, w *project.Project, r store.Run) (*store.Rewriting, error) {
	facts := r
	h.Run(&facts)
	changed := store.Rewriting{Run: facts}
	page, err := w.Store.Events(ctx, store.Everything(),
		store.EventFilter{Runs: store.RunFilter{Attempts: []string{r.Attempt}}})
	if err != nil {
		return nil, err
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
			return nil, err
		}
		for _, c := range chunks {
			fresh, err := h.rehideChunk(ctx, w, r.Attempt, c)
			if err != nil {
				return nil, err
			}
			if fresh.Digest != c.Digest {
				changed.Chunks = append(changed.Chunks, fresh)
			}
		}
	}
	if changed.Tests, err = h.rehideTests(ctx, w, r); err != nil {
		return nil, err
	}
	all, err := w.Store.FileDigests(ctx, store.Everything(), r.Attempt)
	if err != nil {
		return nil, err
	}
	changed.Files = maps.Clone(all)
	maps.DeleteFunc(changed.Files, func(name, _ string) bool { return h.Redactor.String(name) != name })
	if len(changed.Events) == 0 && len(changed.Chunks) == 0 && len(changed.Tests) == 0 &&
		len(changed.Files) == len(all) && reflect.DeepEqual(facts, r) {
		return nil, nil
	}
	return &changed, nil
}

// testsAtOnce is the number of tests that are read from the store at a time.
const testsAtOnce = 1000

// rehideTests returns the tests of a run whose name or file contains a secret. The secrets are removed in the result.
func (h Hider) rehideTests(ctx context.Context, w *project.Project, r store.Run) ([]store.Test, error) {
	blocks, err := w.Store.TestBlocks(ctx, store.Everything(), []string{r.Attempt}, true)
	if err != nil || len(blocks) == 0 {
		return nil, err
	}
	ids := map[int64]bool{}
	for _, t := range blocks[0].Results {
		ids[t.Test.ID] = true
	}
	var changed []store.Test
	for part := range slices.Chunk(slices.Sorted(maps.Keys(ids)), testsAtOnce) {
		tests, err := w.Store.Tests(ctx, store.Everything(), store.TestFilter{IDs: part})
		if err != nil {
			return nil, err
		}
		for _, t := range tests {
			name, file := h.Redactor.String(t.Name), h.Redactor.String(t.File)
			if name != t.Name || file != t.File {
				t.Name, t.File = name, file
				changed = append(changed, t)
			}
		}
	}
	return changed, nil
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
