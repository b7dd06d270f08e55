package storetest

import (
	"iter"

	"github.com/blq-ci/blq/store"
)

// firstVersion holds stored events with fingerprints from the first version of the fingerprint's rules.
var firstVersion = []store.Event{
	{Tool: "gcc", Category: store.CategoryCompile, File: "src/a.c", Message: "‘x’ undeclared",
		Fingerprint: "gcc_compile_4425d0b72e583096"},
	{Tool: "gcc", Category: store.CategoryCompile, File: "src/a.c", Message: "open /tmp/tmp.kQzRtWabcd/a.c:5: no",
		Fingerprint: "gcc_compile_03bc1c5c40ea0e3b"},
	{Tool: "rustc", Category: store.CategoryCompile, Code: "E0308", File: "src/main.rs", Message: "mismatched types",
		Fingerprint: "rustc_compile_6c7c9cc9f435e2ed"},
}

// today holds the same events as runs store them today, and two new events.
var today = []store.Event{
	{Tool: "gcc", Category: store.CategoryCompile, File: "src/a.c", Message: "'x' undeclared"},
	{Tool: "gcc", Category: store.CategoryCompile, File: "src/a.c", Message: "open /tmp/tmp.AbC/a.c:9: no"},
	{Tool: "rustc", Category: store.CategoryCompile, Code: "E0308", File: "src/main.rs",
		Message: "mismatched types\nexpected `i32`, found `&str`"},
	{Tool: "gcc", Category: store.CategoryCompile, File: "src/a.c", Message: "'y' undeclared"},
	{Tool: "rustc", Category: store.CategoryCompile, Code: "E0308", File: "src/main.rs",
		Message: "mismatched types\nexpected `i32`, found `u8`"},
}

var versionTests = map[string]func(f fixture){
	"runs of the first version compare with those of today": func(f fixture) {
		old, now := f.failWith(firstVersion), f.failWith(today)
		c, err := store.Compare(f.each(old), f.each(now), 0)
		f.ok(err)
		f.equal(c.Counts, store.Changes{New: 2, Unchanged: 3})
		f.equal([]string{c.New[0].Message, c.New[1].Message}, []string{today[3].Message, today[4].Message})
		c, err = store.Compare(f.each(now), f.each(old), 0)
		f.ok(err)
		f.equal(c.Counts.Unchanged, 2)
	},
	"events of the first version are read as those of today": func(f fixture) {
		old := f.failWith(firstVersion)
		for e, err := range f.each(old) {
			f.ok(err)
			f.equal(e.Fingerprint, store.Fingerprint(e.Event))
		}
	},
	"the history of an event begins in the first version": func(f fixture) {
		old, now := f.failWith(firstVersion), f.failWith(today)
		for _, i := range []int{0, 2} { // the second event had another fingerprint in each run
			prints := append([]string{store.Fingerprint(today[i])}, store.EarlierFingerprints(today[i])...)
			h, err := f.s.FingerprintHistory(f.Context(), everything, now, prints...)
			f.ok(err)
			f.equal(h.First.Serial, old.Serial)
			f.equal(h.Runs, 2)
		}
	},
	"events of the first version are found by what is asked for today": func(f fixture) {
		old := f.failWith(firstVersion)
		page, err := f.s.Events(f.Context(), everything, store.EventFilter{
			Runs: store.RunFilter{Attempts: []string{old.Attempt}}, Fingerprints: store.EarlierFingerprints(today[0]),
		})
		f.ok(err)
		f.equal(page.Total, 1)
	},
}

// failWith records a failed run of build with errors.
func (f fixture) failWith(events []store.Event) store.Run {
	f.Helper()
	r := f.start("", "build")
	list := make([]store.Event, len(events))
	for i, e := range events {
		e.ID, e.Severity, e.LogLine = i+1, store.SeverityError, i+1
		list[i] = e
	}
	f.ok(f.s.AddEvents(f.Context(), r.Attempt, 0, list))
	return f.finish(r, 1)
}

// each reads the events of a run.
func (f fixture) each(r store.Run) iter.Seq2[store.RunEvent, error] {
	return func(yield func(store.RunEvent, error) bool) {
		page, err := f.s.Events(f.Context(), everything, store.EventFilter{
			Runs: store.RunFilter{Attempts: []string{r.Attempt}},
		})
		if err != nil {
			yield(store.RunEvent{}, err)
			return
		}
		for _, e := range page.Events {
			if !yield(e, nil) {
				return
			}
		}
	}
}
