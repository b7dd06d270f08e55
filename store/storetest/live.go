package storetest

import (
	"fmt"
	"slices"

	"github.com/blq-ci/blq/store"
)

// seen returns the events of a run and the run's counts as text.
func (f fixture) seen(r store.Run, settled bool) string {
	f.Helper()
	page, err := f.s.Events(
		f.Context(), everything, store.EventFilter{Runs: store.RunFilter{Attempts: []string{r.Attempt}}, Settled: settled})
	f.ok(err)
	text := ""
	for _, e := range page.Events {
		text += fmt.Sprint(e.ID, e.Message, " ")
	}
	run, err := f.s.Run(f.Context(), everything, store.Ref{Attempt: r.Attempt})
	f.ok(err)
	return fmt.Sprintf("%sof %d, %d errors, %d warnings", text, page.Total, run.Errors, run.Warnings)
}

func (f fixture) live(r store.Run, from int, messages ...string) {
	f.Helper()
	var events []store.Event
	for i, m := range messages {
		events = append(events, event(from+i, m))
	}
	f.ok(f.s.SetLive(f.Context(), r.Attempt, from, events))
}

var liveTests = map[string]func(f fixture){
	"live events are replaced from a number on": func(f fixture) {
		r := f.start("", "build")
		for range 2 {
			f.live(r, 1, "a", "b", "c")
			f.equal(f.seen(r, false), "1a 2b 3c of 3, 3 errors, 0 warnings")
		}
		f.live(r, 2, "x")
		f.equal(f.seen(r, false), "1a 2x of 2, 2 errors, 0 warnings")
		f.live(r, 3, "y", "z")
		f.equal(f.seen(r, false), "1a 2x 3y 4z of 4, 4 errors, 0 warnings")
		f.equal(f.seen(r, true), "of 0, 4 errors, 0 warnings")
		warning := event(1, "w")
		warning.Severity = store.SeverityWarning
		f.ok(f.s.SetLive(f.Context(), r.Attempt, 1, []store.Event{warning}))
		f.equal(f.seen(r, false), "1w of 1, 0 errors, 1 warnings")
		_, e, err := f.s.Event(f.Context(), everything, r.Ref().WithEvent(1))
		f.ok(err)
		f.equal(e.Message, "w")
		f.live(r, 1)
		f.equal(f.seen(r, false), "of 0, 0 errors, 0 warnings")
	},
	"a batch takes their place": func(f fixture) {
		r := f.start("", "build")
		f.live(r, 1, "a", "b", "c")
		f.ok(f.s.AddEvents(f.Context(), r.Attempt, 0, []store.Event{event(1, "A"), event(2, "B")}))
		f.equal(f.seen(r, false), "1A 2B of 2, 2 errors, 0 warnings")
		f.live(r, 3, "c", "d")
		f.ok(f.s.AddEvents(f.Context(), r.Attempt, 0, []store.Event{event(1, "again")}))
		f.equal(f.seen(r, false), "1A 2B 3c 4d of 4, 4 errors, 0 warnings")
		f.equal(f.seen(r, true), "1A 2B of 2, 4 errors, 0 warnings")
		f.ok(f.s.AddEvents(f.Context(), r.Attempt, 1, nil))
		f.equal(f.seen(r, false), "1A 2B of 2, 2 errors, 0 warnings")
	},
	"the end of a run removes them": func(f fixture) {
		r := f.start("", "build")
		f.ok(f.s.AddEvents(f.Context(), r.Attempt, 0, []store.Event{event(1, "A")}))
		f.live(r, 2, "b")
		f.finish(r, 0)
		f.equal(f.seen(r, false), "1A of 1, 1 errors, 0 warnings")
		f.equal(f.seen(r, true), "1A of 1, 1 errors, 0 warnings")
		f.refused(f.s.SetLive(f.Context(), r.Attempt, 2, nil), store.Conflict, "completed")
	},
	"those of an orphaned run stay": func(f fixture) {
		r := f.start("", "build")
		f.live(r, 1, "a")
		_, err := f.s.OrphanRun(f.Context(), r.Attempt, r.StartedAt)
		f.ok(err)
		f.equal(f.seen(r, false), "1a of 1, 1 errors, 0 warnings")
		f.live(r, 1, "b")
		f.equal(f.seen(r, false), "1b of 1, 1 errors, 0 warnings")
		pruned, err := f.s.Prune(f.Context(), everything, store.Policy{All: true})
		f.ok(err)
		f.equal(pruned.Events, 1)
	},
	"they never touch what was added": func(f fixture) {
		r := f.start("", "build")
		f.ok(f.s.AddEvents(f.Context(), r.Attempt, 0, []store.Event{event(2, "B"), event(5, "E")}))
		for _, events := range [][]store.Event{{event(5, "x")}, {event(3, "x")}, {event(1, "x"), event(3, "y")}, nil} {
			from := 1
			if events != nil {
				from = events[0].ID
			}
			f.refused(f.s.SetLive(f.Context(), r.Attempt, from, events), store.Conflict)
		}
		f.equal(f.seen(r, false), "2B 5E of 2, 2 errors, 0 warnings")
		f.live(r, 6, "f")
		f.equal(f.seen(r, false), "2B 5E 6f of 3, 3 errors, 0 warnings")
	},
	"lists that are not in order are refused": func(f fixture) {
		r := f.start("", "build")
		f.refused(f.s.SetLive(f.Context(), "x", 1, nil), store.NotFound)
		f.refused(f.s.SetLive(f.Context(), r.Attempt, 0, nil), store.Invalid)
		two := []store.Event{event(1, "a"), event(2, "b")}
		f.refused(f.s.SetLive(f.Context(), r.Attempt, 2, two), store.Invalid)
		slices.Reverse(two)
		f.refused(f.s.SetLive(f.Context(), r.Attempt, 1, two), store.Invalid)
		f.refused(f.s.SetLive(f.Context(), r.Attempt, 1, []store.Event{{ID: 1, Severity: "bad"}}), store.Invalid)
		f.equal(f.seen(r, false), "of 0, 0 errors, 0 warnings")
	},
	"queries and filters see them, and their counts": func(f fixture) {
		done := f.fail("", "build", "old")
		r := f.start("", "build")
		f.live(r, 1, "a", "b")
		f.equal(f.messages(store.EventFilter{Settled: true}), []string{"old"})
		f.equal(f.messages(store.EventFilter{Runs: store.RunFilter{Source: "build"}}), []string{"a", "b", "old"})
		page, err := f.s.Events(f.Context(), everything,
			store.EventFilter{Runs: store.RunFilter{Newest: true}, Severities: []store.Severity{store.SeverityError}, Limit: 1})
		f.ok(err)
		f.equal(page.Total, 2)
		f.rows("SELECT run_id, message FROM blq_load_events() ORDER BY run_id, event_id", []any{int64(done.Serial), "old"},
			[]any{int64(r.Serial), "a"}, []any{int64(r.Serial), "b"})
	},
}
