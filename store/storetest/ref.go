package storetest

import (
	"fmt"
	"strings"

	"github.com/blq-ci/blq/store"
)

var refTests = map[string]func(f fixture){
	"every form resolves": func(f fixture) {
		f.start("", "build") // serial 1
		f.start("", "test")  // serial 2
		third := f.start("", "build")
		f.start("", "test") // serial 4
		for ref, want := range map[string]string{
			"build": "build:3", "build:latest": "build:3", "latest": "test:4", "~1": "build:3", "~3": "build:1",
			"build:~0": "build:3", "build:~1": "build:1", "1": "build:1", "test:2": "test:2", "3:7": "build:3",
			"build:1:L4-L9": "build:1", third.Attempt: "build:3", strings.ToUpper(third.Attempt): "build:3",
		} {
			f.equal(f.found(everything, ref), want)
		}
		for _, ref := range []string{"5", "build:9", "~4", "build:~2", "lint", "0199ffff-0000-7000-8000-000000000000",
			"o/n@build:1"} {
			_, err := f.s.Run(f.Context(), everything, f.ref(ref))
			f.refused(err, store.NotFound)
		}
	},
	"the wrong source is told which run has the number": func(f fixture) {
		f.start("", "build")
		f.start("", "test")
		_, err := f.s.Run(f.Context(), everything, f.ref("test:1"))
		f.refused(err, store.NotFound, "test:1", "build:1")
	},
	"events resolve with their run": func(f fixture) {
		f.fail("", "build", "one", "two")
		r, e, err := f.s.Event(f.Context(), everything, f.ref("build:1:2"))
		f.ok(err)
		f.equal(r.Ref().String(), "build:1")
		f.equal(e, event(2, "two"))
		_, _, err = f.s.Event(f.Context(), everything, f.ref("1:3"))
		f.refused(err, store.NotFound, "build:1", "3")
		_, _, err = f.s.Event(f.Context(), everything, f.ref("9:1"))
		f.refused(err, store.NotFound)
		_, _, err = f.s.Event(f.Context(), everything, f.ref("build:1"))
		f.refused(err, store.Invalid)
	},
	"a repository narrows every form": func(f fixture) {
		f.start("o/a", "build")
		f.start("o/b", "build")
		f.start("o/b", "build")
		for ref, want := range map[string]string{"o/a@build": "o/a@build:1", "o/a@latest": "o/a@build:1",
			"o/a@1": "o/a@build:1", "latest": "o/b@build:2", "2": "o/b@build:2"} {
			f.equal(f.found(everything, ref), want)
		}
		_, err := f.s.Run(f.Context(), everything, f.ref("build:1"))
		f.refused(err, store.Invalid, "several")
		f.equal(f.found(store.Repos("o/a"), "build:1"), "o/a@build:1")
	},
	"a number is found among those of many repositories": func(f fixture) {
		for i := range 60 {
			f.start(fmt.Sprintf("o/r%02d", i), "build")
		}
		f.start("o/z", "test")
		f.equal(f.found(everything, "test:1"), "o/z@test:1")
		_, err := f.s.Run(f.Context(), everything, f.ref("lint:1"))
		f.refused(err, store.NotFound, "number 1 is o/r00@build:1")
		_, err = f.s.Run(f.Context(), everything, f.ref("build:1"))
		f.refused(err, store.Invalid, "several")
	},
	"a run outside of the scope does not exist": func(f fixture) {
		other := f.fail("o/secret", "build", "m")
		f.fail("o/mine", "test", "m")
		f.fail("o/secret", "hidden", "m")
		mine := store.Repos("o/mine")
		for _, ref := range []string{"o/secret@build:1", "o/secret@1", "2", "hidden", "build:1", "~1", other.Attempt} {
			_, err := f.s.Run(f.Context(), mine, f.ref(ref))
			_, none := f.s.Run(f.Context(), store.Repos("o/none"), f.ref(ref))
			f.refused(err, store.NotFound)
			if ref != "build:1" { // mine sees only test:1, and the error says so
				f.equal(err.Error(), none.Error())
			}
			if strings.Contains(strings.ReplaceAll(err.Error(), f.ref(ref).String(), ""), "secret") {
				f.Errorf("%s: %v", ref, err)
			}
		}
		_, _, err := f.s.Event(f.Context(), mine, other.Ref().WithEvent(1))
		f.refused(err, store.NotFound)
		_, err = f.s.Chunks(f.Context(), mine, other.Attempt, store.StreamCombined, 1, 0)
		_, none := f.s.Chunks(f.Context(), everything, strings.Replace(other.Attempt, "0199", "0198", 1),
			store.StreamCombined, 1, 0)
		f.refused(err, store.NotFound)
		f.refused(none, store.NotFound)
		_, err = f.s.FingerprintHistory(f.Context(), mine, other, event(1, "m").Fingerprint)
		f.refused(err, store.NotFound)
		f.equal(f.found(store.Repos("o/mine", "o/secret"), "hidden"), "o/secret@hidden:2")
		for _, sc := range []store.Scope{{}, store.Repos()} {
			_, err = f.s.Run(f.Context(), sc, f.ref("latest"))
			f.refused(err, store.NotFound)
		}
	},
	"a pruned run has its own error and is never another run": func(f fixture) {
		gone := f.fail("o/n", "build", "m")
		_, err := f.s.Prune(f.Context(), everything, store.Policy{All: true})
		f.ok(err)
		next := f.start("o/n", "build")
		f.equal(next.Serial, 2)
		for _, ref := range []string{"1", "build:1", "o/n@build:1", gone.Attempt} {
			_, err := f.s.Run(f.Context(), everything, f.ref(ref))
			f.refused(err, store.NotFound, "pruned")
		}
		_, err = f.s.Run(f.Context(), store.Repos("o/other"), f.ref("o/n@build:1"))
		f.refused(err, store.NotFound)
		if strings.Contains(err.Error(), "pruned") {
			f.Errorf("tells a stranger: %v", err)
		}
		_, err = f.s.Run(f.Context(), everything, f.ref("build:~1"))
		f.refused(err, store.NotFound)
		_, _, err = f.s.Event(f.Context(), everything, f.ref("build:1:1"))
		f.refused(err, store.NotFound, "pruned")
		f.refused(f.s.AddEvents(f.Context(), gone.Attempt, 5, nil), store.NotFound, "pruned")
		_, err = f.s.StartRun(f.Context(), store.Run{Attempt: gone.Attempt, Repo: "o/n", Source: "build"})
		f.refused(err, store.Conflict, "pruned")
	},
}
