package query_test

import (
	"context"
	"slices"
	"testing"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/querytest"
	"github.com/blq-ci/blq/store"
)

// reads counts what is read from a store.
type reads struct {
	store.Reader
	ofStep  int // runs in the longest list of runs of one step
	events  int // lists of events
	counted int // lists of events that are counted
}

func (r *reads) Runs(ctx context.Context, sc store.Scope, f store.RunFilter) ([]store.Run, error) {
	list, err := r.Reader.Runs(ctx, sc, f)
	if f.Source != "" {
		r.ofStep = max(r.ofStep, len(list))
	}
	return list, err
}

func (r *reads) Events(ctx context.Context, sc store.Scope, f store.EventFilter) (store.EventPage, error) {
	r.events++
	if !f.Uncounted {
		r.counted++
	}
	return r.Reader.Events(ctx, sc, f)
}

// A failure at the checked-out commit is followed by many successes at one other commit, and preceded by others. One of
// these successes is enough to know that they do not answer the failure.
func TestAFailureIsComparedWithOneSuccessAtEachCommit(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	f := &querytest.Fixture{Asker: querytest.NewAsker(t, root)}
	n := 0
	add := func(branch string, place, exit int) {
		n++
		f.Add(t, querytest.Run{Source: "build", At: n, Exit: exit,
			Git: &store.Git{Branch: branch, Commit: straightCommit(place), Root: root}})
	}
	for range 30 {
		add("old", 9, 0)
	}
	add("main", 2, 1)
	for range 250 {
		add("topic", 5, 0)
	}
	there := straight{f.Git, 2, new(int)}
	f.Git, f.Ancestry = there, there
	r := &reads{Reader: f.Asker.Store}
	f.Asker.Store = r
	s, err := f.ForOneQuestion().Status(t.Context(), query.StatusParams{})
	querytest.Check(t, err)
	if len(s.Sources) != 1 || s.Sources[0].RunID != 31 {
		t.Errorf("%+v", s.Sources)
	}
	c, err := f.ForOneQuestion().Check(t.Context(), query.CheckParams{})
	querytest.Check(t, err)
	if c.Passed {
		t.Errorf("%+v", c)
	}
	if r.ofStep > 20 { // a comparison reads the newest 20 runs of a step
		t.Errorf("read %d runs of a step", r.ofStep)
	}
}

// A success without errors has no new errors, whatever its baseline has.
func TestACheckReadsNoEventsOfSuccesses(t *testing.T) {
	t.Parallel()
	f := &querytest.Fixture{Asker: querytest.NewAsker(t, "")}
	f.Add(t, querytest.Run{Source: "build", At: 1, Exit: 1, Events: []store.Event{
		{Severity: store.SeverityError, Message: "broken", Fingerprint: "gcc_compile_0000000000000001"}}})
	f.Add(t, querytest.Run{Source: "build", At: 2})
	r := &reads{Reader: f.Asker.Store}
	f.Asker.Store = r
	for _, on := range []query.FailOn{query.FailOnErrors, query.FailOnNewErrors} {
		c, err := f.Check(t.Context(), query.CheckParams{FailOn: on})
		querytest.Check(t, err)
		if !c.Passed || len(c.Runs) != 1 || c.Runs[0].Baseline.RunRef != "build:1" || *c.Runs[0].New != 0 {
			t.Errorf("%+v", c)
		}
	}
	if r.events > 0 {
		t.Errorf("read %d lists of events", r.events)
	}
}

// A check reads the errors of a run once, both to compare them with the baseline and to list them.
func TestACheckReadsErrorsOnce(t *testing.T) {
	t.Parallel()
	f := &querytest.Fixture{Asker: querytest.NewAsker(t, "")}
	for i, messages := range [][]string{{"old"}, {"new", "old", "newer"}} {
		var events []store.Event
		for _, m := range messages {
			e := store.Event{Severity: store.SeverityError, Message: m, Tool: "gcc", Category: store.CategoryCompile}
			e.Fingerprint = store.Fingerprint(e)
			events = append(events, e)
		}
		f.Add(t, querytest.Run{Source: "build", At: i + 1, Exit: 1, Events: events})
	}
	r := &reads{Reader: f.Asker.Store}
	f.Asker.Store = r
	c, err := f.Check(t.Context(), query.CheckParams{})
	querytest.Check(t, err)
	var listed []string
	for _, e := range c.Runs[0].Events {
		listed = append(listed, e.Message)
	}
	if want := []string{"new", "old", "newer"}; !slices.Equal(listed, want) || *c.Runs[0].New != 2 {
		t.Errorf("%q, %d new", listed, *c.Runs[0].New)
	}
	if r.events > 3 { // those of the run, of its baseline, and of earlier runs
		t.Errorf("read %d lists of events", r.events)
	}
}

// Counting all events of a filter takes time in proportion to the store.
func TestAFilterDoesNotCountEvents(t *testing.T) {
	t.Parallel()
	f := &querytest.Fixture{Asker: querytest.NewAsker(t, "")}
	var events []store.Event
	for range 3 {
		events = append(events, store.Event{Severity: store.SeverityError, Message: "broken"})
	}
	f.Add(t, querytest.Run{Source: "build", At: 1, Exit: 1, Events: events})
	r := &reads{Reader: f.Asker.Store}
	f.Asker.Store = r
	for _, tt := range []struct {
		limit, offset, count int
		more                 bool
	}{{2, 0, 2, true}, {3, 0, 3, false}, {2, 1, 2, false}, {2, 3, 0, false}, {0, 1, 2, false}} {
		params := query.QueryParams{Filter: "severity=error", Limit: tt.limit, Offset: tt.offset}
		got, err := f.Query(t.Context(), params)
		querytest.Check(t, err)
		if got.Count != tt.count || len(got.Rows) != tt.count || got.More != tt.more {
			t.Errorf("%+v: %d events, more %v", tt, got.Count, got.More)
		}
	}
	if r.counted > 0 {
		t.Errorf("counted %d times", r.counted)
	}
}
