package query_test

import (
	"context"
	"testing"
	"time"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/querytest"
	"github.com/blq-ci/blq/store"
)

func TestARunningRunTellsHowLongItRunsAndIsSilent(t *testing.T) {
	t.Parallel()
	f := querytest.New(t)
	r := f.Add(t, querytest.Run{Source: "slow", At: 40, Running: true})
	querytest.Check(t, f.Store.(store.Recorder).AddChunk(t.Context(), r.Attempt, store.Chunk{
		FirstLine: 1, Lines: 1, Bytes: 1, Digest: "x", Key: "x", At: r.StartedAt.Add(10 * time.Second)}))
	f.Asker.Now = func() time.Time { return r.StartedAt.Add(75*time.Second + time.Millisecond) }
	in, err := f.Asker.Info(t.Context(), query.InfoParams{Ref: "slow"})
	querytest.Check(t, err)
	if in.Elapsed == nil || *in.Elapsed != 75 || in.Idle == nil || *in.Idle != 65 {
		t.Errorf("info: %v, %v", in.Elapsed, in.Idle)
	}
	s, err := f.Asker.Status(t.Context(), query.StatusParams{})
	querytest.Check(t, err)
	for _, source := range s.Sources {
		if running := source.Status == store.StatusRunning; running != (source.Elapsed != nil) ||
			running != (source.Idle != nil) {
			t.Errorf("status: %+v", source)
		}
		if source.Name == "slow" && (*source.Elapsed != 75 || *source.Idle != 65) {
			t.Errorf("status: %d, %d", *source.Elapsed, *source.Idle)
		}
	}
	f.Asker.Now = func() time.Time { return r.StartedAt.Add(-time.Hour) } // clocks differ
	if in, err = f.Asker.Info(t.Context(),
		query.InfoParams{Ref: "slow"}); err != nil || *in.Elapsed != 0 || *in.Idle != 0 {
		t.Errorf("info: %+v, %v", in.Going, err)
	}
}

func TestAWaitLooksForDeadRecordersOnlyNowAndThen(t *testing.T) {
	t.Parallel()
	f := querytest.New(t)
	looks, sweeps := 0, 0
	f.Asker.Stale = func(context.Context) error { sweeps++; return nil }
	_, err := f.Asker.Await(t.Context(), "deploy", time.Hour, func(r store.Run) {
		if looks++; looks == 4 {
			code := 0
			_, err := f.Store.(store.Recorder).FinishRun(t.Context(), r.Attempt, store.Finish{
				Ending: store.Ending{FinishedAt: r.StartedAt.Add(time.Second), ExitCode: &code}, Chunks: 1, Lines: 1})
			querytest.Check(t, err)
		}
	})
	querytest.Check(t, err)
	if looks != 4 || sweeps != 1 {
		t.Errorf("%d looks, %d sweeps", looks, sweeps)
	}
}

func TestInfoWaitsForTheEnd(t *testing.T) {
	t.Parallel()
	f := querytest.New(t)
	looks := 0
	r, err := f.Asker.Await(t.Context(), "latest", time.Hour, func(r store.Run) {
		looks++
		f.Add(t, querytest.Run{Source: "later", At: 50}) // now latest means another run
		code := 0
		_, err := f.Store.(store.Recorder).FinishRun(t.Context(), r.Attempt, store.Finish{
			Ending: store.Ending{FinishedAt: r.StartedAt.Add(time.Second), ExitCode: &code}, Chunks: 1, Lines: 1})
		querytest.Check(t, err)
	})
	querytest.Check(t, err)
	if r.Source != "deploy" || r.Status() != store.StatusOK || looks != 1 {
		t.Errorf("%s is %s after %d looks", r.Ref(), r.Status(), looks)
	}
	f.Add(t, querytest.Run{Source: "slow", At: 60, Running: true})
	for _, context := range []int{0, 1} {
		in, err := f.Asker.Info(t.Context(), query.InfoParams{Ref: "slow", Wait: 0.001, Context: context})
		if err != nil || in.Status != store.StatusRunning {
			t.Errorf("info: %+v, %v", in, err)
		}
	}
}
