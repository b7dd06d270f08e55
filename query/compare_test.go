package query_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/internal/cmdline"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/querytest"
	"github.com/blq-ci/blq/store"
)

// placed returns a fixture with three more runs: build:7 on main, and build:8 and build:9 of a pull request. The
// fixture has no Ancestry.
func placed(t *testing.T) *querytest.Fixture {
	t.Helper()
	f := querytest.New(t)
	topic := &store.Git{Commit: "def5678", Branch: "topic"}
	f.Add(t, querytest.Run{Source: "build", At: 30, Exit: 1, Events: querytest.BuildEvents()[:1]})
	f.Add(t, querytest.Run{Source: "build", At: 31, Exit: 1, Events: querytest.BuildEvents()[:2], Git: topic,
		CI: &store.CI{PR: 5}})
	f.Add(t, querytest.Run{Source: "build", At: 32, Exit: 0, Git: topic, CI: &store.CI{PR: 5}})
	return f
}

func TestDiffChoosesWhatIsNotNamed(t *testing.T) {
	t.Parallel()
	f := placed(t)
	for _, test := range []struct {
		p    query.DiffParams
		want string // runs, kind of the baseline, and numbers of new, fixed and unchanged errors
	}{
		{query.DiffParams{}, "build:7 build:9 base_branch 0 1 0"},
		{query.DiffParams{Run2: "build:8"}, "build:7 build:8 base_branch 1 0 1"},
		{query.DiffParams{Run2: "8"}, "build:7 build:8 base_branch 1 0 1"},
		{query.DiffParams{At: query.At{Branch: "main"}}, "build:3 build:7 previous 0 2 1"},
		{query.DiffParams{At: query.At{PR: 5}, Run2: "build:~1"}, "build:7 build:8 base_branch 1 0 1"},
		{query.DiffParams{At: query.At{Commit: "abc1"}, Source: "build"}, "build:3 build:7 previous 0 2 1"},
		{query.DiffParams{Source: "lint"}, " lint:5 none 0 0 0"},
		{query.DiffParams{Run2: "build:8", Baseline: "build:3"}, "build:3 build:8 given 0 1 2"},
		{query.DiffParams{Run2: "build:9", Baseline: "topic"}, "build:8 build:9 given 0 2 0"},
		{query.DiffParams{Run2: "build:9", Baseline: "DEF5"}, "build:8 build:9 given 0 2 0"},
		{query.DiffParams{Run1: "build:8"}, "build:8 build:9 given 0 2 0"}, // with a later run
	} {
		d, err := f.Diff(t.Context(), test.p)
		if err != nil {
			t.Errorf("%+v: %v", test.p, err)
			continue
		}
		got := fmt.Sprintf("%s %s %s %d %d %d", d.Run1, d.Run2, d.Baseline.Kind, d.Summary.New, d.Summary.Fixed,
			d.Summary.Unchanged)
		if got != test.want || len(d.New) != d.Summary.New || len(d.Fixed) != d.Summary.Fixed ||
			len(d.Unchanged) != d.Summary.Unchanged {
			t.Errorf("%+v: got %s, want %s", test.p, got, test.want)
		}
	}
}

func TestNothingIsNewWithoutABaseline(t *testing.T) {
	t.Parallel()
	f := querytest.New(t)
	d, err := f.Diff(t.Context(), query.DiffParams{Run2: "build:1"})
	querytest.Check(t, err)
	want := query.DiffSummary{Run2: 1}
	if diff := cmp.Diff(want, d.Summary); diff != "" || d.New == nil || d.Unchanged == nil || d.Baseline.Reason == "" ||
		d.Before != nil {
		t.Errorf("%s\n%+v", diff, d)
	}
	f.Add(
		t, querytest.Run{Source: "build", At: 40, Exit: 1, Events: querytest.BuildEvents(), CI: &store.CI{Matrix: "mac"}})
	f.Add(t, querytest.Run{Source: "build", At: 41, Exit: 1, Events: querytest.BuildEvents(),
		Git: &store.Git{Commit: "1234567", Branch: "x"}, CI: &store.CI{Matrix: "mac", BaseRef: "old"}})
	d, err = f.Diff(t.Context(), query.DiffParams{})
	querytest.Check(t, err)
	if d.Baseline.Kind != store.BaselineNone || d.Summary.New != 0 ||
		cmdline.Of(*d.Before) != "blq diff build:7 build:8   # compares with the run before" {
		t.Errorf("%+v %q", d.Baseline, d.Before)
	}
}

func TestPlacesSelect(t *testing.T) {
	t.Parallel()
	f := placed(t)
	ctx := t.Context()
	for _, test := range []struct {
		at                      query.At
		events, history, status int
	}{
		{query.At{}, 1, 9, 5},
		{query.At{Branch: "main"}, 2, 7, 4},
		{query.At{Branch: "topic"}, 0, 2, 1},
		{query.At{PR: 5}, 0, 2, 1},
		{query.At{Commit: "abc1", Branch: "topic"}, 0, 0, 0},
	} {
		e, err := f.Events(ctx, query.EventsParams{At: test.at})
		querytest.Check(t, err)
		h, err := f.History(ctx, query.HistoryParams{At: test.at})
		querytest.Check(t, err)
		s, err := f.Status(ctx, query.StatusParams{At: test.at})
		querytest.Check(t, err)
		got := []int{e.Total, len(h.Runs), len(s.Sources)}
		if diff := cmp.Diff([]int{test.events, test.history, test.status}, got); diff != "" {
			t.Errorf("%+v: %s", test.at, diff)
		}
	}
	// If a name matches several runs, it means the newest one at the place.
	e, err := f.Events(ctx, query.EventsParams{Ref: "build", At: query.At{Branch: "main"}})
	querytest.Check(t, err)
	if e.Total != 1 || e.Events[0].RunRef != "build:7" {
		t.Errorf("got %+v", e)
	}
}

func TestPlacesThatAreNotThere(t *testing.T) {
	t.Parallel()
	f := placed(t)
	for _, test := range []struct {
		at   query.At
		code store.Code
		word string
	}{
		{query.At{Branch: "tpoic"}, store.NotFound, "did you mean topic?"},
		{query.At{Branch: "something-else"}, store.NotFound, "something-else"},
		{query.At{Commit: "abc"}, store.Invalid, "abc"},
		{query.At{Commit: "nothex"}, store.Invalid, "nothex"},
		{query.At{Commit: "abcdabcd"}, store.NotFound, "abcdabcd"},
		{query.At{PR: 6}, store.NotFound, "6"},
		{query.At{PR: -1}, store.Invalid, "-1"},
		{query.At{Repo: "o/n"}, store.NotFound, "o/n"},
		{query.At{Repo: "n"}, store.Invalid, "owner/name"},
	} {
		for name, question := range map[string]func() error{
			"events":  func() error { _, err := f.Events(t.Context(), query.EventsParams{At: test.at}); return err },
			"history": func() error { _, err := f.History(t.Context(), query.HistoryParams{At: test.at}); return err },
			"status":  func() error { _, err := f.Status(t.Context(), query.StatusParams{At: test.at}); return err },
			"diff":    func() error { _, err := f.Diff(t.Context(), query.DiffParams{At: test.at}); return err },
		} {
			err := question()
			if store.CodeOf(err) != test.code || !strings.Contains(fmt.Sprint(err), test.word) ||
				!strings.HasPrefix(cmdline.Of(store.NextOf(err)), "blq ") {
				t.Errorf("%s %+v: %v (%s, hint %q)", name, test.at, err, store.CodeOf(err), cmdline.Of(store.NextOf(err)))
			}
		}
	}
}

func TestDiffRefuses(t *testing.T) {
	t.Parallel()
	f := placed(t)
	for _, test := range []struct {
		p    query.DiffParams
		code store.Code
		word string
	}{
		{query.DiffParams{Run1: "1", Run2: "3", Baseline: "main"}, store.Invalid, "only one"},
		{query.DiffParams{Run1: "build:9"}, store.NotFound, "newer than build:9"},
		{query.DiffParams{Run2: "build:99"}, store.NotFound, "build:99"},
		{query.DiffParams{Run2: "build:3", At: query.At{Branch: "topic"}}, store.NotFound, "on main"},
		{query.DiffParams{Baseline: "tpoic"}, store.NotFound, "did you mean the branch topic"},
		{query.DiffParams{Source: "nosuch"}, store.NotFound, "nosuch"},
		{query.DiffParams{Source: "lint", Baseline: "topic"}, store.NotFound, "on topic"},
		{query.DiffParams{Source: "deploy"}, store.NotFound, "no run has ended"},
	} {
		_, err := f.Diff(t.Context(), test.p)
		if store.CodeOf(err) != test.code || !strings.Contains(fmt.Sprint(err), test.word) ||
			!strings.HasPrefix(cmdline.Of(store.NextOf(err)), "blq ") {
			t.Errorf("%+v: %v (%s, hint %q)", test.p, err, store.CodeOf(err), cmdline.Of(store.NextOf(err)))
		}
	}
}

func TestDiffOfARunThatIsNotAllThere(t *testing.T) {
	t.Parallel()
	f := querytest.New(t)
	f.Add(t, querytest.Run{Source: "build", At: 50, Running: true})
	d, err := f.Diff(t.Context(), query.DiffParams{Run2: "build:7"})
	querytest.Check(t, err)
	if d.Run1 != "build:3" || !strings.Contains(d.Note, "has not ended") {
		t.Errorf("%s, note %q", d.Run1, d.Note)
	}
	if d, err = f.Diff(t.Context(), query.DiffParams{Source: "build"}); err != nil || d.Run2 != "build:3" || d.Note != "" {
		t.Errorf("the newest that has ended: %s %q %v", d.Run2, d.Note, err)
	}
	f.Add(t, querytest.Run{Source: "build", At: 51, Exit: 1})
	f.Add(t, querytest.Run{Source: "build", At: 52, Exit: 1, Events: querytest.BuildEvents()})
	if d, err = f.Diff(t.Context(), query.DiffParams{}); err != nil || d.Run1 != "build:8" ||
		d.Note != "build:8 failed without an error that was recognised: what is missing there counts as new" {
		t.Errorf("%s: note %q, %v", d.Run1, d.Note, err)
	}
}

func TestDiffOfManyErrors(t *testing.T) {
	t.Parallel()
	f := querytest.New(t)
	errors := func(from, to int) []store.Event {
		var list []store.Event
		for i := from; i < to; i++ {
			list = append(list, querytest.Event("error", "a.c", i+1, 1, fmt.Sprintf("'f%d' undeclared", i), 1, 1))
		}
		return list
	}
	f.Add(t, querytest.Run{Source: "big", At: 60, Exit: 1, Events: errors(0, 10_003)})
	f.Add(t, querytest.Run{Source: "big", At: 61, Exit: 1, Events: errors(3, 10_007)})
	for _, limit := range []int{0, 2} {
		d, err := f.Diff(t.Context(), query.DiffParams{Source: "big", Limit: limit})
		querytest.Check(t, err)
		want := query.DiffSummary{Run1: 10_003, Run2: 10_004, Fixed: 3, New: 4, Unchanged: 10_000}
		if diff := cmp.Diff(want, d.Summary); diff != "" {
			t.Error(diff)
		}
		lists := []int{3, 4, 10_000}
		if limit > 0 {
			lists = []int{limit, limit, limit}
		}
		if diff := cmp.Diff(lists, []int{len(d.Fixed), len(d.New), len(d.Unchanged)}); diff != "" {
			t.Errorf("lists with a limit of %d: %s", limit, diff)
		}
	}
}
