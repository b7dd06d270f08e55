package client

import (
	"cmp"
	"context"
	"time"

	"github.com/blq-ci/blq/store"
)

const (
	followEvery = 300 * time.Millisecond // interval at which the log on this machine is checked for new parts
	beatEvery   = 10 * time.Second       // interval of heartbeats
)

// follow sends a run while it runs. Until the channel ended is closed, follow repeatedly sends the new parts. After
// that it sends the rest. It returns when the service has everything, when the service refuses the run for good, or
// when ctx is done. After ended is closed, it also returns when a quota is used up, or when the end of the run is not
// stored. The error says what is missing. If the service is slow or unreachable for a while, follow waits and tries
// again.
func (p *Pusher) follow(ctx context.Context, attempt string, ended <-chan struct{}) (Pushed, error) {
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
		case err != nil && (!Passing(err) || over && used(err)):
			return u.Pushed, err
		case err != nil || u.refusal() != nil:
			failed++
		default:
			failed = 0
			if over && u.Run.State == store.StateRunning {
				return u.Pushed, store.Errorf(store.Conflict, "%s ended without its end being stored", u.Run.Ref())
			}
		}
		wait := followEvery
		if failed > 0 {
			wait = max(wait, min(backoff(failed), u.waitAfter(err)))
		}
		wake := ended
		if over {
			wake = nil // the channel is closed, so a further wait for it would end at once
		}
		if !pause(ctx, wait, wake) {
			return u.Pushed, cmp.Or(last, store.Errorf(store.Unavailable, "there was no time to send it"))
		}
	}
}

// advance sends the new parts of a run. If the last heartbeat is too old, it also sends a heartbeat, because parts do
// not bring back a run that the service has marked as orphaned. advance sets *last to its error. Without an error it
// sets *last to the reason why the service refuses a part of the run, or to nil. If ctx is done and there is an error,
// *last keeps an earlier error.
func (u *upload) advance(ctx context.Context, last *error) error {
	before := u.Pushed
	err := u.step(ctx)
	if err == nil && u.Run.State == store.StateRunning && before.Ref != "" && u.mustBeat() {
		err = u.beat(ctx)
	}
	if err == nil {
		*last = u.refusal()
	} else if *last == nil || ctx.Err() == nil {
		*last = err
	}
	if before.Ref == "" { // starting a run counts as a heartbeat
		u.beaten = time.Now()
	}
	return err
}

// waitAfter returns the max wait after a try that returned err. Without an error it is the interval of heartbeats,
// even if the service has no room for a part of the run.
func (u *upload) waitAfter(err error) time.Duration {
	if err == nil {
		return beatEvery
	}
	return maxWait
}

// mustBeat reports whether it is time for a heartbeat.
func (u *upload) mustBeat() bool { return time.Since(u.beaten) > cmp.Or(u.beats, beatEvery) }

func (u *upload) beat(ctx context.Context) error {
	err := u.Client.heartbeat(ctx, u.attempt)
	if err == nil {
		u.beaten = time.Now()
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

// pause waits until the channel wake is closed, but at most the time d. It returns false if ctx is done.
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
