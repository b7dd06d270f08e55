package backend

import (
	"context"

	"github.com/blq-ci/blq/internal/project"
	"github.com/blq-ci/blq/store"
)

// current is a store that always uses the current folder: each method reads the folder that exists when the method is
// called.
type current struct{ b *Backend }

var _ store.Reader = current{}

// with calls a function with the current folder.
func with[T any](ctx context.Context, b *Backend, f func(*folder) (T, error)) (T, error) {
	folder, err := b.hold(ctx)
	if err != nil {
		var none T
		return none, err
	}
	defer b.release(folder)
	return f(folder)
}

// tell is like with, for functions that return only an error.
func tell(ctx context.Context, b *Backend, f func(*folder) error) error {
	_, err := with(ctx, b, func(w *folder) (struct{}, error) { return struct{}{}, f(w) })
	return err
}

// missing returns an error if the folder is a stand-in. A stand-in means that nothing has been recorded.
func (c current) missing(f *folder) error {
	if f.standIn == "" {
		return nil
	}
	if _, err := project.Find(c.b.dir, c.b.getenv); err != nil {
		return err
	}
	return store.Next(store.Errorf(store.NotFound, "nothing has been recorded yet"),
		store.NewCall("exec", "", "command", "make"))
}

func (c current) Run(ctx context.Context, sc store.Scope, ref store.Ref) (store.Run, error) {
	return with(ctx, c.b, func(f *folder) (store.Run, error) {
		if err := c.missing(f); err != nil {
			return store.Run{}, err
		}
		return f.Store.Run(ctx, sc, ref)
	})
}

func (c current) Event(ctx context.Context, sc store.Scope, ref store.Ref) (r store.Run, e store.Event, err error) {
	err = tell(ctx, c.b, func(f *folder) error {
		if err := c.missing(f); err != nil {
			return err
		}
		r, e, err = f.Store.Event(ctx, sc, ref)
		return err
	})
	return r, e, err
}

func (c current) Runs(ctx context.Context, sc store.Scope, filter store.RunFilter) ([]store.Run, error) {
	return with(ctx, c.b, func(f *folder) ([]store.Run, error) { return f.Store.Runs(ctx, sc, filter) })
}

func (c current) Branches(ctx context.Context, sc store.Scope, repo string, limit int) ([]string, error) {
	return with(ctx, c.b, func(f *folder) ([]string, error) { return f.Store.Branches(ctx, sc, repo, limit) })
}

func (c current) Events(ctx context.Context, sc store.Scope, filter store.EventFilter) (store.EventPage, error) {
	return with(ctx, c.b, func(f *folder) (store.EventPage, error) { return f.Store.Events(ctx, sc, filter) })
}

func (c current) Prints(ctx context.Context, sc store.Scope, p store.PrintFilter) ([]store.Print, error) {
	return with(ctx, c.b, func(f *folder) ([]store.Print, error) { return f.Store.Prints(ctx, sc, p) })
}

func (c current) FingerprintHistory(ctx context.Context, sc store.Scope, r store.Run, fingerprints ...string) (
	store.FingerprintHistory, error) {
	return with(ctx, c.b, func(f *folder) (store.FingerprintHistory, error) {
		return f.Store.FingerprintHistory(ctx, sc, r, fingerprints...)
	})
}

func (c current) Sightings(ctx context.Context, sc store.Scope, repo string, limit int, fingerprints ...string) (
	store.Sightings, error) {
	return with(ctx, c.b, func(f *folder) (store.Sightings, error) {
		return f.Store.Sightings(ctx, sc, repo, limit, fingerprints...)
	})
}

func (c current) Chunks(ctx context.Context, sc store.Scope, attempt, stream string, from, to int) (
	[]store.Chunk, error) {
	return with(
		ctx, c.b, func(f *folder) ([]store.Chunk, error) { return f.Store.Chunks(ctx, sc, attempt, stream, from, to) })
}

func (c current) Query(ctx context.Context, sc store.Scope, q store.Query) (store.Table, error) {
	return with(ctx, c.b, func(f *folder) (store.Table, error) { return f.Store.Query(ctx, sc, q) })
}

func (c current) FileDigests(ctx context.Context, sc store.Scope, attempt string) (store.FileDigests, error) {
	return with(ctx, c.b, func(f *folder) (store.FileDigests, error) { return f.Store.FileDigests(ctx, sc, attempt) })
}

func (c current) Running(ctx context.Context, sc store.Scope, repo string) (store.Running, error) {
	return with(ctx, c.b, func(f *folder) (store.Running, error) { return f.Store.Running(ctx, sc, repo) })
}

// currentBlobs are the objects of the current folder.
type currentBlobs struct{ b *Backend }

func (c currentBlobs) Get(ctx context.Context, key string) ([]byte, error) {
	return with(ctx, c.b, func(f *folder) ([]byte, error) { return f.Blobs.Get(ctx, key) })
}

func (c current) TestBlocks(ctx context.Context, sc store.Scope, attempts []string, whole bool) (
	[]store.TestBlock, error) {
	return with(ctx, c.b,
		func(f *folder) ([]store.TestBlock, error) { return f.Store.TestBlocks(ctx, sc, attempts, whole) })
}

func (c current) Tests(ctx context.Context, sc store.Scope, filter store.TestFilter) ([]store.Test, error) {
	return with(ctx, c.b, func(f *folder) ([]store.Test, error) { return f.Store.Tests(ctx, sc, filter) })
}

func (c current) TestHistory(ctx context.Context, sc store.Scope, t store.Test) ([]store.TestPast, error) {
	return with(ctx, c.b, func(f *folder) ([]store.TestPast, error) { return f.Store.TestHistory(ctx, sc, t) })
}
