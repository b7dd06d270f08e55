package export

import (
	"context"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/internal/lazyregexp"
	"github.com/blq-ci/blq/store"
)

// explain adds an event to each failed attempt: the event with the reason of the failure. Logs and reports may name a
// test differently. So the test of an event is first looked up by name and file, then by name, and then by the last
// part of the name. inParts is true if list has only a part of the run's tests.
func (d *document) explain(ctx context.Context, list []testCase, inParts bool) error {
	w := newWanting(list)
	switch {
	case w.left == 0:
		return nil
	case inParts:
		return d.explainPart(ctx, w)
	}
	return d.eachFailure(ctx, func(e *store.Event) bool {
		w.take(e)
		return w.left > 0
	})
}

// eachFailure calls do with each event that is a failed test. It stops if do returns false.
func (d *document) eachFailure(ctx context.Context, do func(e *store.Event) bool) error {
	f := d.ofTests()
	for {
		passing, done := store.Passing(ctx)
		page, err := d.asker.Store.Events(passing, d.asker.Scope, f)
		if err != nil {
			return err
		}
		done()
		for _, e := range page.Events {
			f.After = e.ID
			if event := clean(e.Event); !do(&event) {
				return nil
			}
		}
		if len(page.Events) < eventsAtOnce {
			return nil
		}
	}
}

// wanting finds the failed attempts that have no event yet.
type wanting struct {
	by   [3]map[string][]*testCase // tests by name and file, by name, and by last part of the name
	left int                       // number of attempts without an event
}

func newWanting(list []testCase) *wanting {
	w := &wanting{}
	for i := range w.by {
		w.by[i] = map[string][]*testCase{}
	}
	for i := range list {
		t := &list[i]
		n := 0
		for _, a := range t.attempts {
			if a.failed() {
				n++
			}
		}
		if w.left += n; n == 0 {
			continue
		}
		for key, name := range keys(t.name, t.file) {
			w.by[key][name] = append(w.by[key][name], t)
		}
	}
	return w
}

// decoration matches the parts of a test's name that logs may leave out. These are the numbers that parse.Tests adds
// to equal names, such as " (2)", and the project of a Playwright test, such as "[chromium] › ".
var decoration = lazyregexp.New(` \(\d+\)$|^\[[^\]]*\] › `)

// keys returns the names by which a test is looked up. The most exact name is the first.
func keys(name, file string) [3]string {
	plain := decoration.ReplaceAllString(name, "")
	return [3]string{name + "\x00" + file, plain, parse.ShortTest(plain)}
}

// take adds an event to the first matching failed attempt that has no event yet. It returns false if there is no such
// attempt.
func (w *wanting) take(e *store.Event) bool {
	for key, name := range keys(e.Test, e.File) {
		waiting := w.by[key][name]
		for len(waiting) > 0 {
			if waiting[0].take(e) {
				w.left--
				return true
			}
			waiting = waiting[1:] // all attempts of this test have an event
			w.by[key][name] = waiting
		}
	}
	return false
}

// take adds an event to the first failed attempt without an event. It returns false if the test has no such attempt.
func (t *testCase) take(e *store.Event) bool {
	for i := range t.attempts {
		if a := &t.attempts[i]; a.failed() && a.event == nil {
			a.event = e
			return true
		}
	}
	return false
}
