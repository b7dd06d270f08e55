package storetest

import (
	"github.com/blq-ci/blq/store"
)

// withdraw ends an enrolment at the default host.
func (f directory) withdraw(id int64) {
	f.Helper()
	f.ok(f.d.WithdrawRepo(f.Context(), store.DefaultHost, id))
}

// seen checks which runs are stored under a name.
func (f directory) seen(repo string, want ...string) {
	f.Helper()
	f.equal(f.runs(store.Repos(repo), store.RunFilter{}), want)
}

// handedOver checks whether do makes a name pass to another repository.
func (f directory) handedOver(want bool, do func()) {
	f.Helper()
	before, err := f.d.Handovers(f.Context())
	f.ok(err)
	do()
	after, err := f.d.Handovers(f.Context())
	f.ok(err)
	f.equal(after > before, want)
}

// nameTests are tests about names that pass from one repository to another.
var nameTests = map[string]func(f directory){
	"whoever takes the name of a withdrawn repository sees nothing of it": func(f directory) {
		f.enrol("", 1, "o/a")
		f.finish(f.start("o/a", "build"), 1)
		f.withdraw(1)
		f.handedOver(true, func() { f.enrol("", 2, "o/a") })
		f.seen("o/a")
		f.start("o/a", "build")
		f.seen("o/a", "o/a@build:2")
		f.known("o", "o/a")
		wrong, err := f.s.(store.Meter).Recount(f.Context(), 0, 1)
		f.ok(err)
		f.equal(wrong, 0)
	},
	"upper and lower case are the same name": func(f directory) {
		f.enrol("", 1, "o/a")
		f.start("o/a", "build")
		f.withdraw(1)
		f.handedOver(true, func() { f.enrol("", 2, "O/A") })
		f.seen("O/A")
		f.seen("o/a")
	},
	"a withdrawn repository has its runs again": func(f directory) {
		f.enrol("", 1, "o/a")
		f.start("o/a", "build")
		f.withdraw(1)
		f.handedOver(false, func() { f.enrol("", 1, "o/a") })
		f.seen("o/a", "o/a@build:1")

		f.withdraw(1) // under another name, too
		f.enrol("", 1, "o/b")
		f.seen("o/b", "o/b@build:1")
		f.seen("o/a")

		f.withdraw(1) // another repository takes its name
		f.enrol("", 2, "o/b")
		f.start("o/b", "test")
		f.enrol("", 1, "o/c")
		f.seen("o/c", "o/c@build:1")
		f.seen("o/b", "o/b@test:2")
	},
	"repositories that have the same name one after the other keep their own": func(f directory) {
		for range 2 {
			for id := range int64(3) {
				f.enrol("", id+1, "o/a")
				f.start("o/a", "build")
				f.withdraw(id + 1)
			}
		}
		for id := range int64(3) {
			f.enrol("", id+1, "o/a")
			f.equal(len(f.runs(store.Repos("o/a"), store.RunFilter{})), 2)
			f.withdraw(id + 1)
		}
	},
	"a repository of another host has no right to a name's runs": func(f directory) {
		f.enrol("ghes.example.com", 1, "o/a")
		f.start("o/a", "build")
		f.ok(f.d.WithdrawRepo(f.Context(), "ghes.example.com", 1))
		f.enrol("", 1, "o/a")
		f.seen("o/a")
		f.withdraw(1)
		f.enrol("ghes.example.com", 1, "o/a")
		f.seen("o/a", "o/a@build:1")
	},
	"a renamed repository takes the name of a withdrawn one": func(f directory) {
		f.enrol("", 1, "o/a")
		f.start("o/a", "build")
		f.withdraw(1)
		f.enrol("", 2, "o/b")
		f.start("o/b", "test")
		f.handedOver(true, func() { f.enrol("", 2, "o/a") })
		f.seen("o/a", "o/a@test:1")
		f.seen("o/b")
	},
	"what was stored before a name was enrolled goes to its first repository": func(f directory) {
		f.start("o/a", "build")
		f.handedOver(false, func() { f.enrol("", 1, "o/a") })
		f.seen("o/a", "o/a@build:1")
		f.withdraw(1)
		f.enrol("", 2, "o/a")
		f.seen("o/a")
	},
	"what was stored under a name does not go to a repository that brings its own": func(f directory) {
		for id, name := range []string{"o/a", "o/c"} {
			f.enrol("", int64(id+1), name)
			f.start(name, "build")
			f.start("o/b", "test") // sent with a token for the name o/b
			f.enrol("", int64(id+1), "o/b")
			f.seen("o/b", "o/b@build:1")
			f.seen(name)
			f.withdraw(int64(id + 1))
		}
		all := f.runs(everything, store.RunFilter{})
		f.equal(len(all), 4)
	},
	"a name that is refused moves nothing": func(f directory) {
		f.enrol("", 1, "o/a")
		f.start("o/a", "build")
		f.enrol("", 2, "o/b")
		f.start("o/b", "test")
		f.handedOver(false, func() {
			_, err := f.d.EnrolRepo(f.Context(), store.EnrolledRepo{ID: 1, Name: "o/b"})
			f.refused(err, store.Conflict)
		})
		f.seen("o/a", "o/a@build:1")
		f.seen("o/b", "o/b@test:1")
	},
	"a repository that was withdrawn under one name and refused under another keeps its runs": func(f directory) {
		f.enrol("", 1, "o/a")
		f.start("o/a", "build")
		f.withdraw(1)
		f.enrol("", 2, "o/b")
		_, err := f.d.EnrolRepo(f.Context(), store.EnrolledRepo{ID: 1, Name: "o/b"})
		f.refused(err, store.Conflict)
		f.enrol("", 1, "o/a")
		f.seen("o/a", "o/a@build:1")
	},
	"tokens follow what they were made for": func(f directory) {
		f.enrol("", 1, "o/a")
		f.enrol("", 2, "o/b")
		made := token("one") // a token with rights to o/a and o/b
		f.ok(f.d.CreateToken(f.Context(), made))
		f.enrol("", 1, "o/c")
		f.may(made, "o/c", "o/b")
		f.withdraw(2)
		f.enrol("", 3, "o/b")
		f.enrol("", 4, "o/a")
		f.may(made, "o/c", "~withdrawn/github.com-2")
		f.enrol("", 2, "o/d")
		f.may(made, "o/c", "o/d")
	},
	"a token for a name that no repository had stays": func(f directory) {
		made := token("one", func(t *store.Token) { t.Repos = []string{"o/b"} })
		f.ok(f.d.CreateToken(f.Context(), made))
		f.start("o/b", "build")
		f.enrol("", 1, "o/a")
		f.enrol("", 1, "o/b")
		f.may(made, "o/b")
	},
}

// may checks the repositories that a token allows.
func (f directory) may(t store.Token, want ...string) {
	f.Helper()
	got, _, err := f.d.TokenByHash(f.Context(), t.Hash)
	f.ok(err)
	f.equal(got.Repos, want)
}
