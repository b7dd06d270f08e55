package query_test

import (
	"testing"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/querytest"
	"github.com/blq-ci/blq/store"
)

// TestAFilterFindsEventsOfTheFirstVersion filters by a fingerprint under today's rules. The run was recorded under the
// rules of the first version.
func TestAFilterFindsEventsOfTheFirstVersion(t *testing.T) {
	t.Parallel()
	old := store.Event{Severity: store.SeverityError, Tool: "gcc", Category: store.CategoryCompile, File: "src/a.c",
		Message: "‘x’ undeclared", Fingerprint: "gcc_compile_4425d0b72e583096",
		Pattern: "gcc_compile_0000000000000001", LogLine: 1}
	now := old
	now.Message, now.Fingerprint = "'x' undeclared", ""
	now.Fingerprint = store.Fingerprint(now)
	f := &querytest.Fixture{Asker: querytest.NewAsker(t, "")}
	expect := func(with, without int) {
		t.Helper()
		for filter, want := range map[string]int{"fingerprint=": with, "fingerprint!=": without} {
			table, err := f.Query(t.Context(), query.QueryParams{Filter: filter + now.Fingerprint})
			querytest.Check(t, err)
			if table.Count != want {
				t.Errorf("%s: %d events, want %d", filter, table.Count, want)
			}
		}
	}
	f.Add(t, querytest.Run{Source: "build", At: 1, Exit: 1, Log: "x\n", Events: []store.Event{old}})
	expect(1, 0)
	f.Add(t, querytest.Run{Source: "build", At: 2, Exit: 1, Log: "x\n", Events: []store.Event{now}})
	f.Add(t, querytest.Run{Source: "build", At: 3, Exit: 1, Log: "x\n", Events: querytest.BuildEvents()[:1]})
	expect(2, 1)
}
