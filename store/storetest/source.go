package storetest

import (
	"fmt"
	"time"

	"github.com/blq-ci/blq/store"
)

// version returns version n of a source.
func version(repo, alias string, n int) store.SourceVersion {
	at := start.Add(time.Duration(n) * time.Hour)
	return store.SourceVersion{Repo: repo, Alias: alias, Digest: sha(n),
		Key:   fmt.Sprintf("sources/%s-%s-%d", repo, alias, n),
		Bytes: 100, Lines: 10, Headings: 2, Title: "Ü\x00 docs", URL: "https://a.example/llms.txt",
		FinalURL: "https://b.example/llms.txt", ETag: `"e"`, LastModified: "then", FetchedAt: at, CheckedAt: at,
		Took: 45 * time.Millisecond}
}

// addSource adds a version of a documentation source. An error fails the test.
func (f fixture) addSource(v store.SourceVersion, fresh bool) store.SourceVersion {
	f.Helper()
	got, err := f.s.AddSourceVersion(f.Context(), v, fresh)
	f.ok(err)
	return got
}

// versions returns the digests of the versions of a source of o/a, newest first.
func (f fixture) versions(alias string) []string {
	f.Helper()
	list, err := f.s.SourceVersions(f.Context(), everything, "o/a", alias)
	f.ok(err)
	var digests []string
	for _, v := range list {
		digests = append(digests, v.Digest)
	}
	return digests
}

var sourceTests = map[string]func(f fixture){
	"a version is returned as it was added": func(f fixture) {
		v := version("o/a", "bun", 1)
		f.equal(f.addSource(v, true), v)
		list, err := f.s.Sources(f.Context(), everything, "o/a")
		f.ok(err)
		f.equal(list, []store.SourceVersion{v})
		list, err = f.s.SourceVersions(f.Context(), store.Repos("o/a"), "o/a", "bun")
		f.ok(err)
		f.equal(list, []store.SourceVersion{v})
	},
	"sources that take more than a quarter of a quota give way, earlier versions first": func(f fixture) {
		for n, alias := range []string{"vue", "bun", "vue", "bun", "vue"} {
			f.addSource(version("o/a", alias, n+1), false)
		}
		f.addSource(version("o/b", "vue", 9), true)
		run := f.fail("o/a", "build", "one")
		u, owner, err := f.s.Usage(f.Context(), "o/a")
		f.ok(err)
		const each = store.ObjectRow + 100
		shrink := func(of store.Usage, bytes int64, want int, vue, bun []string) {
			f.Helper()
			done, err := f.s.Shrink(f.Context(), of, bytes)
			f.ok(err)
			f.equal(done.Sources, want)
			f.equal(done.Runs, 0)
			f.equal(f.versions("vue"), vue)
			if bun != nil {
				f.equal(f.versions("bun"), bun)
			}
		}
		shrink(u, u.Bytes, 0, []string{sha(5), sha(3), sha(1)}, []string{sha(4), sha(2)})
		shrink(u, u.Bytes-1, 1, []string{sha(5), sha(3)}, []string{sha(4), sha(2)})
		shrink(u, u.Bytes-each-each-1, 2, []string{sha(5)}, []string{sha(4)})
		shrink(owner, owner.Bytes-4*each, 1, []string{sha(5)}, nil)
		if _, err := f.s.SourceVersions(f.Context(), everything, "o/a", "bun"); store.CodeOf(err) != store.NotFound {
			f.Errorf("the source that was not added again for longest: %v", err)
		}
		_, err = f.s.Run(f.Context(), everything, store.Ref{Attempt: run.Attempt})
		f.ok(err)
	},
	"the newest version of each source is listed, and all are kept": func(f fixture) {
		for _, v := range []store.SourceVersion{version("o/a", "vue", 1), version("o/a", "bun", 2),
			version("o/a", "vue", 3)} {
			f.addSource(v, false)
		}
		list, err := f.s.Sources(f.Context(), everything, "o/a")
		f.ok(err)
		f.equal(list, []store.SourceVersion{version("o/a", "bun", 2), version("o/a", "vue", 3)})
		f.equal(f.versions("vue"), []string{sha(3), sha(1)})
	},
	"a source that is there is not added again unless that is asked for": func(f fixture) {
		f.addSource(version("o/a", "bun", 1), true)
		_, err := f.s.AddSourceVersion(f.Context(), version("o/a", "bun", 2), true)
		f.refused(err, store.Conflict)
		f.addSource(version("o/b", "bun", 2), true)
		f.equal(f.versions("bun"), []string{sha(1)})
	},
	"an unchanged text keeps its object and the time of its fetch": func(f fixture) {
		first := f.addSource(version("o/a", "bun", 1), true)
		again := version("o/a", "bun", 1)
		again.Key, again.ETag, again.FetchedAt = "sources/other", "new", start.Add(5*time.Hour)
		again.CheckedAt = again.FetchedAt
		got := f.addSource(again, false)
		want := first
		want.ETag, want.CheckedAt = "new", again.CheckedAt
		f.equal(got, want)
		f.garbage(0)
	},
	"a text that comes back is the newest version again": func(f fixture) {
		for _, n := range []int{1, 2} {
			f.addSource(version("o/a", "bun", n), false)
		}
		back := version("o/a", "bun", 1)
		back.Key = "sources/other"
		if got := f.addSource(back, false); got.Key != version("o/a", "bun", 1).Key {
			f.Errorf("its key is %s", got.Key)
		}
		f.equal(f.versions("bun"), []string{sha(1), sha(2)})
	},
	"the oldest versions go, and their objects are garbage": func(f fixture) {
		for n := range store.MaxSourceVersions + 2 {
			f.addSource(version("o/a", "bun", n), false)
		}
		digests := f.versions("bun")
		f.equal(len(digests), store.MaxSourceVersions)
		f.equal(digests[len(digests)-1], sha(2))
		f.garbage(0, version("o/a", "bun", 0).Key, version("o/a", "bun", 1).Key)
	},
	"a repository has a number of sources": func(f fixture) {
		for n := range store.MaxSources {
			f.addSource(version("o/a", fmt.Sprint("s", n), n), true)
		}
		_, err := f.s.AddSourceVersion(f.Context(), version("o/a", "more", 1), true)
		f.refused(err, store.TooLarge)
		f.addSource(version("o/a", "s1", 1000), false)
		f.addSource(version("o/b", "more", 1), true)
	},
	"a source is removed with its versions": func(f fixture) {
		for _, n := range []int{1, 2} {
			f.addSource(version("o/a", "bun", n), false)
		}
		f.addSource(version("o/a", "vue", 3), true)
		n, err := f.s.RemoveSource(f.Context(), "o/a", "bun")
		f.ok(err)
		f.equal(n, 2)
		f.garbage(0, version("o/a", "bun", 1).Key, version("o/a", "bun", 2).Key)
		_, err = f.s.RemoveSource(f.Context(), "o/a", "bun")
		f.refused(err, store.NotFound)
		_, err = f.s.SourceVersions(f.Context(), everything, "o/a", "bun")
		f.refused(err, store.NotFound)
		f.equal(f.versions("vue"), []string{sha(3)})
	},
	"others see nothing of it": func(f fixture) {
		f.addSource(version("o/a", "bun", 1), true)
		for _, sc := range []store.Scope{{}, store.Repos("o/b")} {
			list, err := f.s.Sources(f.Context(), sc, "o/a")
			f.ok(err)
			f.equal(len(list), 0)
			_, foreign := f.s.SourceVersions(f.Context(), sc, "o/a", "bun")
			_, missing := f.s.SourceVersions(f.Context(), sc, "o/b", "bun")
			if foreign == nil || missing == nil || foreign.Error() != missing.Error() {
				f.Errorf("%v is told apart from %v", foreign, missing)
			}
		}
	},
	"what cannot be stored is refused": func(f fixture) {
		for name, change := range map[string]func(*store.SourceVersion){
			"alias":  func(v *store.SourceVersion) { v.Alias = "" },
			"digest": func(v *store.SourceVersion) { v.Digest = "abc" },
			"key":    func(v *store.SourceVersion) { v.Key = "" },
			"bytes":  func(v *store.SourceVersion) { v.Bytes = -1 },
			"time":   func(v *store.SourceVersion) { v.FetchedAt = time.Time{} },
		} {
			v := version("o/a", "bun", 1)
			change(&v)
			if _, err := f.s.AddSourceVersion(f.Context(), v, true); store.CodeOf(err) != store.Invalid {
				f.Errorf("without %s: %v", name, err)
			}
		}
	},
	"versions count as stored": func(f fixture) {
		for _, n := range []int{1, 2, 1} {
			f.addSource(version("o/a", "bun", n), false)
		}
		want := store.Usage{Bytes: 2 * (100 + store.ObjectRow)}
		f.used("o/a", want, want)
		n, err := f.s.Recount(f.Context(), 0, 1)
		f.ok(err)
		f.equal(n, 0)
		_, err = f.s.RemoveSource(f.Context(), "o/a", "bun")
		f.ok(err)
		f.used("o/a", store.Usage{}, store.Usage{})
	},
}
