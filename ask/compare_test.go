package ask_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/ask"
	"github.com/blq-ci/blq/ask/asktest"
	"github.com/blq-ci/blq/store"
)

// placed adds runs to the fixture: 7 on main, 8 and 9 of a pull request, 9
// of another repository. Nobody tells the history.
func placed(t *testing.T) *asktest.Fixture {
	t.Helper()
	f := asktest.New(t)
	topic := &store.Git{Commit: "def5678", Branch: "topic"}
	f.Add(t, asktest.Run{Source: "build", At: 30, Exit: 1, Events: asktest.BuildEvents()[:1]})
	f.Add(t, asktest.Run{Source: "build", At: 31, Exit: 1, Events: asktest.BuildEvents()[:2], Git: topic, CI: &store.CI{PR: 5}})
	f.Add(t, asktest.Run{Source: "build", At: 32, Exit: 0, Git: topic, CI: &store.CI{PR: 5}})
	return f
}

func TestDiffChoosesWhatIsNotNamed(t *testing.T) {
	f := placed(t)
	for _, test := range []struct {
		p    ask.DiffParams
		want string // runs, how the first was chosen, and new fixed unchanged
	}{
		{ask.DiffParams{}, "build:7 build:9 base_branch 0 1 0"},
		{ask.DiffParams{Run2: "build:8"}, "build:7 build:8 base_branch 1 0 1"},
		{ask.DiffParams{Run2: "8"}, "build:7 build:8 base_branch 1 0 1"},
		{ask.DiffParams{At: ask.At{Branch: "main"}}, "build:3 build:7 previous 0 2 1"},
		{ask.DiffParams{At: ask.At{PR: 5}, Run2: "build:~1"}, "build:7 build:8 base_branch 1 0 1"},
		{ask.DiffParams{At: ask.At{Commit: "abc1"}, Source: "build"}, "build:3 build:7 previous 0 2 1"},
		{ask.DiffParams{Source: "lint"}, " lint:5 none 0 0 0"},
		{ask.DiffParams{Run2: "build:8", Baseline: "build:3"}, "build:3 build:8 given 0 1 2"},
		{ask.DiffParams{Run2: "build:9", Baseline: "topic"}, "build:8 build:9 given 0 2 0"},
		{ask.DiffParams{Run2: "build:9", Baseline: "DEF5"}, "build:8 build:9 given 0 2 0"},
		{ask.DiffParams{Run1: "build:8"}, "build:8 build:9 given 0 2 0"}, // with what came later
	} {
		d, err := f.Diff(t.Context(), test.p)
		if err != nil {
			t.Errorf("%+v: %v", test.p, err)
			continue
		}
		got := fmt.Sprintf("%s %s %s %d %d %d", d.Run1, d.Run2, d.Baseline.Kind, d.Summary.New, d.Summary.Fixed, d.Summary.Unchanged)
		if got != test.want || len(d.New) != d.Summary.New || len(d.Fixed) != d.Summary.Fixed || len(d.Unchanged) != d.Summary.Unchanged {
			t.Errorf("%+v: got %s, want %s", test.p, got, test.want)
		}
	}
}

func TestNothingIsNewWithoutABaseline(t *testing.T) {
	f := asktest.New(t)
	d, err := f.Diff(t.Context(), ask.DiffParams{Run2: "build:1"})
	asktest.Check(t, err)
	want := ask.DiffSummary{Run2: 1}
	if diff := cmp.Diff(want, d.Summary); diff != "" || d.New == nil || d.Unchanged == nil || d.Baseline.Reason == "" || d.Before != "" {
		t.Errorf("%s\n%+v", diff, d)
	}
	f.Add(t, asktest.Run{Source: "build", At: 40, Exit: 1, Events: asktest.BuildEvents(), CI: &store.CI{Matrix: "mac"}})
	f.Add(t, asktest.Run{Source: "build", At: 41, Exit: 1, Events: asktest.BuildEvents(), Git: &store.Git{Commit: "1234567", Branch: "x"}, CI: &store.CI{Matrix: "mac", BaseRef: "old"}})
	d, err = f.Diff(t.Context(), ask.DiffParams{})
	asktest.Check(t, err)
	if d.Baseline.Kind != store.BaselineNone || d.Summary.New != 0 || d.Before != "blq diff build:7 build:8   # compares with the run before" {
		t.Errorf("%+v %q", d.Baseline, d.Before)
	}
}

func TestPlacesSelect(t *testing.T) {
	f := placed(t)
	ctx := t.Context()
	for _, test := range []struct {
		at                      ask.At
		events, history, status int
	}{
		{ask.At{}, 1, 9, 4},
		{ask.At{Branch: "main"}, 2, 7, 4},
		{ask.At{Branch: "topic"}, 0, 2, 1},
		{ask.At{PR: 5}, 0, 2, 1},
		{ask.At{Commit: "abc1", Branch: "topic"}, 0, 0, 0},
	} {
		e, err := f.Events(ctx, ask.EventsParams{At: test.at})
		asktest.Check(t, err)
		h, err := f.History(ctx, ask.HistoryParams{At: test.at})
		asktest.Check(t, err)
		s, err := f.Status(ctx, ask.StatusParams{At: test.at})
		asktest.Check(t, err)
		got := []int{e.Total, len(h.Runs), len(s.Sources)}
		if diff := cmp.Diff([]int{test.events, test.history, test.status}, got); diff != "" {
			t.Errorf("%+v: %s", test.at, diff)
		}
	}
	// A name that may mean several runs means the newest there.
	e, err := f.Events(ctx, ask.EventsParams{Ref: "build", At: ask.At{Branch: "main"}})
	asktest.Check(t, err)
	if e.Total != 1 || e.Events[0].RunRef != "build:7" {
		t.Errorf("got %+v", e)
	}
}

func TestPlacesThatAreNotThere(t *testing.T) {
	f := placed(t)
	for _, test := range []struct {
		at   ask.At
		code store.Code
		word string
	}{
		{ask.At{Branch: "tpoic"}, store.NotFound, "did you mean topic?"},
		{ask.At{Branch: "something-else"}, store.NotFound, "something-else"},
		{ask.At{Commit: "abc"}, store.Invalid, "abc"},
		{ask.At{Commit: "nothex"}, store.Invalid, "nothex"},
		{ask.At{Commit: "abcdabcd"}, store.NotFound, "abcdabcd"},
		{ask.At{PR: 6}, store.NotFound, "6"},
		{ask.At{PR: -1}, store.Invalid, "-1"},
		{ask.At{Repo: "o/n"}, store.NotFound, "o/n"},
		{ask.At{Repo: "n"}, store.Invalid, "owner/name"},
	} {
		for name, question := range map[string]func() error{
			"events":  func() error { _, err := f.Events(t.Context(), ask.EventsParams{At: test.at}); return err },
			"history": func() error { _, err := f.History(t.Context(), ask.HistoryParams{At: test.at}); return err },
			"status":  func() error { _, err := f.Status(t.Context(), ask.StatusParams{At: test.at}); return err },
			"diff":    func() error { _, err := f.Diff(t.Context(), ask.DiffParams{At: test.at}); return err },
		} {
			err := question()
			if store.CodeOf(err) != test.code || !strings.Contains(fmt.Sprint(err), test.word) || !strings.HasPrefix(store.HintOf(err), "blq ") {
				t.Errorf("%s %+v: %v (%s, hint %q)", name, test.at, err, store.CodeOf(err), store.HintOf(err))
			}
		}
	}
}

func TestDiffRefuses(t *testing.T) {
	f := placed(t)
	for _, test := range []struct {
		p    ask.DiffParams
		code store.Code
		word string
	}{
		{ask.DiffParams{Run1: "1", Run2: "3", Baseline: "main"}, store.Invalid, "only one"},
		{ask.DiffParams{Run1: "build:9"}, store.NotFound, "newer than build:9"},
		{ask.DiffParams{Run2: "build:99"}, store.NotFound, "build:99"},
		{ask.DiffParams{Run2: "build:3", At: ask.At{Branch: "topic"}}, store.NotFound, "on main"},
		{ask.DiffParams{Baseline: "tpoic"}, store.NotFound, "did you mean the branch topic"},
		{ask.DiffParams{Source: "nosuch"}, store.NotFound, "nosuch"},
		{ask.DiffParams{Source: "lint", Baseline: "topic"}, store.NotFound, "on topic"},
		{ask.DiffParams{Source: "deploy"}, store.NotFound, "no run has ended"},
	} {
		_, err := f.Diff(t.Context(), test.p)
		if store.CodeOf(err) != test.code || !strings.Contains(fmt.Sprint(err), test.word) || !strings.HasPrefix(store.HintOf(err), "blq ") {
			t.Errorf("%+v: %v (%s, hint %q)", test.p, err, store.CodeOf(err), store.HintOf(err))
		}
	}
}

func TestDiffOfARunThatIsNotAllThere(t *testing.T) {
	f := asktest.New(t)
	f.Add(t, asktest.Run{Source: "build", At: 50, Running: true})
	d, err := f.Diff(t.Context(), ask.DiffParams{Run2: "build:7"})
	asktest.Check(t, err)
	if d.Run1 != "build:3" || !strings.Contains(d.Note, "has not ended") {
		t.Errorf("%s, note %q", d.Run1, d.Note)
	}
	if d, err = f.Diff(t.Context(), ask.DiffParams{Source: "build"}); err != nil || d.Run2 != "build:3" || d.Note != "" {
		t.Errorf("the newest that has ended: %s %q %v", d.Run2, d.Note, err)
	}
	f.Add(t, asktest.Run{Source: "build", At: 51, Exit: 1})
	f.Add(t, asktest.Run{Source: "build", At: 52, Exit: 1, Events: asktest.BuildEvents()})
	if d, err = f.Diff(t.Context(), ask.DiffParams{}); err != nil || d.Run1 != "build:8" || d.Note != "build:8 failed without an error that was recognised: what is missing there counts as new" {
		t.Errorf("%s: note %q, %v", d.Run1, d.Note, err)
	}
}

func TestDiffOfManyErrors(t *testing.T) {
	f := asktest.New(t)
	errors := func(from, to int) []store.Event {
		var list []store.Event
		for i := from; i < to; i++ {
			list = append(list, asktest.Event("error", "a.c", i+1, 1, fmt.Sprintf("'f%d' undeclared", i), 1, 1))
		}
		return list
	}
	f.Add(t, asktest.Run{Source: "big", At: 60, Exit: 1, Events: errors(0, 10_003)})
	f.Add(t, asktest.Run{Source: "big", At: 61, Exit: 1, Events: errors(3, 10_007)})
	for _, most := range []int{0, 2} {
		d, err := f.Diff(t.Context(), ask.DiffParams{Source: "big", Limit: most})
		asktest.Check(t, err)
		want := ask.DiffSummary{Run1: 10_003, Run2: 10_004, Fixed: 3, New: 4, Unchanged: 10_000}
		if diff := cmp.Diff(want, d.Summary); diff != "" {
			t.Error(diff)
		}
		lists := []int{3, 4, 10_000}
		if most > 0 {
			lists = []int{most, most, most}
		}
		if diff := cmp.Diff(lists, []int{len(d.Fixed), len(d.New), len(d.Unchanged)}); diff != "" {
			t.Errorf("lists with a limit of %d: %s", most, diff)
		}
	}
}
