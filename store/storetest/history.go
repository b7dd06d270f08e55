package storetest

import "github.com/blq-ci/blq/store"

var historyTests = map[string]func(f fixture){
	"where it was seen": func(f fixture) {
		first := f.fail("o/n", "build", "m", "m", "x")
		f.fail("o/n", "build", "x")
		f.fail("o/n", "test", "m")      // a run of another source
		f.fail("o/other", "build", "m") // a run of another repository
		third := f.fail("o/n", "build", "m")
		fourth := f.fail("o/n", "build", "m")
		print := event(1, "m").Fingerprint
		f.history(fourth, print, store.FingerprintHistory{First: first, Last: third, Occurrences: 4, Runs: 3})
		f.history(third, print, store.FingerprintHistory{First: first, Last: first, Occurrences: 3, Runs: 2})
		f.history(first, print, store.FingerprintHistory{First: first, Occurrences: 2, Runs: 1})
		f.history(fourth, event(1, "never").Fingerprint, store.FingerprintHistory{})
		_, err := f.s.FingerprintHistory(f.Context(), everything, first, "nonsense")
		f.refused(err, store.Invalid)
	},
	"back after the source passed is a regression": func(f fixture) {
		print := event(1, "m").Fingerprint
		first := f.fail("", "build", "m")
		f.finish(f.start("", "test"), 0) // a run that passed, but of another source
		second := f.fail("", "build", "m")
		f.history(second, print, store.FingerprintHistory{First: first, Last: first, Occurrences: 2, Runs: 2})
		f.finish(f.start("", "build"), 0)
		f.fail("", "build", "x")
		back := f.fail("", "build", "m")
		f.history(
			back, print, store.FingerprintHistory{First: first, Last: second, Occurrences: 3, Runs: 3, Regression: true})
		again := f.fail("", "build", "m")
		f.history(again, print, store.FingerprintHistory{First: first, Last: back, Occurrences: 4, Runs: 4})
	},
	"back only on a branch and in a step where it was before": func(f fixture) {
		print := event(1, "m").Fingerprint
		run := func(branch, command string, exit int) store.Run {
			r := f.start("", "build", func(r *store.Run) { r.Git.Branch, r.Command = branch, command })
			if exit > 0 {
				f.events(r, "m")
			}
			return f.finish(r, exit)
		}
		first := run("topic", "make", 1)
		run("main", "make", 0)
		second := run("topic", "make", 1)
		f.history(second, print, store.FingerprintHistory{First: first, Last: first, Occurrences: 2, Runs: 2})
		run("topic", "make check", 0)
		third := run("topic", "make", 1)
		f.history(third, print, store.FingerprintHistory{First: first, Last: second, Occurrences: 3, Runs: 3})
		onMain := run("main", "make", 1)
		f.history(onMain, print, store.FingerprintHistory{First: first, Last: third, Occurrences: 4, Runs: 4})
		run("main", "make", 0)
		fourth := run("topic", "make", 1)
		f.history(fourth, print, store.FingerprintHistory{First: first, Last: onMain, Occurrences: 5, Runs: 5})
		back := run("main", "make", 1)
		f.history(back, print,
			store.FingerprintHistory{First: first, Last: fourth, Occurrences: 6, Runs: 6, Regression: true})
	},
	"in which runs it was seen": func(f fixture) {
		first := f.fail("o/n", "build", "m", "m", "x")
		f.fail("o/n", "build", "x")
		test := f.fail("o/n", "test", "m")
		other := f.fail("o/other", "build", "m")
		last := f.fail("o/n", "build", "m", "m", "m")
		print := event(1, "m").Fingerprint
		f.sightings(everything, "o/n", 2, store.Sightings{Occurrences: 6, Runs: 3, First: first,
			Newest: []store.Sighting{{Run: last, Events: 3}, {Run: test, Events: 1}}}, print)
		f.sightings(everything, "o/n", 9, store.Sightings{Occurrences: 8, Runs: 4, First: first, Newest: []store.Sighting{
			{Run: last, Events: 3}, {Run: test, Events: 1},
			{Run: f.run("o/n@build:2"), Events: 1}, {Run: first, Events: 3}}}, print, event(1, "x").Fingerprint)
		f.sightings(store.Repos("o/other"), "", 9, store.Sightings{Occurrences: 1, Runs: 1, First: other,
			Newest: []store.Sighting{{Run: other, Events: 1}}}, print)
		f.sightings(store.Repos("o/other"), "o/n", 9, store.Sightings{}, print)
		f.sightings(everything, "o/none", 9, store.Sightings{}, print)
		f.sightings(everything, "", 9, store.Sightings{}, event(1, "never").Fingerprint)
		_, err := f.s.Sightings(f.Context(), everything, "", 9, "nonsense")
		f.refused(err, store.Invalid)
	},
	"a run that did not end well is no pass": func(f fixture) {
		first := f.fail("", "build", "m")
		f.start("", "build")
		f.fail("", "build", "x")
		r := f.start("", "build")
		zero := 0
		_, err := f.s.FinishRun(
			f.Context(), r.Attempt, store.Finish{Ending: store.Ending{ExitCode: &zero, Reason: store.ReasonCancelled}})
		f.ok(err)
		back := f.fail("", "build", "m")
		f.history(
			back, event(1, "m").Fingerprint, store.FingerprintHistory{First: first, Last: first, Occurrences: 2, Runs: 2})
	},
}

func (f fixture) history(r store.Run, fingerprint string, want store.FingerprintHistory) {
	f.Helper()
	got, err := f.s.FingerprintHistory(f.Context(), everything, r, fingerprint)
	f.ok(err)
	f.equal(got, want)
}

func (f fixture) sightings(sc store.Scope, repo string, limit int, want store.Sightings, fingerprints ...string) {
	f.Helper()
	got, err := f.s.Sightings(f.Context(), sc, repo, limit, fingerprints...)
	f.ok(err)
	f.equal(got, want)
}

// run returns the run of a ref.
func (f fixture) run(ref string) store.Run {
	f.Helper()
	r, err := f.s.Run(f.Context(), everything, f.ref(ref))
	f.ok(err)
	return r
}
