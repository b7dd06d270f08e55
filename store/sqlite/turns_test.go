package sqlite_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/blq-ci/blq/store"
)

// gate lets one call in at a time, and refuses a second one.
type gate struct{ inside, entered int }

var errShut = errors.New("the gate is shut")

func (g *gate) enter(context.Context) (func(), error) {
	if g.inside > 0 {
		return nil, errShut
	}
	g.inside++
	g.entered++
	return func() { g.inside-- }, nil
}

func TestEveryCallTakesOneTurn(t *testing.T) {
	t.Parallel()
	ctx, all := t.Context(), store.Everything()
	s := open(t, filepath.Join(t.TempDir(), "blq.db"))
	var reads, writes gate
	s.TakeTurns(reads.enter, writes.enter)
	const attempt = "01999999-0000-7000-8000-00000000abcd"
	run, err := s.StartRun(ctx, store.Run{Attempt: attempt, Repo: "o/a", Source: "build", StartedAt: time.Now()})
	if err != nil {
		t.Fatal(err)
	}
	e := store.Event{ID: 1, Severity: store.SeverityError, Message: "no"}
	e.Fingerprint, e.Pattern = store.Fingerprint(e), store.Pattern(e)
	ref := store.Ref{Attempt: attempt}
	for name, call := range map[string]struct {
		gate *gate
		do   func() error
	}{
		"Heartbeat": {&writes, func() error { return s.Heartbeat(ctx, attempt, time.Now()) }},
		"AddEvents": {&writes, func() error { return s.AddEvents(ctx, attempt, 0, []store.Event{e}) }},
		"Run":       {&reads, func() error { return second(s.Run(ctx, all, ref)) }},
		"Runs":      {&reads, func() error { return second(s.Runs(ctx, all, store.RunFilter{Newest: true})) }},
		"Events":    {&reads, func() error { return second(s.Events(ctx, all, store.EventFilter{Limit: 1})) }},
		"Received":  {&reads, func() error { return second(s.Received(ctx, all, attempt)) }},
		"Chunks": {&reads, func() error {
			return second(s.Chunks(ctx, all, attempt, store.StreamCombined, 1, 0))
		}},
		"Prints":      {&reads, func() error { return second(s.Prints(ctx, all, attempt, 0, 10)) }},
		"history":     {&reads, func() error { return second(s.FingerprintHistory(ctx, all, run, e.Fingerprint)) }},
		"FileDigests": {&reads, func() error { return second(s.FileDigests(ctx, all, attempt)) }},
		"Running":     {&reads, func() error { return second(s.Running(ctx, all, "o/a")) }},
		"Branches": {&reads, func() error {
			return second(s.Branches(ctx, all, "o/a", 10))
		}},
		"Crowded":    {&reads, func() error { return second(s.Crowded(ctx, "o/a", 10)) }},
		"KnownRepos": {&reads, func() error { return second(s.KnownRepos(ctx, "o")) }},
		"Usage": {&reads, func() error {
			_, _, err := s.Usage(ctx, "o/a")
			return err
		}},
	} {
		before := call.gate.entered
		if err := call.do(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if call.gate.entered != before+1 || call.gate.inside != 0 {
			t.Errorf("%s took %d turns, and kept %d", name, call.gate.entered-before, call.gate.inside)
		}
		call.gate.inside = 1
		if err := call.do(); !errors.Is(err, errShut) {
			t.Errorf("%s did not wait for its turn: %v", name, err)
		}
		call.gate.inside = 0
	}
}

func second[T any](_ T, err error) error { return err }
