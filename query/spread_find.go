//go:build !job

package query

import (
	"context"
	"strings"

	"github.com/blq-ci/blq/store"
)

func newTurnedAt(t *Turn) *TurnedAt {
	if t == nil {
		return nil
	}
	return &TurnedAt{RunRef: t.After.RunRef, Commit: t.After.Commit, BeforeRef: t.Before.RunRef,
		BeforeCommit: t.Before.Commit}
}

// spread returns where else an error occurs. r is the run with the error.
func (a *Asker) spread(ctx context.Context, r store.Run, e store.Event) (*Spread, error) {
	prints := printsOf(e)
	seen, err := a.Store.Sightings(ctx, a.Scope, r.Repo, pastRuns, prints...)
	if err != nil || len(seen.Newest) == 0 {
		return nil, err
	}
	s := &Spread{Runs: seen.Runs, Newest: seen.Newest[0].Ref().String()}
	s.Branches, s.Sources = shares(seen.Newest)
	oldest := r
	for _, o := range seen.Newest {
		if courseOf(o.Run) == courseOf(r) && o.Serial < oldest.Serial {
			oldest = o.Run
		}
	}
	c, err := a.course(ctx, oldest, seen, prints)
	s.Came, s.Went = newTurnedAt(c.Came), newTurnedAt(c.Went)
	return s, err
}

// asFingerprint parses a fingerprint. A repository may be before the fingerprint:
// owner/name@gcc_compile_0123456789abcdef. ok is false if ref is not a fingerprint.
func asFingerprint(ref string) (repo, print string, ok bool) {
	print = strings.TrimSpace(ref)
	if owner, rest, found := strings.Cut(print, "@"); found && store.IsRepoName(owner) {
		repo, print = owner, rest
	}
	_, ok = store.FingerprintHash(print)
	return repo, print, ok
}

// named returns the newest event with a fingerprint, and the run of the event. The bool result reports whether ref is
// a fingerprint. If not, named reads nothing. NotFound: no run has such an event.
func (a *Asker) named(ctx context.Context, ref string) (r store.Run, newest store.Event, is bool, err error) {
	repo, print, is := asFingerprint(ref)
	if !is {
		return r, newest, false, nil
	}
	e, seen, err := a.sightings(ctx, repo, print, 1)
	if err != nil {
		return r, newest, true, err
	}
	r = seen.Newest[0].Run
	page, err := a.Store.Events(ctx, a.Scope, store.EventFilter{Runs: store.RunFilter{Attempts: []string{r.Attempt}},
		Fingerprints: printsOf(e), Limit: 1, Uncounted: true})
	if err == nil && len(page.Events) == 0 { // the run was removed after the search
		err = unknownPrint(print)
	}
	return r, first(page.Events), true, err
}
