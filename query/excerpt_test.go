package query_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/query/querytest"
	"github.com/blq-ci/blq/store"
)

func TestAnExcerptKeepsWhatTells(t *testing.T) {
	t.Parallel()
	f := &querytest.Fixture{Asker: querytest.NewAsker(t, "")}
	log := []string{"not ok 1 - slug", "  ---", "  error: 'slugs have no blanks'", "  expected: 'a-b'", "  actual: 'a b'"}
	for range 20 {
		log = append(log, "      at Module._compile (node:internal/modules/cjs/loader:1554:14)")
	}
	log = append(log, "  ...")
	e := querytest.Event(store.SeverityError, "slug.test.js", 4, 1, "slugs have no blanks", 1, len(log))
	r := f.Add(
		t, querytest.Run{Source: "test", At: 1, Exit: 1, Log: strings.Join(log, "\n") + "\n", Events: []store.Event{e}})
	got, err := f.Excerpt(t.Context(), r, e, 8)
	querytest.Check(t, err)
	want := []string{log[0], "…", log[2], log[3], log[4]} // rulers carry no information
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if none, err := f.Excerpt(t.Context(), r, store.Event{}, 8); err != nil || none != nil {
		t.Errorf("%v, %v", none, err)
	}
}
