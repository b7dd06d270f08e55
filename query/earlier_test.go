package query_test

import (
	"testing"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/querytest"
	"github.com/blq-ci/blq/store"
)

// TestAFilterFindsEventsOfTheFirstVersion filters by a fingerprint of today. The run was recorded under the rules of
// the first version.
func TestAFilterFindsEventsOfTheFirstVersion(t *testing.T) {
	t.Parallel()
	old := store.Event{Severity: store.SeverityError, Tool: "gcc", Category: store.CategoryCompile, File: "src/a.c",
		Message: "‘x’ undeclared", Fingerprint: "gcc_compile_4425d0b72e583096", Pattern: "gcc_compile_0000000000000001", LogLine: 1}
	now := old
	now.Message, now.Fingerprint = "'x' undeclared", ""
	now.Fingerprint = store.Fingerprint(now)
	f := &querytest.Fixture{Asker: querytest.NewAsker(t, "")}
	filter := func(s string) int {
		table, err := f.Query(t.Context(), query.QueryParams{Filter: s})
		querytest.Check(t, err)
		return table.Count
	}
	f.Add(t, querytest.Run{Source: "build", At: 1, Exit: 1, Log: "x\n", Events: []store.Event{old}})
	if got := []int{filter("fingerprint=" + now.Fingerprint), filter("fingerprint!=" + now.Fingerprint)}; got[0] != 1 || got[1] != 0 {
		t.Errorf("with runs of the first version: %d, and %d others", got[0], got[1])
	}
	f.Add(t, querytest.Run{Source: "build", At: 2, Exit: 1, Log: "x\n", Events: []store.Event{now}})
	f.Add(t, querytest.Run{Source: "build", At: 3, Exit: 1, Log: "x\n", Events: querytest.BuildEvents()[:1]})
	if got := []int{filter("fingerprint=" + now.Fingerprint), filter("fingerprint!=" + now.Fingerprint)}; got[0] != 2 || got[1] != 1 {
		t.Errorf("with runs of both versions: %d, and %d others", got[0], got[1])
	}
}
