package query_test

import (
	"context"
	"strings"
	"testing"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/querytest"
	"github.com/blq-ci/blq/store"
)

// Answers about a run, an event or lines have the URL of their page, if there are pages.
func TestAnswersHaveTheAddressesOfPages(t *testing.T) {
	t.Parallel()
	f, ctx := querytest.New(t), context.Background()
	for _, on := range []bool{true, false} {
		f.Page = nil
		if on {
			f.Page = func(ref store.Ref, stream string) string {
				return "https://blq.example.com/" + strings.TrimPrefix(stream, store.StreamCombined) + "?ref=" + ref.String()
			}
		}
		for name, tt := range map[string]struct {
			ask  func() (string, error)
			want string
		}{
			"events of a run": {func() (string, error) {
				a, err := f.Events(ctx, query.EventsParams{Ref: "build:3"})
				return a.URL, err
			}, "?ref=build:3"},
			"events of several runs": {func() (string, error) {
				a, err := f.Events(ctx, query.EventsParams{RunIDs: []int{1, 3}})
				return a.URL, err
			}, ""},
			"inspect": {func() (string, error) {
				a, err := f.Inspect(ctx, query.InspectParams{Ref: "build:3:1"})
				return a.URL, err
			}, "?ref=build:3:1"},
			"triage": {func() (string, error) {
				a, err := f.Triage(ctx, query.TriageParams{Ref: "build:3"})
				return a.URL, err
			}, "?ref=build:3"},
			"lines": {func() (string, error) { return outputURL(f, query.OutputParams{Ref: "build:3:L4-L6"}) }, "?ref=build:3:L4-L6"},
			"end":   {func() (string, error) { return outputURL(f, query.OutputParams{Ref: "build:3", Tail: 2}) }, "?ref=build:3:L8-L9"},
			"both ends": {func() (string, error) {
				return outputURL(f, query.OutputParams{Ref: "build:3", Head: 1, Tail: 1})
			}, "?ref=build:3:L1-L9"},
			"matches": {func() (string, error) {
				return outputURL(f, query.OutputParams{Ref: "build:3", Grep: "undeclared"})
			}, "?ref=build:3:L3"},
			"nothing": {func() (string, error) {
				return outputURL(f, query.OutputParams{Ref: "build:3", Grep: "no such text"})
			}, "?ref=build:3"},
			"another stream": {func() (string, error) {
				return outputURL(f, query.OutputParams{Ref: "test:4", Stream: store.StreamStderr, Head: 1})
			}, "stderr?ref=test:4:L1"},
		} {
			want := ""
			if on && tt.want != "" {
				want = "https://blq.example.com/" + tt.want
			}
			if got, err := tt.ask(); err != nil || got != want {
				t.Errorf("%s: %q, want %q: %v", name, got, want, err)
			}
		}
	}
}

func outputURL(f *querytest.Fixture, p query.OutputParams) (string, error) {
	out, err := f.Output(context.Background(), p)
	return out.URL, err
}
