package query

import (
	"context"
	"time"

	"github.com/blq-ci/blq/store"
)

// Going says how far a running run is.
type Going struct {
	Elapsed *int `json:"elapsed_seconds,omitempty" jsonschema:"of a running run"`
	Idle    *int `json:"idle_seconds,omitempty" jsonschema:"since it printed last"`
}

// going returns how far a running run is, and nothing for a run that is not running.
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

// secondsSince returns the whole seconds since a time. The clock of a run's machine may be ahead.
func (a *Asker) secondsSince(t time.Time) int {
	return max(0, int(a.now().Sub(t).Seconds()))
}

// MaxWait is how long a service waits for a run, in seconds.
const MaxWait = 45

// While a question waits for a run, the time between two looks grows from the first to the last of these.
const (
	firstPause = 200 * time.Millisecond
	lastPause  = 2 * time.Second
)

// sweepEvery is the number of looks after which a wait also looks for runs whose recorder died.
const sweepEvery = 8

// longer returns the pause after a pause: an eighth longer.
func longer(pause time.Duration) time.Duration { return min(pause+pause/8, lastPause) }

// Await waits for the end of a running run, at most for wait, and returns the run. tell gets the run at each look;
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
		ref = r.Attempt // latest may soon be another run
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

// awaited returns the run of a question, after its end or the time to wait for that.
func (a *Asker) awaited(ctx context.Context, p InfoParams) (store.Run, error) {
	const longest = 365 * 24 * time.Hour // a Duration holds about 292 years
	return a.Await(ctx, p.Ref, time.Duration(min(p.Wait, longest.Seconds())*float64(time.Second)), nil)
}
