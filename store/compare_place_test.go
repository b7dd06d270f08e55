package store_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/store"
)

// Compare tells equal violations apart by their files. But a violation that only moved to another file is in both runs.
func TestCompareFindsTheFileOfAViolation(t *testing.T) {
	violations := func(files ...string) []store.RunEvent {
		var list []store.RunEvent
		for i, file := range files {
			e := store.Event{ID: i + 1, Severity: store.SeverityError, Tool: "arch-lint", Category: store.CategoryLint,
				File: file, Message: file + " imports db, which it must not"}
			e.Fingerprint = store.Fingerprint(e)
			list = append(list, store.RunEvent{Event: e})
		}
		return list
	}
	files := func(list []store.RunEvent) (names []string) {
		for _, e := range list {
			names = append(names, e.File)
		}
		return names
	}
	for name, c := range map[string]struct{ base, head, fresh, fixed, unchanged []string }{
		"added before":   {[]string{"m", "z"}, []string{"a", "m", "z"}, []string{"a"}, nil, []string{"m", "z"}},
		"added again":    {[]string{"m"}, []string{"m", "m"}, []string{"m"}, nil, []string{"m"}},
		"removed before": {[]string{"a", "m", "z"}, []string{"m", "z"}, nil, []string{"a"}, []string{"m", "z"}},
		"moved":          {[]string{"m", "z"}, []string{"a", "z"}, nil, nil, []string{"a", "z"}},
		"moved and added": {[]string{"m", "z"}, []string{"a", "b", "z"}, []string{"b"}, nil,
			[]string{"a", "z"}},
		"moved and removed": {[]string{"m", "n", "z"}, []string{"a", "z"}, nil, []string{"n"}, []string{"a", "z"}},
		"first":             {nil, []string{"a"}, []string{"a"}, nil, nil},
		"last":              {[]string{"a"}, nil, nil, []string{"a"}, nil},
	} {
		got, err := store.Compare(read(violations(c.base...), nil), read(violations(c.head...), nil), 0)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([][]string{c.fresh, c.fixed, c.unchanged},
			[][]string{files(got.New), files(got.Fixed), files(got.Unchanged)}); diff != "" {
			t.Errorf("%s: -want +got:\n%s", name, diff)
		}
		if want := (store.Changes{New: len(c.fresh), Fixed: len(c.fixed), Unchanged: len(c.unchanged)}); got.Counts != want {
			t.Errorf("%s: %+v, want %+v", name, got.Counts, want)
		}
	}
}
