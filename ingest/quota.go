package ingest

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/blq-ci/blq/store"
)

// unreadBatch is the claim for a request with a batch of events, before the request's body is read.
var unreadBatch = store.Claim{Events: 1, Bytes: store.BatchRow + store.EventRow}

// claims holds the sums of the claims of open requests, by the name of a repository or owner. The usage in the store
// does not include these claims yet. Without the sums, many concurrent requests could use the same free part of a
// quota.
type claims struct {
	mu   sync.Mutex
	open map[string]store.Claim
}

func newClaims() *claims { return &claims{open: map[string]store.Claim{}} }

// add adds a claim and returns the new sum.
func (a *claims) add(name string, c store.Claim) store.Claim {
	a.mu.Lock()
	defer a.mu.Unlock()
	sum := a.open[name].Plus(c)
	a.open[name] = sum
	if sum == (store.Claim{}) {
		delete(a.open, name)
	}
	return sum
}

// claimFor calls claim for data that is added to a run. It claims nothing for a completed run, because no data can be
// added to that run.
func (s *Service) claimFor(ctx context.Context, run store.Run, c store.Claim) (done func(), err error) {
	if run.State == store.StateCompleted {
		return func() {}, nil
	}
	return s.claim(ctx, run.Repo, c)
}

// claim checks that the quotas of a repository and its owner have room for the data of a request. The caller calls done
// when the store has the data. The error is Full if the storage quota has no room, or if the owner has too many
// repositories. It is RateLimited if a daily quota has no room, or if other open requests claim the room (see
// othersAsk).
func (s *Service) claim(ctx context.Context, repo string, c store.Claim) (done func(), err error) {
	if s.Quotas.None() {
		return func() {}, nil
	}
	names := [...]string{repo, store.OwnerOf(repo) + store.AllRepos}
	var sums [len(names)]store.Claim
	for i, name := range names {
		sums[i] = s.open.add(name, c)
	}
	done = func() {
		for _, name := range names {
			s.open.add(name, store.Claim{Runs: -c.Runs, Events: -c.Events, Bytes: -c.Bytes})
		}
	}
	// The usage is read after the claim is added. So the sums include an earlier claim until its data is in the usage.
	of, owner, err := s.Store.Usage(ctx, repo)
	if err == nil {
		err = s.checkQuotas(of, owner, c, sums)
	}
	if near := s.Quotas.Of(of).Near(of, sums[0]) || s.Quotas.Of(owner).Near(owner, sums[1]); err == nil && near {
		done, err = s.claimOfAll(ctx, repo, c, sums, done)
	}
	if err == nil && of.Runs == 0 && (c.Runs > 0 || of.Bytes == 0) {
		err = s.checkRepos(ctx, owner, repo)
	}
	if err != nil {
		done()
		return nil, err
	}
	return done, nil
}

// shared is a store that several replicas share. It shows a replica the claims of the other replicas.
type shared interface {
	// Claim adds a claim. It returns the sums of all replicas' claims for the repository and for its owner. The caller
	// calls done after the data is stored.
	Claim(ctx context.Context, repo string, c store.Claim) (of, owner store.Claim, done func(), err error)
}

// claimOfAll checks the quotas again with the claims of all replicas. It checks nothing if replicas cannot share the
// store. If two replicas claim the last free part of a quota at the same moment, both claims may be refused. claimOfAll
// returns a function that ends the claim, even if it returns an error.
func (s *Service) claimOfAll(ctx context.Context, repo string, c store.Claim, own [2]store.Claim, done func()) (
	func(), error) {
	db, ok := s.Store.(shared)
	if !ok {
		return done, nil
	}
	ofClaims, ownerClaims, release, err := db.Claim(ctx, repo, c)
	if err != nil {
		return done, err
	}
	end := func() {
		release()
		done()
	}
	of, owner, err := s.Store.Usage(ctx, repo)
	if err == nil {
		err = s.checkQuotas(of, owner, c, [2]store.Claim{own[0].Max(ofClaims), own[1].Max(ownerClaims)})
	}
	return end, err
}

// claimWork makes a claim for a job of the queue. It returns an error if the owner's storage quota has no room for the
// job. name is the name of a repository, or "owner/". Jobs may exceed the quota a little (see workShare), because a
// stored job can report that there is no room.
func (s *Service) claimWork(ctx context.Context, name string, bytes int64) (done func(), err error) {
	if s.Quotas.None() {
		return func() {}, nil
	}
	c := store.Claim{Bytes: bytes}
	owner := store.OwnerOf(name)
	own := s.open.add(owner+store.AllRepos, c)
	done = func() { s.open.add(owner+store.AllRepos, store.Claim{Bytes: -bytes}) }
	_, u, err := s.Store.Usage(ctx, name)
	if q := s.Quotas.Of(u); err == nil && q.Bytes > 0 && u.Bytes+own.Bytes > q.Bytes+q.Bytes/workShare {
		err = s.noRoom("owner "+owner, q)
	}
	if err != nil {
		done()
		return nil, err
	}
	return done, nil
}

// workShare limits by how much jobs of the queue may exceed the storage quota of an owner: by 1/workShare of the quota.
const workShare = 16

// checkQuotas checks the quotas of a repository and of its owner.
func (s *Service) checkQuotas(of, owner store.Usage, c store.Claim, sums [2]store.Claim) error {
	if err := s.checkQuota(of, c, sums[0]); err != nil {
		return err
	}
	return s.checkQuota(owner, c, sums[1])
}

// Room makes a claim for bytes that are stored outside of the API (see claim).
func (s *Service) Room(ctx context.Context, repo string, bytes int64) (done func(), err error) {
	return s.claim(ctx, repo, store.Claim{Bytes: bytes})
}

// Claim makes a claim for data that is stored outside of the API (see claim).
func (s *Service) Claim(ctx context.Context, repo string, c store.Claim) (done func(), err error) {
	return s.claim(ctx, repo, c)
}

// RoomForJob makes a claim for a job that is put into the queue outside of the API (see claimWork).
func (s *Service) RoomForJob(ctx context.Context, repo string, bytes int64) (done func(), err error) {
	return s.claimWork(ctx, repo, bytes)
}

// checkQuota checks that the daily quotas and the storage quota of a repository or an owner have room for the claim c.
// sum is the sum of all open claims, including c.
func (s *Service) checkQuota(u store.Usage, c, sum store.Claim) error {
	q := s.Quotas.Of(u)
	who := "repository " + u.Name()
	if u.IsOwner() {
		who = "owner " + u.Name()
	}
	switch {
	case c.Runs > 0 && q.Runs > 0 && u.DayRuns+sum.Runs > q.Runs:
		if u.DayRuns+c.Runs <= q.Runs {
			return s.limited(limitDayRuns, othersAsk(who))
		}
		return s.limited(limitDayRuns, perDay(u, "%s has started the %d runs that it may start on a day", who, q.Runs))
	case c.Events > 0 && q.Events > 0 && u.DayEvents+sum.Events > q.Events:
		if u.DayEvents+c.Events <= q.Events {
			return s.limited(limitDayEvents, othersAsk(who))
		}
		return s.limited(limitDayEvents, perDay(u, "%s may add %d events on a day, and has added %d", who, q.Events,
			u.DayEvents))
	case q.Bytes > 0 && u.Bytes+sum.Bytes > q.Bytes:
		if u.Bytes+c.Bytes <= q.Bytes {
			return s.limited(limitStorage, othersAsk(who))
		}
		return s.noRoom(who, q)
	}
	return nil
}

// othersAsk returns the error for a quota that has room for a request, but not for all open requests together. The
// client may soon try again, because some requests store less than they claim, and others are counted twice for a
// moment.
func othersAsk(who string) error {
	err := store.Errorf(store.RateLimited, "%s has nearly used up a quota, and other requests ask for the rest of it", who)
	return store.Later(store.Hint(err, "try again"), time.Second)
}

// noRoom returns the error for a storage quota that is used up.
func (s *Service) noRoom(who string, q store.Quota) error {
	return s.limited(limitStorage, store.Hint(
		store.Errorf(store.Full, "%s may store %s, and has used them up", who, megabytes(q.Bytes)),
		"the operator of the service can remove old runs of it, or raise its quota"))
}

// checkRepos returns an error for the first run or facts of a repository if its owner already has the max number of
// repositories.
func (s *Service) checkRepos(ctx context.Context, owner store.Usage, repo string) error {
	limit := s.Quotas.Of(owner).Repos
	if limit <= 0 {
		return nil
	}
	crowded, err := s.Store.Crowded(ctx, repo, limit)
	if err != nil || !crowded {
		return err
	}
	return s.limited(limitRepos, store.Hint(
		store.Errorf(store.Full, "owner %s has runs of %d repositories, as many as may be", owner.Owner, limit),
		"the operator of the service can raise its quota"))
}

// perDay returns the error for a daily quota that has no room for a request until the next day.
func perDay(u store.Usage, format string, args ...any) error {
	err := store.Hint(store.Errorf(store.RateLimited, format, args...),
		"the next day begins at 00:00 UTC; the operator of the service can raise the quota")
	return store.Later(err, u.DayLeft)
}

// megabytes returns a size in the form that settings use.
func megabytes(n int64) string {
	if n < 1<<20 {
		return fmt.Sprintf("%d bytes", n)
	}
	return fmt.Sprintf("%d MB", n>>20)
}
