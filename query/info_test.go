package query_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/querytest"
	"github.com/blq-ci/blq/store"
)

func TestABriefEndsWithTheEventThatFillsIt(t *testing.T) {
	t.Parallel()
	f := &querytest.Fixture{Asker: querytest.NewAsker(t, "")}
	var events []store.Event
	for i := range 5 {
		events = append(events, querytest.Event(store.SeverityError, fmt.Sprintf("a%d.c", i), 1, 1, "boom", i+1, i+1))
	}
	f.Add(t, querytest.Run{Source: "build", At: 1, Exit: 1, Events: events, Log: querytest.Lines("log", 5)})
	whole, err := f.Brief(t.Context(), query.InfoParams{Ref: "build"})
	querytest.Check(t, err)
	if len(whole.Events) != 5 || whole.Total != 5 || whole.Errors != 5 {
		t.Fatalf("%+v", whole)
	}
	two := len(whole.Events[0].Context) + len(whole.Events[1].Context)
	for size, want := range map[int]int{0: 5, two: 3, two - 1: 2, 1: 1} {
		got, err := f.Brief(t.Context(), query.InfoParams{Ref: "build", MaxBytes: size})
		if err != nil || len(got.Events) != want || got.Total != 5 {
			t.Errorf("in %d bytes: %d events of %d, %v", size, len(got.Events), got.Total, err)
		}
	}
}

func TestAReferenceNamesARunAtItsPlace(t *testing.T) {
	t.Parallel()
	f := placed(t)
	for _, tt := range []struct {
		at   query.At
		ref  string
		want string // expected value, "" for none
	}{
		{query.At{}, "", "build:9"}, {query.At{}, "lint", "lint:5"}, {query.At{}, "3", "build:3"},
		{query.At{Branch: "main"}, "", "build:7"}, {query.At{Branch: "main"}, "build", "build:7"},
		{query.At{Branch: "main"}, "build:~1", "build:3"}, {query.At{Branch: "main"}, "build:3", "build:3"},
		{query.At{Branch: "main"}, "build:8", ""}, {query.At{Branch: "topic"}, "8", "build:8"},
		{query.At{PR: 5}, "build:~1", "build:8"}, {query.At{PR: 5}, "build:~2", ""}, {query.At{PR: 5}, "lint", ""},
		{query.At{Commit: "def5678"}, "", "build:9"}, {query.At{Commit: "abc1234"}, "build", "build:7"},
	} {
		r, err := f.RunAt(t.Context(), tt.at, tt.ref)
		if got := r.Ref().String(); err == nil && got != tt.want || err != nil && (tt.want != "" || store.CodeOf(err) !=
			store.NotFound) {
			t.Errorf("%q at %+v: %s, %v; want %s", tt.ref, tt.at, got, err, tt.want)
		}
	}
}

func TestARunIsNotAtAnotherPlace(t *testing.T) {
	t.Parallel()
	f := placed(t)
	for _, tt := range []struct {
		at   query.At
		ref  string
		want string // words of the error, "" for none
	}{
		{query.At{PR: 5}, "8", ""}, {query.At{PR: 6}, "8", "it is at def5678 on topic"},
		{query.At{PR: 5}, "build:7", "it is at abc1234 on main"}, {query.At{Commit: "DEF5"}, "8", ""},
		{query.At{Commit: "abc1"}, "8", "it is at def5678 on topic"}, {query.At{Branch: "topic", PR: 5}, "8", ""},
		{query.At{Branch: "main", PR: 5}, "8", "it is at def5678 on topic"},
		{query.At{Repo: "o/n"}, "8", "no run o/n@8"},
	} {
		r, err := f.RunAt(t.Context(), tt.at, tt.ref)
		if tt.want == "" && (err != nil || r.Serial != 8) || tt.want != "" && !strings.Contains(fmt.Sprint(err), tt.want) {
			t.Errorf("%s at %+v: %s, %v", tt.ref, tt.at, r.Ref(), err)
		}
	}
	for git, want := range map[store.Git]string{
		{}: "of no known commit", {Commit: "0123456789abcdef"}: "it is at 012345678",
	} {
		r := f.Add(t, querytest.Run{Source: "odd", At: 90 + len(git.Commit), Git: &git})
		_, err := f.RunAt(t.Context(), query.At{Branch: "main"}, r.Ref().String())
		if !strings.HasSuffix(fmt.Sprint(err), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

func TestABriefShowsTheEndOfALogWithoutErrors(t *testing.T) {
	t.Parallel()
	f := &querytest.Fixture{Asker: querytest.NewAsker(t, "")}
	log := querytest.Lines("line", 30)
	f.Add(t, querytest.Run{Source: "failed", At: 1, Exit: 1, Log: log})
	f.Add(t, querytest.Run{Source: "passed", At: 2, Log: log})
	f.Add(t, querytest.Run{Source: "running", At: 3, Running: true, Log: log})
	f.Add(t, querytest.Run{Source: "errors", At: 4, Exit: 1, Log: log, Events: querytest.BuildEvents()})
	for _, tt := range []struct {
		p     query.InfoParams
		first string // line
		lines int
	}{
		{query.InfoParams{Ref: "failed"}, "line 11\n", 20}, {query.InfoParams{Ref: "failed", Tail: 2}, "line 29\n", 2},
		{query.InfoParams{Ref: "failed", Head: 3}, "line 1\n", 3}, {query.InfoParams{Ref: "passed"}, "", 0},
		{query.InfoParams{Ref: "running"}, "", 0}, {query.InfoParams{Ref: "errors"}, "", 0},
		{query.InfoParams{Ref: "errors", Tail: 1}, "line 30\n", 1}, {query.InfoParams{Ref: "passed", Head: 1}, "line 1\n", 1},
	} {
		got, err := f.Brief(t.Context(), tt.p)
		if err != nil || strings.Count(got.Output, "\n") != tt.lines || !strings.HasPrefix(got.Output, tt.first) {
			t.Errorf("%+v: %q, %v", tt.p, got.Output, err)
		}
	}
}
