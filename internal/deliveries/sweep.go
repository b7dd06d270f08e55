package deliveries

import (
	"context"
	"errors"
	"time"

	"github.com/blq-ci/blq/internal/queue"
	"github.com/blq-ci/blq/store"
)

// These limit a sweep. GitHub keeps deliveries for three days.
const (
	redelivered = 24 * time.Hour
	swept       = 3 * time.Hour
)

// Sweep finds events for which no delivery has arrived. It asks GitHub to send failed deliveries again, and looks for
// recently completed workflow runs. Any replica may sweep, also repeatedly.
func (d *Deliveries) Sweep(ctx context.Context, q *queue.Queue) error {
	if d.App == nil {
		return nil
	}
	return errors.Join(d.redeliver(ctx), d.sweepRuns(ctx, q))
}

// redeliver asks GitHub to repeat the deliveries that this service has not acknowledged. GitHub lists all attempts of
// all deliveries, newest first. So the first listed attempt of a delivery shows the state of the delivery.
func (d *Deliveries) redeliver(ctx context.Context) error {
	self, err := d.App.Self()
	if err != nil {
		return err
	}
	sent, err := self.SentDeliveries(ctx, d.Now().Add(-redelivered))
	if err != nil {
		return err
	}
	seen := map[string]bool{}
	for _, s := range sent {
		if failed := s.StatusCode < 200 || s.StatusCode >= 300; failed && !seen[s.GUID] {
			d.Log.InfoContext(ctx, "delivery is asked for again", "delivery", s.GUID, "event", s.Event, "status", s.StatusCode)
			if err := self.Redeliver(ctx, s.ID); err != nil {
				return err
			}
		}
		seen[s.GUID] = true
	}
	return nil
}

// sweepRuns queues the recently completed workflow runs of enrolled repositories. Known runs are not queued again.
func (d *Deliveries) sweepRuns(ctx context.Context, q *queue.Queue) error {
	repos, err := d.Directory.EnrolledRepos(ctx)
	if err != nil {
		return err
	}
	var failed []error
	for _, r := range repos {
		if r.Host == d.App.Host() {
			failed = append(failed, d.sweepRepo(ctx, q, r))
		}
	}
	return errors.Join(failed...)
}

func (d *Deliveries) sweepRepo(ctx context.Context, q *queue.Queue, r store.EnrolledRepo) error {
	client, err := d.App.ForRepo(ctx, r.Name)
	if store.CodeOf(err) == store.NotFound {
		return nil // the repository was enrolled by hand
	}
	if err != nil {
		return err
	}
	runs, err := client.RecentRuns(ctx, r.Name, d.Now().Add(-swept))
	if err != nil {
		return d.queueError(r, err)
	}
	for _, run := range runs {
		list, err := d.runWork(place{Host: r.Host, RepoID: r.ID}, r.Name, run)
		if err != nil {
			return err
		}
		done, err := d.Claim(ctx, r.Name, store.Claim{Bytes: list[0].StoredBytes()})
		if store.CodeOf(err) == store.Full {
			return nil // later runs have no room either, and later sweeps find them
		}
		if err != nil {
			return err
		}
		_, err = q.Put(ctx, list...)
		done()
		if err != nil {
			return err
		}
	}
	return nil
}
