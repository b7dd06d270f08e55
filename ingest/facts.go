package ingest

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/klauspost/compress/zstd"

	"github.com/blq-ci/blq/facts"
	"github.com/blq-ci/blq/ingest/api"
	"github.com/blq-ci/blq/internal/auth"
	"github.com/blq-ci/blq/internal/httpserver"
	"github.com/blq-ci/blq/store"
)

// putFacts stores which facts a commit has, or answers which objects are missing.
func (s *Service) putFacts(w http.ResponseWriter, r *http.Request) error {
	var in api.Facts
	if err := s.readJSON(w, r, &in); err != nil {
		return err
	}
	snapshot, err := s.newSnapshot(caller(r.Context()), in)
	if err != nil {
		return err
	}
	done, err := s.claim(r.Context(), snapshot.Repo, claim{bytes: store.SnapshotRow})
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
	status := http.StatusOK
	if !state.Stored {
		status = http.StatusAccepted
	}
	httpserver.WriteJSON(w, status, state)
	return nil
}

// addSnapshot adds a snapshot. If the repository has its manifest, that says which objects are needed.
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
	m, _, err := facts.ReadManifest(ctx, s.Store, s.Blobs, snapshot.Repo, snapshot.Manifest)
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

// checkSizes compares the sizes in a manifest with those of the objects.
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

// newSnapshot returns a snapshot with what a client says, and what its token proves. A job may tell of other commits
// than its own, but then they are the heads of nothing.
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

// putObject stores a file or a manifest of facts.
func (s *Service) putObject(w http.ResponseWriter, r *http.Request) error {
	q, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return store.Errorf(store.Invalid, "the query cannot be read")
	}
	p := caller(r.Context())
	repo := q.Get(api.ParamRepo)
	if p.Facts != nil {
		repo = p.Facts.Repo
	}
	if repo, err = writable(p, repo); err != nil {
		return err
	}
	digest := r.PathValue("digest")
	if !store.IsDigest(digest) {
		return store.Errorf(store.Invalid, "%.80q is not a SHA-256 in hexadecimal", digest)
	}
	if err := contentType(r, "application/octet-stream", "application/zstd", "text/plain"); err != nil {
		return err
	}
	if err := contentEncoding(r, "zstd"); err != nil {
		return err
	}
	size := bodySize(r, api.MaxObject)
	if err := s.limited(limitBytes, s.rates.body(repo, min(size, int64(s.Limits.BytesBurst)))); err != nil {
		return err
	}
	done, err := s.claim(r.Context(), repo, claim{bytes: store.ObjectRow + size})
	if err != nil {
		return err
	}
	defer done()
	if err := s.keepObject(w, r, repo, digest); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// keepObject reads a body and stores it, if it has the digest.
func (s *Service) keepObject(w http.ResponseWriter, r *http.Request, repo, digest string) error {
	body, err := s.readBody(w, r, api.MaxObject)
	if err != nil {
		return err
	}
	leave, err := s.work.Enter(r.Context(), httpserver.Tenant(r.Context()))
	if err != nil {
		return err
	}
	content, err := s.unpackObject(r, body)
	same := err == nil && facts.Digest(content) == digest
	leave()
	if err != nil {
		return err
	}
	if !same {
		return store.Hint(store.Errorf(store.Invalid, "the body does not have the digest %.12s", digest), "send it again")
	}
	known, err := s.Store.Objects(r.Context(), store.Repos(repo), repo, []string{digest})
	if err != nil || len(known) > 0 {
		return err
	}
	if err := facts.AddObject(r.Context(), s.Store, s.Blobs, repo, content, s.Now()); err != nil {
		return err
	}
	s.Observer.Received(KindObject, 1, int64(len(body)))
	return nil
}

// unpackObject returns the content of a body that may be compressed.
func (s *Service) unpackObject(r *http.Request, body []byte) ([]byte, error) {
	if !strings.EqualFold(strings.TrimSpace(r.Header.Get("Content-Encoding")), "zstd") {
		return body, nil
	}
	d, err := zstd.NewReader(bytes.NewReader(body), zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxWindow(8<<20))
	if err != nil {
		return nil, store.Errorf(store.Invalid, "the body is not zstd: %w", err)
	}
	defer d.Close()
	content, err := io.ReadAll(&unpacked{Reader: d, ctx: r.Context(), max: api.MaxObject, left: api.MaxObject})
	switch store.CodeOf(err) {
	case store.TooLarge:
		return nil, s.limited(limitBody, err)
	case store.Unavailable:
		return nil, s.limited(limitUploads, err)
	}
	if err != nil {
		return nil, store.Errorf(store.Invalid, "the body is not whole or not zstd: %w", err)
	}
	return content, nil
}
