package query_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/querytest"
	"github.com/blq-ci/blq/store"
)

func TestStatusShowsBranchesThatFail(t *testing.T) {
	t.Parallel()
	f := &querytest.Fixture{Asker: querytest.NewAsker(t, "")}
	for i, r := range []querytest.Run{
		{Source: "build", Exit: 1, Git: on("main", "c1")},
		{Source: "build", Exit: 1, Git: on("fixed", "c2")},
		{Source: "build", Git: on("fixed", "c3")},
		{Source: "build", Exit: 1, Git: on("dropped", "c4"), Reason: store.ReasonCancelled},
		{Source: "build", Exit: 1, Git: on("slow", "c4"), Reason: store.ReasonTimeout},
		{Source: "build", Git: on("main", "c5"), CI: &store.CI{PR: 9, Fork: true}},
		{Source: "lint", Git: on("main", "c5")},
	} {
		r.At, r.Log = i+1, "log\n"
		f.Add(t, r)
	}
	for _, tt := range []struct {
		at   query.At
		want []string
	}{
		{query.At{}, []string{"lint:7 OK main", "build:6 OK pull/9:main", "build:5 TIMEOUT slow", "build:1 FAIL main"}},
		{query.At{Branch: "main"}, []string{"lint:7 OK ", "build:1 FAIL "}},
		{query.At{Branch: "fixed"}, []string{"build:3 OK "}},
	} {
		s, err := f.Status(t.Context(), query.StatusParams{At: tt.at})
		querytest.Check(t, err)
		var got []string
		for _, one := range s.Sources {
			got = append(got, fmt.Sprintf("%s:%d %s %s", one.Name, one.RunID, one.Status, one.Branch))
		}
		if d := cmp.Diff(tt.want, got); d != "" {
			t.Errorf("%+v: %s", tt.at, d)
		}
	}
}
