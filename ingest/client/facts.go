package client

import (
	"context"
	"sync"

	"github.com/blq-ci/blq/facts"
	"github.com/blq-ci/blq/ingest/api"
	"github.com/blq-ci/blq/store"
)

// FactsPush sends the facts of a commit.
type FactsPush struct {
	Client *Client
	// Snapshot names the commit. Its manifest is replaced by the manifest of Set.
	Snapshot  store.Snapshot
	Ancestors []string // first-parent ancestors, nearest first
	Set       *facts.Listed
}

// FactsPushed says which facts of a commit a service has.
type FactsPushed struct {
	Repo      string
	Untrusted bool // the service treats the facts as facts of a fork
	Objects   int  // number of objects sent
	Bytes     int64
}

// sendersAtOnce is the max number of concurrent requests with objects.
const sendersAtOnce = 4

// maxRounds is the max number of times that the client asks the service for missing objects. An answer may name only
// some of the missing objects.
const maxRounds = 20

// Push sends the facts that the service does not have. After an interruption, the caller may call Push again, and
// objects that have arrived are not sent again. The error is Conflict if the service has other facts of the commit. It
// is TooLarge or Full if the facts exceed a limit or a quota.
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

// tell sends the snapshot to the service.
func (p FactsPush) tell(ctx context.Context) (state api.FactsState, err error) {
	s := p.Snapshot
	err = p.Client.Post(ctx, "/v1/facts", api.Facts{Repo: s.Repo, Commit: s.Commit, Kind: s.Kind, Manifest: p.Set.Digest(),
		Branch: s.Branch, Tag: s.Tag, PR: s.PR, Fork: s.Fork,
		Ancestors: p.Ancestors[:min(len(p.Ancestors), api.MaxAncestors)]}, &state)
	return state, err
}

// send sends objects with several requests at a time.
func (p FactsPush) send(ctx context.Context, repo string, digests []string, sent *FactsPushed) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	x := &objectSender{FactsPush: p, repo: repo, digests: digests, sent: sent}
	var wg sync.WaitGroup
	for range min(sendersAtOnce, len(digests)) {
		wg.Go(func() {
			if err := x.run(ctx); err != nil {
				stop(err) // the first error is the cause
			}
		})
	}
	wg.Wait()
	return context.Cause(ctx)
}
