package backend

import (
	"context"

	"github.com/blq-ci/blq/store"
)

func (c current) NearestSnapshot(ctx context.Context, sc store.Scope, at store.SnapshotAt) (
	s store.Snapshot, distance int, err error) {
	err = tell(ctx, c.b, func(f *folder) error {
		s, distance, err = f.Store.NearestSnapshot(ctx, sc, at)
		return err
	})
	return s, distance, err
}

func (c current) FirstParents(ctx context.Context, sc store.Scope, repo, commit string) ([]string, error) {
	return with(ctx, c.b, func(f *folder) ([]string, error) { return f.Store.FirstParents(ctx, sc, repo, commit) })
}

func (c current) Snapshots(ctx context.Context, sc store.Scope, filter store.SnapshotFilter) ([]store.Snapshot, error) {
	return with(ctx, c.b, func(f *folder) ([]store.Snapshot, error) { return f.Store.Snapshots(ctx, sc, filter) })
}

func (c current) NamedCommit(ctx context.Context, sc store.Scope, n store.CommitName) (string, error) {
	return with(ctx, c.b, func(f *folder) (string, error) { return f.Store.NamedCommit(ctx, sc, n) })
}

func (c current) Objects(ctx context.Context, sc store.Scope, repo string, digests []string) ([]store.Object, error) {
	return with(ctx, c.b, func(f *folder) ([]store.Object, error) { return f.Store.Objects(ctx, sc, repo, digests) })
}
