package query_test

import (
	"context"
	"testing"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/querytest"
	"github.com/blq-ci/blq/store"
)

// crowd is a store with any number of runs.
type crowd struct{ store.Reader }

func (crowd) Runs(_ context.Context, _ store.Scope, f store.RunFilter) ([]store.Run, error) {
	runs := make([]store.Run, f.Limit)
	for i := range runs {
		runs[i] = store.Run{Serial: 1_000_000 - i, Source: "build"}
	}
	return runs, nil
}

func TestAHistorySaysWhatItLeavesOut(t *testing.T) {
	t.Parallel()
	a := &query.Asker{Store: crowd{}, Scope: store.Everything()}
	for limit, want := range map[int]struct {
		runs int
		note string
	}{
		0:       {10_000, "only 10000 runs are listed; before=990001 lists older ones"},
		20_000:  {10_000, "only 10000 runs are listed; before=990001 lists older ones"},
		10_000:  {10_000, ""},
		9_999:   {9_999, ""},
		1 << 40: {10_000, "only 10000 runs are listed; before=990001 lists older ones"},
	} {
		h, err := a.History(t.Context(), query.HistoryParams{Limit: limit})
		querytest.Check(t, err)
		if len(h.Runs) != want.runs || h.Note != want.note {
			t.Errorf("limit %d: %d runs, %q", limit, len(h.Runs), h.Note)
		}
	}
}
