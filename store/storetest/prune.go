package storetest

import (
	"time"

	"github.com/blq-ci/blq/store"
)

var pruneTests = map[string]func(f fixture){
	"nothing without a policy": func(f fixture) {
		f.fail("", "build", "m")
		f.prune(everything, store.Policy{}, store.Pruned{})
	},
	"by age": func(f fixture) {
		f.fail("", "build", "a", "b")
		f.fail("", "build", "c")
		f.start("", "build", func(r *store.Run) { r.StartedAt = start.Add(-time.Hour) }) // a running run
		f.prune(everything, store.Policy{Before: start.Add(90 * time.Second)}, store.Pruned{Runs: 1, Events: 2})
		f.equal(f.runs(everything, store.RunFilter{}), []string{"build:3", "build:2"})
		f.equal(f.messages(store.EventFilter{}), []string{"c"})
	},
	"by age, without the earlier success of a failure": func(f fixture) {
		for _, r := range []struct {
			command string
			age     time.Duration
			exit    int
		}{
			{"make lint", 30, 0}, {"make lint", 1, 0}, {"make lint", 30, 1}, // the clock was set back
			{"make test", 30, 0},
			{"make docs", -1e5, 0}, {"make docs", 30, 1}, // the clock was ahead
			{"make all", 30, 1}, {"make all", -1e5, 0},
		} {
			f.finish(f.start("o/a", "make", func(o *store.Run) {
				o.Command, o.StartedAt = r.command, start.Add(-24*r.age*time.Hour)
			}), r.exit)
		}
		f.prune(everything, store.Policy{Before: start.Add(-48 * time.Hour)}, store.Pruned{Runs: 5})
		f.equal(f.runs(everything, store.RunFilter{}), []string{"o/a@make:8", "o/a@make:3", "o/a@make:2"})
	},
	"per source": func(f fixture) {
		for _, source := range []string{"build", "test", "build", "build", "test"} {
			f.fail("o/a", source)
		}
		f.fail("o/b", "build")
		f.start("o/a", "build") // a running run, which does not count
		f.prune(everything, store.Policy{KeepPerSource: 1}, store.Pruned{Runs: 3})
		f.equal(f.runs(everything, store.RunFilter{}), []string{"o/a@build:6", "o/b@build:1", "o/a@test:5", "o/a@build:4"})
	},
	"the newest of each step is kept": func(f fixture) {
		for _, command := range []string{"make lint", "make test", "make lint", "make lint"} {
			f.finish(f.start("o/a", "make", func(r *store.Run) { r.Command = command }), 1)
		}
		f.prune(everything, store.Policy{KeepPerSource: 1}, store.Pruned{Runs: 2})
		f.equal(f.runs(everything, store.RunFilter{}), []string{"o/a@make:4", "o/a@make:2"})
	},
	"those of one source": func(f fixture) {
		f.fail("", "build", "m")
		f.fail("", "test", "m")
		f.start("", "build") // a running run
		f.prune(everything, store.Policy{Source: "build"}, store.Pruned{})
		f.prune(everything, store.Policy{All: true, Source: "build"}, store.Pruned{Runs: 1, Events: 1})
		f.equal(f.runs(everything, store.RunFilter{}), []string{"build:3", "test:2"})
	},
	"by size, oldest first": func(f fixture) {
		for range 4 {
			f.logged("", "build")
		}
		f.prune(everything, store.Policy{MaxBytes: 25}, store.Pruned{Runs: 2, Blobs: 2, Bytes: 20})
		f.equal(f.runs(everything, store.RunFilter{}), []string{"build:4", "build:3"})
	},
	"by size, without the earlier success of a failure": func(f fixture) {
		f.finish(f.start("", "build"), 0)
		f.logged("", "build")
		f.fail("", "test")
		f.logged("", "lint")
		f.prune(everything, store.Policy{MaxBytes: 15}, store.Pruned{Runs: 2, Blobs: 1, Bytes: 10})
		f.equal(f.runs(everything, store.RunFilter{}), []string{"lint:4", "test:3"})
	},
	"all but what runs": func(f fixture) {
		f.fail("", "build", "m")
		orphan := f.start("", "build")
		_, err := f.s.OrphanRun(f.Context(), orphan.Attempt, start.Add(24*time.Hour))
		f.ok(err)
		f.start("", "build")
		f.prune(everything, store.Policy{All: true}, store.Pruned{Runs: 2, Events: 1})
		f.equal(f.runs(everything, store.RunFilter{}), []string{"build:3"})
		f.equal(f.start("", "build").Serial, 4)
	},
	"serials stay taken when the newest goes": func(f fixture) {
		f.fail("", "build")
		f.fail("", "build")
		f.prune(everything, store.Policy{All: true}, store.Pruned{Runs: 2})
		f.equal(f.start("", "build").Serial, 3)
	},
	"only within the scope": func(f fixture) {
		f.fail("o/a", "build")
		f.fail("o/b", "build")
		f.prune(store.Scope{}, store.Policy{All: true}, store.Pruned{})
		f.prune(store.Repos("o/a"), store.Policy{All: true}, store.Pruned{Runs: 1})
		f.equal(f.runs(everything, store.RunFilter{}), []string{"o/b@build:1"})
	},
	"logs become garbage until collected": func(f fixture) {
		f.logged("", "build")
		c := chunk(1, store.StreamCombined, 2, 1)
		f.logged("", "build", c)
		f.garbage(0)
		f.prune(everything, store.Policy{KeepPerSource: 1}, store.Pruned{Runs: 1, Blobs: 1, Bytes: 10})
		f.garbage(0, "k/build:1")
		f.ok(f.s.Collected(f.Context(), []string{"k/build:1", "none"}))
		f.garbage(0)
		f.prune(everything, store.Policy{All: true}, store.Pruned{Runs: 1, Blobs: 2, Bytes: 20})
		f.garbage(1, "k/build:2")
		f.garbage(0, "k/build:2", c.Key)
	},
	"log objects are listed page by page": func(f fixture) {
		f.logged("o/a", "build")
		f.logged("o/b", "build", chunk(1, store.StreamCombined, 2, 1))
		f.logged("o/b", "test")
		fact := f.object("o/a", 1).Key
		f.objects("facts/", "", 9, fact)
		source, err := f.s.AddSourceVersion(f.Context(), store.SourceVersion{Repo: "o/a", Alias: "hono", Digest: sha(1),
			Key: "sources/1", FetchedAt: start}, true)
		f.ok(err)
		f.objects("sources/", "", 9, source.Key)
		f.objects(fact, "", 1, fact)
		f.objects("k/", "", 9, "k/combined/1", "k/o/a@build:1", "k/o/b@build:1", "k/o/b@test:2")
		f.objects("k/o", "", 2, "k/o/a@build:1", "k/o/b@build:1")
		f.objects("k/o", "k/o/b@build:1", 2, "k/o/b@test:2")
		f.objects("l", "", 2)
	},
}

// objects checks which keys of log objects the store lists.
func (f fixture) objects(prefix, after string, limit int, want ...string) {
	f.Helper()
	got, err := f.s.LogObjects(f.Context(), prefix, after, limit)
	f.ok(err)
	f.equal(got, want)
}

// logged records a run with a chunk of 10 bytes and further chunks.
func (f fixture) logged(repo, source string, more ...store.Chunk) {
	f.Helper()
	r := f.start(repo, source)
	c := chunk(0, store.StreamCombined, 1, 1)
	c.Key = "k/" + r.Ref().String()
	for _, c := range append([]store.Chunk{c}, more...) {
		f.ok(f.s.AddChunk(f.Context(), r.Attempt, c))
	}
	f.finish(r, 1)
}

func (f fixture) prune(sc store.Scope, p store.Policy, want store.Pruned) {
	f.Helper()
	got, err := f.s.Prune(f.Context(), sc, p)
	f.ok(err)
	f.equal(got, want)
}

func (f fixture) garbage(limit int, want ...string) {
	f.Helper()
	got, err := f.s.Garbage(f.Context(), limit)
	f.ok(err)
	f.equal(got, want)
}
