package client

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"sync"

	"github.com/blq-ci/blq/facts"
	"github.com/blq-ci/blq/ingest/api"
	"github.com/blq-ci/blq/store"
)

// FactsPush sends the facts of a commit.
type FactsPush struct {
	Client *Client
	// Snapshot names the commit; the manifest is that of Set.
	Snapshot  store.Snapshot
	Ancestors []string // first-parent ancestors, nearest first
	Set       *facts.Listed
}

// FactsPushed is what a service has of the facts of a commit.
type FactsPushed struct {
	Repo      string
	Untrusted bool // the service takes them for those of a fork
	Objects   int  // that were sent
	Bytes     int64
}

// objectsAtOnce is how many objects are sent at a time. Most are small, so the time goes by waiting.
const objectsAtOnce = 8

// maxRounds is how often the service is asked what it lacks. It names a part of the objects at a time.
const maxRounds = 20

// Push sends what the service lacks. It may be interrupted and called again; what was sent is not sent again. Conflict:
// the service has other facts of the commit. TooLarge, Full: they are over a limit or a quota.
func (p FactsPush) Push(ctx context.Context) (FactsPushed, error) {
	var sent FactsPushed
	for range maxRounds {
		state, err := p.tell(ctx)
		if err != nil {
			return sent, err
		}
		sent.Repo, sent.Untrusted = clean(state.Repo), state.Untrusted
		if state.Stored {
			return sent, nil
		}
		if len(state.Missing) == 0 {
			return sent, store.Errorf(store.Unavailable, "%s has not stored the facts, and does not say what is missing",
				p.Client.base.Host)
		}
		if err := p.send(ctx, sent.Repo, state.Missing, &sent); err != nil {
			return sent, err
		}
	}
	return sent, store.Later(store.Errorf(store.Unavailable, "%s goes on asking for objects that it was sent",
		p.Client.base.Host), 0)
}

// tell tells the service of the commit.
func (p FactsPush) tell(ctx context.Context) (state api.FactsState, err error) {
	s := p.Snapshot
	err = p.Client.Post(ctx, "/v1/facts", api.Facts{Repo: s.Repo, Commit: s.Commit, Kind: s.Kind, Manifest: p.Set.Digest(),
		Branch: s.Branch, Tag: s.Tag, PR: s.PR, Fork: s.Fork,
		Ancestors: p.Ancestors[:min(len(p.Ancestors), api.MaxAncestors)]}, &state)
	return state, err
}

// send sends objects, several at a time.
func (p FactsPush) send(ctx context.Context, repo string, digests []string, sent *FactsPushed) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var (
		wg    sync.WaitGroup
		mu    sync.Mutex
		first error
		next  int
	)
	take := func() (string, bool) {
		mu.Lock()
		defer mu.Unlock()
		next++
		if next > len(digests) || first != nil {
			return "", false
		}
		return digests[next-1], true
	}
	for range min(objectsAtOnce, len(digests)) {
		wg.Go(func() {
			for digest, ok := take(); ok; digest, ok = take() {
				n, err := p.sendObject(ctx, repo, digest)
				mu.Lock()
				if err != nil {
					first = cmp.Or(first, err)
					stop()
				} else {
					sent.Objects++
					sent.Bytes += n
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return first
}

// smallObject is the size below which compressing an object does not help.
const smallObject = 512

// sendObject sends the manifest or a file, and returns the bytes that were sent.
func (p FactsPush) sendObject(ctx context.Context, repo, digest string) (int64, error) {
	content, err := p.Set.Content(ctx, digest)
	if err != nil {
		return 0, err
	}
	header := map[string]string{"Content-Type": "application/octet-stream"}
	if len(content) >= smallObject {
		if packed := p.Client.encoder.EncodeAll(content, nil); len(packed) < len(content) {
			content, header["Content-Encoding"] = packed, "zstd"
		}
	}
	err = p.Client.call(ctx, request{method: http.MethodPut, path: "/v1/facts/objects/" + url.PathEscape(digest),
		query: url.Values{api.ParamRepo: {repo}}, header: header, body: content}, nil)
	return int64(len(content)), err
}
