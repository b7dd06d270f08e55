package store

import "context"

// SnapshotPlace is the row of a snapshot that is being added, in the transaction of an engine.
type SnapshotPlace interface {
	// Stored returns the snapshot in the row, and reports whether there is one.
	Stored(ctx context.Context) (Snapshot, bool, error)

	// Rename gives the stored snapshot the branch and tag of the new snapshot, unless they are "". The names may have
	// changed, for example after a merge. If the new snapshot is verified, the stored snapshot becomes verified, too.
	Rename(ctx context.Context) error

	// Missing returns the digests of the objects that the store does not have. It protects stored objects from sweeps.
	// If a stored snapshot has the same manifest, no object is missing. In that case Missing copies the numbers of
	// files and bytes from the stored snapshot.
	Missing(ctx context.Context, objects []string) ([]string, error)

	// Drop removes the stored snapshot.
	Drop(ctx context.Context) error

	// Insert adds the snapshot.
	Insert(ctx context.Context) error
}

// Put adds the snapshot in its place. If objects are missing, it returns their digests and adds nothing. If the place
// has a snapshot with the same manifest, Put only updates the names of the stored snapshot. If the manifests differ, a
// verified snapshot replaces a stored one that is not verified. Conflict: the stored snapshot has another manifest and
// stays.
func (s Snapshot) Put(ctx context.Context, in SnapshotPlace, objects []string) (missing []string, err error) {
	old, there, err := in.Stored(ctx)
	if err != nil {
		return nil, err
	}
	if there {
		replaces, err := s.checkSame(old)
		if err != nil {
			return nil, err
		}
		if !replaces {
			return nil, in.Rename(ctx)
		}
	}
	if missing, err = in.Missing(ctx, objects); err != nil || len(missing) > 0 {
		return missing, err
	}
	if there {
		if err := in.Drop(ctx); err != nil {
			return nil, err
		}
	}
	return nil, in.Insert(ctx)
}
