package ingest

import (
	"context"
	"reflect"

	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/chunk"
)

// The functions of this file change completed runs. A sender that learns of a secret too late sends a run again with
// asterisks in place of the secret. Nothing else of a completed run can change.

// hideFacts changes the facts of a completed run.
func (s *Service) hideFacts(ctx context.Context, run, hidden store.Run) (store.Run, error) {
	changed := store.HiddenRun(run, hidden)
	if run.State != store.StateCompleted || reflect.DeepEqual(changed, run) {
		return run, nil
	}
	files, err := s.Store.FileDigests(ctx, store.Repos(run.Repo), run.Attempt)
	if err != nil {
		return run, err
	}
	return changed, s.Store.RewriteRun(ctx, store.Rewriting{Run: changed, Files: files})
}

// hideEvents changes texts of a completed run's events. If this changes the name of a file, the run no longer has a
// digest of that file.
func (s *Service) hideEvents(ctx context.Context, run store.Run, hidden []store.Event) error {
	if run.State != store.StateCompleted || len(hidden) == 0 {
		return nil
	}
	sc, by := store.Repos(run.Repo), map[int]store.Event{}
	ids := make([]int, 0, len(hidden))
	for _, e := range hidden {
		ids, by[e.ID] = append(ids, e.ID), e
	}
	page, err := s.Store.Events(ctx, sc, store.EventFilter{Runs: store.RunFilter{Attempts: []string{run.Attempt}},
		IDs: ids, Uncounted: true})
	if err != nil {
		return err
	}
	files, err := s.Store.FileDigests(ctx, sc, run.Attempt)
	if err != nil {
		return err
	}
	w := store.Rewriting{Run: run, Files: files}
	for _, e := range page.Events {
		if changed := store.HiddenEvent(e.Event, by[e.ID]); changed != e.Event {
			w.Events = append(w.Events, changed)
			if changed.File != e.File {
				delete(files, e.File)
			}
		}
	}
	if len(w.Events) == 0 {
		return nil
	}
	return s.Store.RewriteRun(ctx, w)
}

// hideChunk changes the text of a completed run's chunk, and deletes the old object. The parameter by describes the
// sent object. It returns false if the run is not completed or has no chunk at this place. Conflict: the texts differ
// in more than asterisks.
func (s *Service) hideChunk(ctx context.Context, run store.Run, by store.Chunk, hidden []byte) (bool, error) {
	if run.State != store.StateCompleted {
		return false, nil
	}
	chunks, err := s.Store.Chunks(ctx, store.Repos(run.Repo), run.Attempt, by.Stream, by.FirstLine, by.FirstLine)
	if err != nil {
		return false, err
	}
	for _, c := range chunks {
		if c.Sequence == by.Sequence && c.Offset == by.Offset && c.Bytes == by.Bytes && c.Lines == by.Lines {
			return true, s.replaceChunk(ctx, run, c, by, hidden)
		}
	}
	return false, nil
}

func (s *Service) replaceChunk(ctx context.Context, run store.Run, c, by store.Chunk, hidden []byte) error {
	object, err := s.Blobs.Get(ctx, c.Key)
	if err != nil {
		return err
	}
	leave, err := s.turn(ctx)
	if err != nil {
		return err
	}
	fresh, err := chunk.Hide(object, c, hidden, by)
	leave()
	if err != nil {
		return err
	}
	renewed := chunk.Renewed(run.Attempt, c, fresh)
	if renewed.Digest == c.Digest {
		return nil
	}
	if err := s.Blobs.Put(ctx, renewed.Key, fresh); err != nil {
		return err
	}
	files, err := s.Store.FileDigests(ctx, store.Repos(run.Repo), run.Attempt)
	if err != nil {
		return err
	}
	rewriting := store.Rewriting{Run: run, Chunks: []store.Chunk{renewed}, Files: files}
	if err := s.Store.RewriteRun(ctx, rewriting); err != nil {
		return err
	}
	return s.Blobs.Delete(ctx, c.Key)
}
