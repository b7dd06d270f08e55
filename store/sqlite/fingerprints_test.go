package sqlite

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/blq-ci/blq/store"
)

// A few errors of large runs are found by their index. Many errors are read in the order of the list, because then a
// list with a limit soon has enough.
func TestSomeErrorsOfLargeRunsAreFoundByTheirIndex(t *testing.T) {
	t.Parallel()
	s, err := Open(t.Context(), filepath.Join(t.TempDir(), "blq.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var all []store.RunEvent
	var attempts []string
	for run := range 2 {
		r, err := s.StartRun(t.Context(), store.Run{Attempt: fmt.Sprint("a", run), Source: "build"})
		if err != nil {
			t.Fatal(err)
		}
		attempts = append(attempts, r.Attempt)
		var events []store.Event
		for i := range fewMatches + 400 {
			e := store.Event{ID: i + 1, Severity: store.SeverityError, Message: "no such file"}
			switch {
			case i%3 == 0 && i < 1200:
				e.Message = "undeclared " + strings.Repeat("x", i%21)
			case i%7 == 0:
				e.Severity = store.SeverityWarning
			}
			e.Fingerprint, e.Pattern = store.Fingerprint(e), store.Pattern(e)
			events = append(events, e)
		}
		if err := s.AddEvents(t.Context(), r.Attempt, 0, events); err != nil {
			t.Fatal(err)
		}
		page, err := s.Events(t.Context(), store.Everything(), store.EventFilter{Runs: store.RunFilter{
			Attempts: []string{r.Attempt}}})
		if err != nil {
			t.Fatal(err)
		}
		all = append(page.Events, all...) // newest run first
	}
	print := func(message string) string {
		return store.Fingerprint(store.Event{Severity: store.SeverityError, Message: message})
	}
	rare := []string{print("undeclared xxx"), print("undeclared xxxxxx"), print("of no event")}
	for name, tt := range map[string]struct {
		filter store.EventFilter
		index  bool
	}{
		"rare ones":            {store.EventFilter{Fingerprints: rare}, true},
		"rare ones of a page":  {store.EventFilter{Fingerprints: rare, Limit: 20, Offset: 30}, true},
		"frequent ones":        {store.EventFilter{Fingerprints: append(rare, print("no such file")), Limit: 50}, false},
		"none":                 {store.EventFilter{Fingerprints: []string{}}, false},
		"many of a small list": {store.EventFilter{Fingerprints: many(2000)}, false},
	} {
		f := tt.filter
		f.Runs.Attempts, f.Severities = attempts, []store.Severity{store.SeverityError}
		from, args, err := eventsFrom(t.Context(), s.reader, store.Everything(), f)
		if err != nil {
			t.Fatal(err)
		}
		const index = "events_fingerprint (source_id=? AND fingerprint=? AND run_id=?)"
		if plan := explain(t.Context(), t, s, "SELECT e.id "+from, args); strings.Contains(plan, index) != tt.index {
			t.Errorf("%s: %s", name, plan)
		}
		page, err := s.Events(t.Context(), store.Everything(), f)
		if err != nil {
			t.Fatal(err)
		}
		want := slices.DeleteFunc(slices.Clone(all), func(e store.RunEvent) bool {
			return e.Severity != store.SeverityError || !slices.Contains(f.Fingerprints, e.Fingerprint)
		})
		if page.Total != len(want) {
			t.Errorf("%s: %d of %d events", name, page.Total, len(want))
		}
		want = want[min(f.Offset, len(want)):]
		if f.Limit > 0 {
			want = want[:min(f.Limit, len(want))]
		}
		if !slices.Equal(page.Events, want) {
			t.Errorf("%s: %d events differ from %d", name, len(page.Events), len(want))
		}
	}
}

// many returns fingerprints that no event has.
func many(n int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = store.Fingerprint(store.Event{Tool: "gcc", Message: "m" + strings.Repeat("y", i)})
	}
	return list
}
