package maintenance

import (
	"context"
	"errors"
	"time"

	"github.com/blq-ci/blq/facts"
	"github.com/blq-ci/blq/store"
)

// quotaEvery is the interval at which storage quotas are checked.
const quotaEvery = time.Minute

// These are fractions of a storage quota. When the used fraction reaches highQuota, the oldest runs and snapshots are
// removed until the fraction is only lowQuota. So there is room for new runs, and not every round removes runs.
const (
	highQuota = 0.95
	lowQuota  = 0.90
)

// keepQuotas removes the oldest runs and snapshots of repositories that use at least the fraction highQuota of their
// storage quotas. After that it does the same for owners. The log objects of the removed runs are deleted at once,
// because the room is given to new runs at once. Otherwise the objects could take far more than the quota.
func (u *Upkeep) keepQuotas(ctx context.Context, r *Round) error {
	full := map[string]bool{} // names of repositories and owners
	for _, owners := range []bool{false, true} {
		all, err := u.Store.Usages(ctx)
		if err != nil {
			return err
		}
		for _, usage := range all {
			quota := u.Quotas.Of(usage)
			bytes, _, _ := quota.Shares(usage)
			if usage.IsOwner() != owners || bytes < highQuota {
				continue
			}
			full[usage.Name()] = true
			done, err := u.Store.Shrink(ctx, usage, int64(lowQuota*float64(quota.Bytes)))
			r.Pruned.Add(done)
			if err != nil {
				return err
			}
			u.tellRemoved(ctx, usage, done)
		}
	}
	swept := u.sweepFull(ctx, full)
	if r.Pruned.Runs == 0 {
		return swept
	}
	n, err := u.deleteGarbage(ctx)
	r.Objects = n
	return errors.Join(swept, err)
}

// sweepFull drops unused objects in repositories whose own or owner's quota is almost used up. It does so at most once
// in the time seldom, because it reads all manifests of these repositories.
func (u *Upkeep) sweepFull(ctx context.Context, full map[string]bool) error {
	if len(full) == 0 || u.Now().Sub(u.swept) < seldom {
		return nil
	}
	u.swept = u.Now()
	_, err := facts.SweepFull(ctx, u.Store, u.Blobs,
		func(repo string) bool { return full[repo] || full[store.OwnerOf(repo)] }, u.Now())
	return err
}

func (u *Upkeep) tellRemoved(ctx context.Context, usage store.Usage, done store.Pruned) {
	if done.Runs+done.Snapshots+done.Sources+done.Jobs > 0 {
		u.Log.InfoContext(ctx, "oldest runs removed by quota", "of", usage.Name(), "runs", done.Runs, "snapshots",
			done.Snapshots, "sources", done.Sources, "jobs", done.Jobs)
	}
}

// recountParts is the number of parts into which recount divides the repositories. A call of recount counts one
// part.
const recountParts = int(24 * time.Hour / seldom)

// recount counts the usage of some repositories again, and corrects the recorded usage. The hour of the day selects the
// repositories.
func (u *Upkeep) recount(ctx context.Context, r *Round) (err error) {
	part := int(u.Now().Unix()/int64(seldom/time.Second)) % recountParts
	r.Corrected, err = u.Store.Recount(ctx, part, recountParts)
	return err
}
