package query_test

import (
	"fmt"
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
		want string // "" for none
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
