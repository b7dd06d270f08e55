package maintenance

import (
	"context"
	"time"

	"github.com/blq-ci/blq/store"
)

// quotaEvery is the time between looks at the quotas of storage.
const quotaEvery = time.Minute

// From the part highQuota of a quota of storage on, the oldest runs are removed, until lowQuota is left. So new runs
// find room, and not every round removes some.
const (
	highQuota = 0.95
	lowQuota  = 0.90
)

// keepQuotas removes the oldest runs of repositories, and then of owners, that have used up their quotas of storage.
func (u *Upkeep) keepQuotas(ctx context.Context, r *Round) error {
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
			done, err := u.Store.Shrink(ctx, usage, int64(lowQuota*float64(quota.Bytes)))
			r.Pruned.Add(done)
			if err != nil {
				return err
			}
			u.tellRemoved(ctx, usage, done)
		}
	}
	return nil
}

func (u *Upkeep) tellRemoved(ctx context.Context, usage store.Usage, done store.Pruned) {
	if done.Runs > 0 {
		u.Log.InfoContext(ctx, "oldest runs removed by quota", "of", usage.Name(), "runs", done.Runs)
	}
}

// recountParts is the number of rounds in which everything is counted again.
const recountParts = int(24 * time.Hour / seldom)

// recount compares the usage of a part of the repositories with their runs, by the time of day.
func (u *Upkeep) recount(ctx context.Context, r *Round) (err error) {
	part := int(u.Now().Unix()/int64(seldom/time.Second)) % recountParts
	r.Corrected, err = u.Store.Recount(ctx, part, recountParts)
	return err
}
