package query_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/querytest"
	"github.com/blq-ci/blq/store"
)

// Sort puts similar errors into groups. The errors of one group are all new, or all known for the same reason.
func TestErrorsAreSortedByWhetherTheyAreKnown(t *testing.T) {
	t.Parallel()
	f := &querytest.Fixture{Asker: querytest.NewAsker(t, "")}
	f.Ancestry = branches{"b2": {"base"}}
	old, moved, fresh, gone := undeclared("old", 1), undeclared("moved", 2), undeclared("fresh", 3), undeclared("gone", 4)
	build := func(at int, commit, branch string, events ...store.Event) store.Run {
		exit := 0
		if len(events) > 0 {
			exit = 1
		}
		return f.Add(t, querytest.Run{Source: "build", At: at, Exit: exit, Events: append([]store.Event{}, events...),
			Git: &store.Git{Commit: commit, Branch: branch}})
	}
	build(1, "base", "main", old, gone)
	build(2, "later", "main", old, gone, moved)
	r := build(3, "b2", "topic", fresh, old, moved)
	got, err := f.Sort(t.Context(), r, query.Sorting{})
	querytest.Check(t, err)
	if names(got.New) != "fresh" || names(got.Known) != "moved old" || got.Fixed != 1 || len(got.Why) != 1 {
		t.Errorf("new %s; known %s; %d fixed; %+v", names(got.New), names(got.Known), got.Fixed, got.Why)
	}
	if why := got.Why[moved.Fingerprint]; why.OnBase != "build:2" || why.Flaky != nil {
		t.Errorf("%+v", why)
	}
}

func undeclared(name string, line int) store.Event {
	return querytest.Event(store.SeverityError, name+".c", line, 1, "'"+name+"' undeclared", line, line)
}

// names returns the files of the shown errors, sorted by name.
func names(groups [][]store.RunEvent) string {
	var list []string
	for _, g := range groups {
		for _, e := range g {
			list = append(list, strings.TrimSuffix(e.File, ".c"))
		}
	}
	slices.Sort(list)
	return strings.Join(list, " ")
}

// The shown error of a group is its first error. The other errors keep their order.
func TestTheShownErrorOfAGroupComesFirst(t *testing.T) {
	t.Parallel()
	f := &querytest.Fixture{Asker: querytest.NewAsker(t, "")}
	var events []store.Event
	for i := range 4 {
		e := querytest.Event(store.SeverityError, fmt.Sprintf("src/a%d.c", i), 3, 1, "expected ';' before 'return'",
			i+1, i+1)
		events = append(events, e)
	}
	r := f.Add(t, querytest.Run{Source: "build", At: 1, Exit: 1, Events: events, Log: querytest.Lines("x", 4)})
	got, err := f.Sort(t.Context(), r, query.Sorting{})
	querytest.Check(t, err)
	if len(got.New) != 1 || len(got.New[0]) != 4 || len(got.Known) != 0 {
		t.Fatalf("%d groups: %+v", len(got.New), got)
	}
	shown := triage(t, f, query.TriageParams{Ref: "build"})
	first := got.New[0][0].Ref()
	if g := append(shown.New, shown.Errors...); len(g) != 1 || g[0].Sample.Ref != first.Short() && g[0].Sample.Ref !=
		first.String() {
		t.Errorf("shown %+v, first %s", g, first)
	}
	seen := map[int]bool{}
	last := 0
	for i, e := range got.New[0] {
		if seen[e.ID] || i > 1 && e.ID < last {
			t.Errorf("error %d is out of order", e.ID)
		}
		seen[e.ID], last = true, e.ID
	}
}
