package store_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/store"
)

// If one of several equal errors is fixed or new, its place says which one.
func TestPlacesTellEqualErrorsApart(t *testing.T) {
	t.Parallel()
	type places = [][2]int // lines and columns
	for name, c := range map[string]struct{ base, head, fixed, fresh places }{
		"the first is fixed":           {places{{10, 5}, {50, 5}}, places{{50, 5}}, places{{10, 5}}, nil},
		"the first is fixed with code": {places{{10, 5}, {50, 5}}, places{{53, 5}}, places{{10, 5}}, nil},
		"the last is fixed":            {places{{10, 5}, {50, 5}}, places{{10, 5}}, places{{50, 5}}, nil},
		"the middle is fixed":          {places{{1, 1}, {9, 1}, {30, 1}}, places{{1, 1}, {28, 1}}, places{{9, 1}}, nil},
		"a new one before":             {places{{50, 5}}, places{{10, 5}, {52, 5}}, nil, places{{10, 5}}},
		"a new one behind":             {places{{10, 5}}, places{{10, 5}, {50, 5}}, nil, places{{50, 5}}},
		"in another column":            {places{{10, 5}, {14, 9}}, places{{9, 9}}, places{{10, 5}}, nil},
		"as many":                      {places{{10, 5}, {50, 5}}, places{{10, 5}, {90, 5}}, nil, nil},
		"without lines":                {places{{0, 0}, {0, 0}}, places{{0, 0}}, places{{0, 0}}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := store.Compare(read(undeclared(c.base), nil), read(undeclared(c.head), nil), 0)
			if err != nil {
				t.Fatal(err)
			}
			found := []places{placesOf(got.Fixed), placesOf(got.New)}
			if diff := cmp.Diff([]places{c.fixed, c.fresh}, found); diff != "" {
				t.Error(diff)
			}
			n := store.Changes{New: len(got.New), Fixed: len(got.Fixed), Unchanged: len(got.Unchanged)}
			if n != got.Counts {
				t.Errorf("%+v, but the lists have %+v", got.Counts, n)
			}
		})
	}
}

// Very many equal errors are not compared by their places, because that would take too long.
func TestVeryManyEqualErrorsAreComparedSoon(t *testing.T) {
	t.Parallel()
	var base, head [][2]int
	for i := range 9000 {
		base = append(base, [2]int{i, 1})
		if i%2 == 0 {
			head = append(head, [2]int{i, 1})
		}
	}
	got, err := store.Compare(read(undeclared(base), nil), read(undeclared(head), nil), 0)
	if want := (store.Changes{Fixed: 4500, Unchanged: 4500}); err != nil || got.Counts != want {
		t.Errorf("%+v, %v", got.Counts, err)
	}
}

// An earlier version of blq stored an error of rustc without the last line of its message. The base may have such an
// error both with this line and without it.
func TestEqualErrorsWithAndWithoutTheLastLineAreNotAllNew(t *testing.T) {
	t.Parallel()
	const without, with = "mismatched types", "mismatched types\nexpected u8"
	of := func(messages ...string) (list []store.RunEvent) {
		for i, m := range messages {
			e := store.Event{ID: i + 1, Severity: store.SeverityError, Tool: "rustc", Code: "E0308", File: "a.rs",
				Line: 10 * i, Category: store.CategoryCompile, Message: m}
			e.Fingerprint = store.Fingerprint(e)
			list = append(list, store.RunEvent{Event: e})
		}
		return list
	}
	for name, c := range map[string]struct {
		base, head []string
		want       store.Changes
	}{
		"one more": {[]string{without, with}, []string{without, without},
			store.Changes{New: 1, Fixed: 1, Unchanged: 1}},
		"one fewer": {[]string{without, without, with}, []string{without}, store.Changes{Fixed: 2, Unchanged: 1}},
	} {
		got, err := store.Compare(read(of(c.base...), nil), read(of(c.head...), nil), 0)
		if err != nil || got.Counts != c.want {
			t.Errorf("%s: %+v, %v", name, got.Counts, err)
		}
	}
}

func undeclared(places [][2]int) (list []store.RunEvent) {
	for i, p := range places {
		e := compile("'x' undeclared")
		e.ID, e.Severity, e.Line, e.Column = i+1, store.SeverityError, p[0], p[1]
		e.Fingerprint = store.Fingerprint(e)
		list = append(list, store.RunEvent{Event: e})
	}
	return list
}

func placesOf(events []store.RunEvent) (list [][2]int) {
	for _, e := range events {
		list = append(list, [2]int{e.Line, e.Column})
	}
	return list
}
