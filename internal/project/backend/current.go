package backend

import (
	"context"
	"time"

	"github.com/blq-ci/blq/internal/project"
	"github.com/blq-ci/blq/store"
)

// current is the store of the folder that is there when a method is called.
type current struct{ b *Backend }

var _ store.Store = current{}

// with calls f on the current folder.
func with[T any](ctx context.Context, b *Backend, f func(*folder) (T, error)) (T, error) {
	folder, err := b.hold(ctx)
	if err != nil {
		var none T
		return none, err
	}
	defer b.release(folder)
	return f(folder)
}

// tell is with for what returns an error alone.
func tell(ctx context.Context, b *Backend, f func(*folder) error) error {
	_, err := with(ctx, b, func(w *folder) (struct{}, error) { return struct{}{}, f(w) })
	return err
}

// missing says of a folder that stands in for none that nothing was recorded.
func (c current) missing(f *folder) error {
	if f.standIn == "" {
		return nil
	}
	if _, err := project.Find(c.b.dir, c.b.getenv); err != nil {
		return err
	}
	return store.Hint(store.Errorf(store.NotFound, "nothing has been recorded yet"), "blq run -- make")
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

func (c current) FingerprintHistory(ctx context.Context, sc store.Scope, r store.Run, fingerprint string) (store.FingerprintHistory, error) {
	return with(ctx, c.b, func(f *folder) (store.FingerprintHistory, error) {
		return f.Store.FingerprintHistory(ctx, sc, r, fingerprint)
	})
}

func (c current) Chunks(ctx context.Context, sc store.Scope, attempt, stream string, from, to int) ([]store.Chunk, error) {
	return with(ctx, c.b, func(f *folder) ([]store.Chunk, error) { return f.Store.Chunks(ctx, sc, attempt, stream, from, to) })
}

func (c current) Query(ctx context.Context, sc store.Scope, q store.Query) (store.Table, error) {
	return with(ctx, c.b, func(f *folder) (store.Table, error) { return f.Store.Query(ctx, sc, q) })
}

func (c current) StartRun(ctx context.Context, r store.Run) (store.Run, error) {
	return with(ctx, c.b, func(f *folder) (store.Run, error) { return f.Store.StartRun(ctx, r) })
}

func (c current) Heartbeat(ctx context.Context, attempt string, at time.Time) error {
	return tell(ctx, c.b, func(f *folder) error { return f.Store.Heartbeat(ctx, attempt, at) })
}

func (c current) AddChunk(ctx context.Context, attempt string, chunk store.Chunk) error {
	return tell(ctx, c.b, func(f *folder) error { return f.Store.AddChunk(ctx, attempt, chunk) })
}

func (c current) AddEvents(ctx context.Context, attempt string, sequence int, events []store.Event) error {
	return tell(ctx, c.b, func(f *folder) error { return f.Store.AddEvents(ctx, attempt, sequence, events) })
}

func (c current) SetLive(ctx context.Context, attempt string, from int, events []store.Event) error {
	return tell(ctx, c.b, func(f *folder) error { return f.Store.SetLive(ctx, attempt, from, events) })
}

func (c current) FinishRun(ctx context.Context, attempt string, end store.Finish) (store.Run, error) {
	return with(ctx, c.b, func(f *folder) (store.Run, error) { return f.Store.FinishRun(ctx, attempt, end) })
}

func (c current) Received(ctx context.Context, sc store.Scope, attempt string) (store.Received, error) {
	return with(ctx, c.b, func(f *folder) (store.Received, error) { return f.Store.Received(ctx, sc, attempt) })
}

func (c current) Running(ctx context.Context, sc store.Scope, repo string) (store.Running, error) {
	return with(ctx, c.b, func(f *folder) (store.Running, error) { return f.Store.Running(ctx, sc, repo) })
}

func (c current) OrphanRun(ctx context.Context, attempt string, seen time.Time) (bool, error) {
	return with(ctx, c.b, func(f *folder) (bool, error) { return f.Store.OrphanRun(ctx, attempt, seen) })
}

func (c current) Prune(ctx context.Context, sc store.Scope, p store.Policy) (store.Pruned, error) {
	return with(ctx, c.b, func(f *folder) (store.Pruned, error) { return f.Store.Prune(ctx, sc, p) })
}

func (c current) Garbage(ctx context.Context, limit int) ([]string, error) {
	return with(ctx, c.b, func(f *folder) ([]string, error) { return f.Store.Garbage(ctx, limit) })
}

func (c current) Collected(ctx context.Context, keys []string) error {
	return tell(ctx, c.b, func(f *folder) error { return f.Store.Collected(ctx, keys) })
}

// Close does nothing: the backend closes its folders.
func (current) Close() error { return nil }

// currentBlobs are the log objects of the current folder.
type currentBlobs struct{ b *Backend }

var _ store.Blobs = currentBlobs{}

func (c currentBlobs) Put(ctx context.Context, key string, data []byte) error {
	return tell(ctx, c.b, func(f *folder) error { return f.Blobs.Put(ctx, key, data) })
}

func (c currentBlobs) Get(ctx context.Context, key string) ([]byte, error) {
	return with(ctx, c.b, func(f *folder) ([]byte, error) { return f.Blobs.Get(ctx, key) })
}

func (c currentBlobs) Delete(ctx context.Context, key string) error {
	return tell(ctx, c.b, func(f *folder) error { return f.Blobs.Delete(ctx, key) })
}

func (c currentBlobs) List(ctx context.Context, prefix string) ([]string, error) {
	return with(ctx, c.b, func(f *folder) ([]string, error) { return f.Blobs.List(ctx, prefix) })
}
