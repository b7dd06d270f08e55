package query_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/blq-ci/blq/internal/cmdline"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/querytest"
	"github.com/blq-ci/blq/store"
)

func TestCheck(t *testing.T) {
	t.Parallel()
	f := placed(t)
	f.Add(t, querytest.Run{Source: "build", At: 33, Exit: 0, Events: querytest.BuildEvents()})
	for _, test := range []struct {
		p    query.CheckParams
		want string // verdict, number of shown errors, words of the reason
	}{
		{query.CheckParams{Run: "build:2"}, "true 0 no errors"},
		{query.CheckParams{Run: "build:2", FailOn: query.FailOnNewErrors}, "true 0 no errors"},
		{query.CheckParams{Run: "build:1"}, "false 1 1 error"},
		{query.CheckParams{Run: "build:1", FailOn: query.FailOnNewErrors}, "false 1 nothing to tell new from known"},
		{query.CheckParams{Run: "build:3", FailOn: query.FailOnNewErrors}, "false 3 3 new since build:2"},
		{query.CheckParams{Run: "build:7", FailOn: query.FailOnNewErrors}, "true 0 1 error, none new since build:3"},
		{query.CheckParams{Run: "build:7"}, "false 1 1 error, none new since build:3"},
		// main has the second error of build:8 now, in build:10
		{query.CheckParams{Run: "build:8", FailOn: query.FailOnNewErrors}, "true 0 2 errors, none new since build:7 on main"},
		{query.CheckParams{Run: "build:8", FailOn: query.FailOnNewErrors, Baseline: "build:3"}, "true 0 none new"},
		// build:10 has new errors, although it passed
		{query.CheckParams{Run: "build:10", FailOn: query.FailOnNewErrors}, "false 2 2 new since build:7"},
		{query.CheckParams{Run: "test", FailOn: query.FailOnNewErrors}, "false 0 no error was recognised"},
		{query.CheckParams{Run: "deploy"}, "false 0 it has not ended"},
	} {
		c, err := f.Check(t.Context(), test.p)
		querytest.Check(t, err)
		r := c.Runs[0]
		got := fmt.Sprintf("%v %d %s", r.Passed, len(r.Events), r.Reason)
		verdict, rest, _ := strings.Cut(test.want, " ")
		n, words, _ := strings.Cut(rest, " ")
		if len(c.Runs) != 1 || c.Passed != r.Passed || !strings.HasPrefix(got, verdict+" "+n+" ") ||
			!strings.Contains(got, words) {
			t.Errorf("%+v: got %s, want %s", test.p, got, test.want)
		}
	}
}

func TestCheckLooksAtEverySourceAndLegOfTheCommit(t *testing.T) {
	t.Parallel()
	f := placed(t)
	topic := &store.Git{Commit: "def5678", Branch: "topic"}
	f.Add(t, querytest.Run{Source: "test", At: 40, Exit: 0, Git: topic})
	f.Add(t, querytest.Run{Source: "build", At: 41, Exit: 1, Events: querytest.BuildEvents()[:1], Git: topic,
		CI: &store.CI{PR: 5, Matrix: `{"os":"mac"}`}})
	c, err := f.Check(t.Context(), query.CheckParams{})
	querytest.Check(t, err)
	var got []string
	for _, r := range c.Runs {
		got = append(got, fmt.Sprint(r.RunRef, " ", r.Passed))
	}
	if fmt.Sprint(got) != "[build:11 false test:10 true build:9 true]" || c.Passed {
		t.Errorf("got %v", got)
	}
	// A baseline of one source proves nothing about other sources.
	c, err = f.Check(t.Context(), query.CheckParams{Baseline: "build:3", FailOn: query.FailOnNewErrors})
	querytest.Check(t, err)
	if !c.Passed || c.Runs[1].Baseline.Kind != store.BaselineNone || c.Runs[2].Baseline.RunRef != "build:3" {
		t.Errorf("got %+v", c)
	}
}

func TestCheckSaysWhichRunsABaselineDoesNotFit(t *testing.T) {
	t.Parallel()
	f := placed(t)
	c, err := f.Check(t.Context(), query.CheckParams{Baseline: "lint:5"})
	querytest.Check(t, err)
	if len(c.Runs) != 1 || c.Runs[0].Baseline.Reason != "lint:5 is of another source or command" || !c.Passed {
		t.Errorf("of another source: %+v", c)
	}
	c, err = f.Check(t.Context(), query.CheckParams{Run: "build:3", Baseline: "lint:5"})
	querytest.Check(t, err)
	if len(c.Runs) != 1 || c.Runs[0].Baseline.RunRef != "lint:5" {
		t.Errorf("of a run that was asked for: %+v", c)
	}
	f.Add(t, querytest.Run{Source: "docs", At: 60, Git: &store.Git{Commit: "def5678", Branch: "topic"}})
	c, err = f.Check(t.Context(), query.CheckParams{Baseline: "main"})
	querytest.Check(t, err)
	if len(c.Runs) != 2 || c.Runs[0].Baseline.Kind != store.BaselineNone || c.Runs[1].Baseline.RunRef != "build:7" {
		t.Errorf("of a branch on which one of them never ran: %+v", c)
	}
}

func TestCheckCountsStepsThatFailedBeforeAndDidNotRunSince(t *testing.T) {
	t.Parallel()
	on := func(branch, commit string) *store.Git { return &store.Git{Branch: branch, Commit: commit} }
	for name, tt := range map[string]struct {
		before []querytest.Run
		want   string
	}{
		"it failed":              {[]querytest.Run{{Source: "lint", Exit: 1}}, "[build:2 true lint:1 false]"},
		"it passed":              {[]querytest.Run{{Source: "lint"}}, "[build:2 true]"},
		"on another branch":      {[]querytest.Run{{Source: "lint", Exit: 1, Git: on("other", "c0")}}, "[build:2 true]"},
		"in a fork":              {[]querytest.Run{{Source: "lint", Exit: 1, CI: &store.CI{PR: 7}}}, "[build:2 true]"},
		"it failed, then passed": {[]querytest.Run{{Source: "lint", Exit: 1}, {Source: "lint"}}, "[build:3 true]"},
	} {
		f := &querytest.Fixture{Asker: querytest.NewAsker(t, "")}
		for i, r := range append(tt.before, querytest.Run{Source: "build", Git: on("topic", "c2"), CI: &store.CI{}}) {
			r.At, r.Log = i+1, "log\n"
			if r.Git == nil {
				r.Git = on("topic", "c1")
			}
			f.Add(t, r)
		}
		c, err := f.Check(t.Context(), query.CheckParams{})
		querytest.Check(t, err)
		var got []string
		for _, r := range c.Runs {
			got = append(got, fmt.Sprint(r.RunRef, " ", r.Passed))
			if !r.Passed && !strings.HasSuffix(r.Reason, "it was at c1, and has not run since") {
				t.Errorf("%s: %s", name, r.Reason)
			}
		}
		if fmt.Sprint(got) != tt.want {
			t.Errorf("%s: %v, want %s", name, got, tt.want)
		}
	}
}

func TestCheckRefuses(t *testing.T) {
	t.Parallel()
	f := placed(t)
	for _, p := range []query.CheckParams{{FailOn: "x"}, {Run: "nosuch"}, {Baseline: "nosuch"},
		{Run: "lint", Baseline: "topic"}, {Run: ":"}} {
		if _, err := f.Check(t.Context(), p); store.CodeOf(err) == "" ||
			!strings.HasPrefix(cmdline.Of(store.NextOf(err)), "blq ") {
			t.Errorf("%+v: %v, hint %q", p, err, cmdline.Of(store.NextOf(err)))
		}
	}
}

func TestCheckOfAPlace(t *testing.T) {
	t.Parallel()
	main, topic := &store.Git{Commit: "aaaa111", Branch: "trunk"}, &store.Git{Commit: "bbbb222", Branch: "other"}
	f := &querytest.Fixture{Asker: querytest.NewAsker(t, "")}
	f.Add(t, querytest.Run{Source: "lint", At: 31, Exit: 1, Git: &store.Git{Commit: "cccc333", Branch: "other"}})
	f.Add(t, querytest.Run{Source: "build", At: 32, Exit: 1, Git: topic, CI: &store.CI{PR: 7}})
	f.Add(t, querytest.Run{Source: "build", At: 33, Exit: 0, Git: main})
	for _, test := range []struct {
		at   query.At
		want string
	}{
		{query.At{}, "true [build:3]"},
		{query.At{Branch: "other"}, "false [build:2 lint:1]"},
		{query.At{PR: 7}, "false [build:2 lint:1]"},
		{query.At{Commit: "bbbb"}, "false [build:2]"},
		{query.At{Branch: "trunk"}, "true [build:3]"},
	} {
		c, err := f.Check(t.Context(), query.CheckParams{At: test.at})
		querytest.Check(t, err)
		var refs []string
		for _, r := range c.Runs {
			refs = append(refs, r.RunRef)
		}
		if got := fmt.Sprint(c.Passed, " ", refs); got != test.want {
			t.Errorf("%+v: %s, want %s", test.at, got, test.want)
		}
	}
}
