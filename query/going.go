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

// going returns the progress of a running run. For any other run it returns the zero Going.
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

// secondsSince returns the whole seconds since a time. It returns 0 for a time in the future, because the clock of a
// run's machine may be ahead.
func (a *Asker) secondsSince(t time.Time) int {
	return max(0, int(a.now().Sub(t).Seconds()))
}

// MaxWait is the max time in seconds that a service waits for a run to end.
const MaxWait = 45

// These limits bound the pause between two reads of a run while a question waits for the end of the run. The pause
// grows from firstPause to lastPause.
const (
	firstPause = 200 * time.Millisecond
	lastPause  = 2 * time.Second
)

// sweepEvery is the number of reads after which a waiting question also looks for runs whose recorder died.
const sweepEvery = 8

// longer returns the next pause: it is an eighth longer, but at most lastPause.
func longer(pause time.Duration) time.Duration { return min(pause+pause/8, lastPause) }

// Await waits until a running run has ended, but not longer than wait, and returns the run. Each time it finds that the
// run is still running, it calls tell with the run and waits on. tell may be nil.
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

// awaited returns the run that a question names. It waits for the end of the run as long as the question allows.
func (a *Asker) awaited(ctx context.Context, p InfoParams) (store.Run, error) {
	const longest = 365 * 24 * time.Hour // a Duration holds at most about 292 years
	return a.Await(ctx, p.Ref, time.Duration(min(p.Wait, longest.Seconds())*float64(time.Second)), nil)
}
