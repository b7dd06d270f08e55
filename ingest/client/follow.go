package client

import (
	"cmp"
	"context"
	"time"

	"github.com/blq-ci/blq/store"
)

const (
	followEvery = time.Second      // that a run's log is looked at
	beatEvery   = 10 * time.Second // that the service is told of a run that says nothing
)

// Follow sends a run while it goes on: what is stored of it so far, again and
// again, until ended is closed, and then the rest. It returns when the service
// has all of it, refuses it for good, or ctx is done; then the error says why
// it has not. A service that is slow or gone for a while costs nothing but time.
func (p *Pusher) Follow(ctx context.Context, attempt string, ended <-chan struct{}) (Pushed, error) {
	u := p.upload(attempt)
	failed := 0
	var last error
	for {
		over := closed(ended)
		err := u.advance(ctx, &last)
		switch {
		case u.Complete:
			return u.Pushed, nil
		case err != nil && ctx.Err() != nil:
			return u.Pushed, last
		case err != nil && !Passing(err):
			return u.Pushed, err
		case err != nil:
			failed++
		default:
			failed = 0
			if over && u.Run.State == store.StateRunning {
				return u.Pushed, store.Errorf(store.Conflict, "%s ended without its end being stored", u.Run.Ref())
			}
		}
		wait := followEvery
		if failed > 0 {
			wait = max(wait, backoff(failed))
		}
		wake := ended
		if over {
			wake = nil // it has woken us already
		}
		if !pause(ctx, wait, wake) {
			return u.Pushed, cmp.Or(last, store.Errorf(store.Unavailable, "there was no time to send it"))
		}
	}
}

// advance sends what there is, or that the run goes on when there is nothing.
// last keeps the newest error that says more than that ctx is done.
func (u *upload) advance(ctx context.Context, last *error) error {
	before := u.Pushed
	err := u.step(ctx)
	if err == nil && u.Run.State == store.StateRunning && before.Chunks == u.Chunks && before.Ref != "" && u.silent() {
		err = u.beat(ctx)
	}
	if err == nil {
		*last = nil
	} else if *last == nil || ctx.Err() == nil {
		*last = err
	}
	if before.Chunks != u.Chunks || before.Ref == "" {
		u.heard = time.Now()
	}
	return err
}

// silent says whether the service has not heard of the run for a while.
func (u *upload) silent() bool { return time.Since(u.heard) > beatEvery }

func (u *upload) beat(ctx context.Context) error {
	err := u.Client.Heartbeat(ctx, u.attempt)
	if err == nil {
		u.heard = time.Now()
	}
	return err
}

func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// pause waits, unless woken, and says whether to go on.
func pause(ctx context.Context, d time.Duration, wake <-chan struct{}) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-wake:
	case <-t.C:
	}
	return true
}
