package sqlite_test

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/blq-ci/blq/store"
)

func TestCountingManyEventsPauses(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s := open(t, filepath.Join(t.TempDir(), "blq.db"))
	for i, attempt := range []string{"01999999-0000-7000-8000-00000000abcd", "01999999-0000-7000-8000-00000000abce"} {
		if _, err := s.StartRun(ctx, store.Run{Attempt: attempt, Repo: "o/a", Source: "build",
			StartedAt: time.Now()}); err != nil {
			t.Fatal(err)
		}
		var events []store.Event
		for n := range 25_000 / (1 + 9*i) {
			e := store.Event{ID: 2 * (n + 1), Severity: []store.Severity{store.SeverityError, store.SeverityInfo}[n%2]}
			e.Fingerprint, e.Pattern = store.Fingerprint(e), store.Pattern(e)
			events = append(events, e)
		}
		if err := s.AddEvents(ctx, attempt, 0, events); err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		filter store.EventFilter
		want   int
	}{
		"all":    {store.EventFilter{}, 27_500},
		"errors": {store.EventFilter{Severities: []store.Severity{store.SeverityError}}, 13_750},
		"after":  {store.EventFilter{After: 40_000}, 5000},
		"newest": {store.EventFilter{Runs: store.RunFilter{Newest: true, Limit: 1}}, 2500},
		"of one": {store.EventFilter{Runs: store.RunFilter{Attempts: []string{"01999999-0000-7000-8000-00000000abcd"}}}, 25_000},
	} {
		pauses := 0
		c.filter.Limit = 1
		page, err := s.Events(store.Pausing(ctx, func(context.Context) error { pauses++; return nil }), store.Everything(),
			c.filter)
		if err != nil {
			t.Fatal(err)
		}
		if page.Total != c.want || len(page.Events) != 1 || pauses < c.want/10_000 {
			t.Errorf("%s: %d events, %d pauses; want %d events", name, page.Total, pauses, c.want)
		}
	}
}
