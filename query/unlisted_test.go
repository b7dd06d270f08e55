package query_test

import (
	"fmt"
	"testing"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/querytest"
	"github.com/blq-ci/blq/store"
)

func TestNoErrorsNamesRunsThatWentWrong(t *testing.T) {
	t.Parallel()
	main, topic := &store.Git{Commit: "aaaa111", Branch: "main"}, &store.Git{Commit: "bbbb222", Branch: "topic"}
	f := &querytest.Fixture{Asker: querytest.NewAsker(t, "")}
	f.Add(t, querytest.Run{Source: "pack", At: 31, Exit: 1, Events: querytest.BuildEvents(), Git: topic})
	f.Add(t, querytest.Run{Source: "pack", At: 32, Exit: 0, Git: main})
	f.Add(t, querytest.Run{Source: "e2e", At: 33, Exit: 3, Git: main})
	f.Add(t, querytest.Run{Source: "slow", At: 34, Running: true, Git: main})
	f.Add(t, querytest.Run{Source: "gone", At: 35, Exit: 143, Reason: store.ReasonCancelled, Git: main})
	for _, test := range []struct {
		p            query.EventsParams
		failed, note string
	}{
		{query.EventsParams{Source: "e2e"}, "[e2e:3]", "e2e:3 is FAIL, and no error was recognised in its log"},
		{query.EventsParams{At: query.At{Branch: "main"}}, "[gone:5 slow:4 e2e:3]", "gone:5 is CANCELLED, and no error " +
			"was recognised in its log; slow:4 has not ended; e2e:3 is FAIL, and no error was recognised in its log"},
		{query.EventsParams{Severity: "error"}, "[gone:5 slow:4 e2e:3]", "gone:5 is CANCELLED, and no error was " +
			"recognised in its log; slow:4 has not ended; e2e:3 is FAIL, and no error was recognised in its log; " +
			"1 other run likewise"},
		{query.EventsParams{Source: "slow"}, "[slow:4]", "slow:4 has not ended"},
		{query.EventsParams{Source: "pack"}, "[]", "the newest on topic, pack:1, is FAIL"},
		{query.EventsParams{Ref: "e2e:3"}, "[e2e:3]", "e2e:3 is FAIL, and no error was recognised in its log"},
		{query.EventsParams{Ref: "pack:2"}, "[]", ""},
		{query.EventsParams{Ref: "pack:1"}, "[]", ""},
		{query.EventsParams{Severity: "warning"}, "[]", ""},
		{query.EventsParams{At: query.At{Branch: "topic"}}, "[]", ""},
	} {
		e, err := f.Events(t.Context(), test.p)
		querytest.Check(t, err)
		if fmt.Sprint(e.Failed) != test.failed || e.Note != test.note {
			t.Errorf("%+v: %v, %q", test.p, e.Failed, e.Note)
		}
	}
}
