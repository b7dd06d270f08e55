package query

import (
	"context"
	"time"

	"github.com/blq-ci/blq/store"
)

// Going is the progress of a running run.
type Going struct {
	Elapsed *int `json:"elapsed_seconds,omitempty" jsonschema:"of a running run"`
	Idle    *int `json:"idle_seconds,omitempty" jsonschema:"since it printed last"`
}

// going returns the progress of a running run, and the zero Going for any other run.
func (a *Asker) going(r store.Run) Going {
	if r.State != store.StateRunning {
		return Going{}
	}
	printed := r.StartedAt
	if r.OutputAt.After(printed) {
		printed = r.OutputAt
	}
	elapsed, idle := a.secondsSince(r.StartedAt), a.secondsSince(printed)
	return Going{&elapsed, &idle}
}

// secondsSince returns the whole seconds since a time. It returns at least 0, because the clock of a run's machine may
// be ahead.
func (a *Asker) secondsSince(t time.Time) int {
	return max(0, int(a.now().Sub(t).Seconds()))
}

// MaxWait is the max time in seconds that a service waits for a run to end.
const MaxWait = 45

// These are the pauses between two reads of a run while a question waits for its end. The pause grows from the first to
// the last value.
const (
	firstPause = 200 * time.Millisecond
	lastPause  = 2 * time.Second
)

// sweepEvery is the number of reads after which a wait also looks for runs whose recorder died.
const sweepEvery = 8

// longer returns the pause that follows a pause: it is an eighth longer, but at most lastPause.
func longer(pause time.Duration) time.Duration { return min(pause+pause/8, lastPause) }

// Await waits until a running run has ended, at most for wait, and returns the run. tell gets the run after each read;
// it may be nil.
func (a *Asker) Await(ctx context.Context, ref string, wait time.Duration, tell func(store.Run)) (store.Run, error) {
	deadline := time.NewTimer(wait)
	defer deadline.Stop()
	pause := firstPause
	next := time.NewTimer(pause)
	defer next.Stop()
	for looks := 0; ; looks++ {
		if looks%sweepEvery == 0 || wait <= 0 {
			if err := a.sweep(ctx); err != nil {
				return store.Run{}, err
			}
		}
		r, _, err := a.run(ctx, ref)
		if err != nil || r.State != store.StateRunning || wait <= 0 {
			return r, err
		}
		ref = r.Attempt // the name latest may soon mean another run
		if tell != nil {
			tell(r)
		}
		select {
		case <-next.C:
			pause = longer(pause)
			next.Reset(pause)
		case <-deadline.C:
			wait = 0
		case <-ctx.Done():
			return r, ctx.Err()
		}
	}
}

// awaited returns the run of a question, after it has ended or the wait is over.
func (a *Asker) awaited(ctx context.Context, p InfoParams) (store.Run, error) {
	const longest = 365 * 24 * time.Hour // a Duration holds at most about 292 years
	return a.Await(ctx, p.Ref, time.Duration(min(p.Wait, longest.Seconds())*float64(time.Second)), nil)
}
