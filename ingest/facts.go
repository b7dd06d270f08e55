package ingest

import (
	"context"
	"net/http"

	"github.com/blq-ci/blq/facts"
	"github.com/blq-ci/blq/ingest/api"
	"github.com/blq-ci/blq/internal/auth"
	"github.com/blq-ci/blq/internal/httpserver"
	"github.com/blq-ci/blq/store"
)

// putFacts stores the snapshot of a commit's facts, or answers which objects are missing.
func (s *Service) putFacts(w http.ResponseWriter, r *http.Request) error {
	var in api.Facts
	if err := s.readJSON(w, r, &in); err != nil {
		return err
	}
	snapshot, err := s.newSnapshot(caller(r.Context()), in)
	if err != nil {
		return err
	}
	done, err := s.claim(r.Context(), snapshot.Repo, store.Claim{Bytes: store.SnapshotRow})
	if err != nil {
		return err
	}
	defer done()
	added, missing, err := s.addSnapshot(r.Context(), snapshot, in.Ancestors)
	if err != nil {
		return err
	}
	state := api.FactsState{Repo: snapshot.Repo, Commit: snapshot.Commit, Kind: snapshot.Kind, Manifest: snapshot.Manifest,
		Untrusted: snapshot.Fork, Files: added.Files, Bytes: added.Bytes, Stored: len(missing) == 0,
		Missing: missing[:min(len(missing), api.MaxMissing)]}
	if state.Stored && s.Told != nil {
		s.Told(r.Context(), snapshot)
	}
	status := http.StatusOK
	if !state.Stored {
		status = http.StatusAccepted
	}
	httpserver.WriteJSON(w, status, state)
	return nil
}

// addSnapshot adds a snapshot. If the repository already has the manifest, addSnapshot reads the manifest to learn
// which objects the snapshot needs.
func (s *Service) addSnapshot(ctx context.Context, snapshot store.Snapshot, ancestors []string) (
	store.Snapshot, []string, error) {
	added, missing, err := s.Store.AddSnapshot(ctx, snapshot, ancestors, nil)
	if err != nil || len(missing) == 0 {
		return added, nil, err
	}
	known, err := s.Store.Objects(ctx, store.Repos(snapshot.Repo), snapshot.Repo, missing)
	if err != nil || len(known) == 0 {
		return added, missing, err
	}
	if known[0].Size > facts.MaxManifest {
		return added, nil, store.Errorf(store.TooLarge, "the manifest has more than %d bytes", facts.MaxManifest)
	}
	if err := httpserver.Hold(ctx, 4*known[0].Size); err != nil {
		return added, nil, s.limited(limitUploads, err)
	}
	m, _, err := facts.ReadManifest(ctx, s.Store, s.Blobs, snapshot.Repo, snapshot.Manifest, s.turn)
	if err != nil {
		return added, nil, err
	}
	if m.Kind != snapshot.Kind {
		return added, nil, store.Errorf(store.Invalid, "the manifest is one of %s, not of %s", m.Kind, snapshot.Kind)
	}
	digests := m.Digests()
	if err := s.checkSizes(ctx, snapshot.Repo, m, digests); err != nil {
		return added, nil, err
	}
	size := m.Size()
	snapshot.Files, snapshot.Bytes = size.Files, size.Bytes
	return s.Store.AddSnapshot(ctx, snapshot, ancestors, digests)
}

// checkSizes compares the sizes that a manifest declares with the sizes of the objects.
func (s *Service) checkSizes(ctx context.Context, repo string, m facts.Manifest, digests []string) error {
	objects, err := s.Store.Objects(ctx, store.Repos(repo), repo, digests)
	if err != nil {
		return err
	}
	sizes := make(map[string]int64, len(objects))
	for _, o := range objects {
		sizes[o.Digest] = o.Size
	}
	for _, e := range m.Entries {
		if size, known := sizes[e.Digest]; known && size != e.Size {
			return store.Errorf(store.Invalid, "%.200q has %d bytes, not %d", e.Path, size, e.Size)
		}
	}
	return nil
}

// newSnapshot returns a snapshot with the facts that a client sends. If the caller's token proves some of these
// facts, the facts of the token are used instead. A job may also send facts of commits other than its own. Such a
// snapshot is not verified. Its commit can only be the head of a pull request that the job is about.
func (s *Service) newSnapshot(p auth.Principal, in api.Facts) (store.Snapshot, error) {
	if err := checkFields(field{"git_branch", in.Branch, 1000}, field{"git_tag", in.Tag, 1000}); err != nil {
		return store.Snapshot{}, err
	}
	if err := checkNumbers(number{"pr_number", in.PR}); err != nil {
		return store.Snapshot{}, err
	}
	if len(in.Ancestors) > api.MaxAncestors {
		return store.Snapshot{}, store.Errorf(store.Invalid, "ancestors has %d commits; it may have %d", len(in.Ancestors),
			api.MaxAncestors)
	}
	snapshot := store.Snapshot{Repo: in.Repo, Commit: in.Commit, Kind: in.Kind, Manifest: in.Manifest, Branch: in.Branch,
		Tag: in.Tag, PR: in.PR, Fork: in.Fork, Verified: true, CreatedAt: s.Now()}
	if p.Facts != nil {
		p.Facts.OverruleSnapshot(&snapshot)
	}
	var err error
	if snapshot.Repo, err = writable(p, snapshot.Repo); err != nil {
		return store.Snapshot{}, err
	}
	return snapshot.Checked()
}
