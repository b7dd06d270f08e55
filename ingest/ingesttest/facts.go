package ingesttest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/blq-ci/blq/facts"
	"github.com/blq-ci/blq/ingest"
	"github.com/blq-ci/blq/ingest/api"
	"github.com/blq-ci/blq/internal/auth"
	"github.com/blq-ci/blq/store"
)

// commitHash returns a different commit hash for each n. The commit does not exist in git.
func commitHash(n int) string { return fmt.Sprintf("%040x", n) }

// manifest returns the manifest of documents with these texts, and its digest.
func (f *fixture) manifest(texts ...string) (text []byte, digest string) {
	f.Helper()
	var entries []facts.Entry
	for i, t := range texts {
		entries = append(entries, facts.Entry{File: facts.File{Path: fmt.Sprintf("docs/%d.md", i),
			Digest: facts.Digest([]byte(t)), Size: int64(len(t))}})
	}
	_, text, err := facts.NewManifest(store.FactDocs, entries)
	f.ok(err)
	return text, facts.Digest(text)
}

// factsOf returns the facts of a commit of o/a.
func factsOf(n int, manifest string, change ...func(*api.Facts)) api.Facts {
	in := api.Facts{Repo: "o/a", Commit: commitHash(n), Kind: store.FactDocs, Manifest: manifest, Branch: "main"}
	for _, c := range change {
		c(&in)
	}
	return in
}

func (f *fixture) putObject(as, repo string, content []byte) answer {
	f.Helper()
	return f.do(objectRequest(as, repo, facts.Digest(content), content))
}

func objectRequest(as, repo, digest string, content []byte) request {
	return request{as: as, method: "PUT", path: "/v1/facts/objects/" + digest + "?repo=" + repo, body: content,
		header: http.Header{"Content-Type": {"application/octet-stream"}}}
}

// objectsBody returns the body of a request that sends several contents.
func objectsBody(contents ...[]byte) []byte {
	var body []byte
	for _, content := range contents {
		body = append(append(body, api.ObjectLine(facts.Digest(content), len(content))...), content...)
	}
	return body
}

// objectsRequest returns a request that sends objects of o/a.
func objectsRequest(as string, body []byte) request {
	return request{as: as, method: "PUT", path: "/v1/facts/objects?repo=o/a", body: body,
		header: http.Header{"Content-Type": {"application/octet-stream"}}}
}

// missing returns the digests that an answer reports as missing.
func (f *fixture) missing(a answer) []string {
	f.Helper()
	var state api.FactsState
	f.ok(json.Unmarshal(a.body, &state))
	return state.Missing
}

// tell sends facts with all their objects.
func (f *fixture) tell(as string, in api.Facts, texts ...string) answer {
	f.Helper()
	text, _ := f.manifest(texts...)
	f.is(f.putObject(as, in.Repo, text), 204)
	for _, t := range texts {
		f.is(f.putObject(as, in.Repo, []byte(t)), 204)
	}
	return f.post(as, "/v1/facts", in)
}

// read returns the text of the first document at a commit. The parameter at names the commit, for example by a branch.
// If the commit is not found, read returns the code of the error.
func (f *fixture) read(sc store.Scope, at string) string {
	f.Helper()
	found, err := facts.Stored{Store: f.store, Blobs: f.blobs, Scope: sc}.At(f.Context(),
		facts.Query{Repo: "o/a", At: at, Kind: store.FactDocs})
	if err != nil {
		return string(store.CodeOf(err))
	}
	text, err := found.Read(f.Context(), found.Files()[0])
	f.ok(err)
	return string(text)
}

var factsTests = map[string]func(f *fixture){
	"the service says what it lacks, and takes it": func(f *fixture) {
		text, digest := f.manifest("one\n", "two\n", "one\n")
		in := factsOf(1, digest, func(in *api.Facts) { in.Tag, in.PR, in.Ancestors = "v1", 12, []string{commitHash(0)} })
		f.equal(f.missing(f.is(f.post("a", "/v1/facts", in), 202, `"stored":false`)), []string{digest})
		f.is(f.putObject("a", "o/a", text), 204)
		want := []string{facts.Digest([]byte("one\n")), facts.Digest([]byte("two\n"))}
		slices.Sort(want)
		f.equal(f.missing(f.is(f.post("a", "/v1/facts", in), 202)), want)
		f.is(f.putObject("a", "o/a", []byte("one\n")), 204)
		f.equal(f.missing(f.is(f.post("a", "/v1/facts", in), 202)), []string{facts.Digest([]byte("two\n"))})
		f.equal(f.read(store.Everything(), commitHash(1)), "not_found")
		packed := objectRequest("a", "o/a", facts.Digest([]byte("two\n")), pack("two\n"))
		packed.header.Set("Content-Encoding", "zstd")
		f.is(f.do(packed), 204)
		for range 2 {
			f.is(f.post("a", "/v1/facts", in), 200, `"stored":true`, `"files":3`, `"bytes":12`)
		}
		f.is(f.do(packed), 204)
		f.equal(f.objects(), 3)
		for _, at := range []string{"", "main", "v1", "PR#12", commitHash(1)} {
			f.equal(f.read(store.Repos("o/a"), at), "one\n")
		}
		f.equal(f.seen.received[ingest.KindObject], 3)
	},
	"objects are sent together": func(f *fixture) {
		text, digest := f.manifest("one\n", "two\n", "")
		in := factsOf(1, digest)
		body := objectsBody(text, []byte("one\n"), []byte(""), []byte("two\n"), []byte("one\n"))
		for range 2 {
			f.is(f.do(objectsRequest("a", body)), 204)
		}
		packed := objectsRequest("a", pack(string(body)))
		packed.header.Set("Content-Encoding", "zstd")
		f.is(f.do(packed), 204)
		f.is(f.do(objectsRequest("a", nil)), 204)
		f.equal(f.objects(), 4)
		f.is(f.post("a", "/v1/facts", in), 200, `"files":3`, `"bytes":8`)
		f.equal(f.read(store.Everything(), "main"), "one\n")
	},
	"of objects that are sent together all are stored, or none": func(f *fixture) {
		one := objectsBody([]byte("one\n"))
		many := bytes.Repeat(one, api.MaxObjects+1)
		for word, c := range map[string]struct {
			status int
			body   []byte
		}{
			"object 2 does not have the digest": {400, append(bytes.Clone(one),
				api.ObjectLine(facts.Digest([]byte("other")), 4)+"two\n"...)},
			"object 2 begins with":    {400, append(bytes.Clone(one), "two\n"...)},
			"object 1 begins with":    {400, []byte(facts.Digest(nil) + " -1\n")},
			"the body ends after 2":   {400, one[:len(one)-2]},
			"more than 5000 objects":  {413, many},
			"the body is larger than": {413, make([]byte, api.MaxObjectsBody+1)},
			"begin each object with":  {400, make([]byte, 200)},
		} {
			f.is(f.do(objectsRequest("a", c.body)), c.status, word)
		}
		bomb := objectsRequest("a", pack(string(objectsBody(make([]byte, api.MaxObjectsText)))))
		bomb.header.Set("Content-Encoding", "zstd")
		f.is(f.do(bomb), 413, "decompresses to more than 16777216 bytes")
		f.is(f.do(objectsRequest("b", one)), 404, "no repository o/a that you may send runs for")
		f.is(f.do(objectsRequest("reader", one)), 403)
		f.equal(f.objects(), 0)
	},
	"objects count for the quota as they are stored": func(f *fixture) {
		f.serve(func(c *ingest.Config) { c.Quotas = store.Quotas{Repo: store.Quota{Bytes: 10_000}} })
		packed := objectsRequest("a", pack(string(objectsBody(make([]byte, 9000)))))
		packed.header.Set("Content-Encoding", "zstd")
		f.is(f.do(packed), 507, `"code":"insufficient_storage"`)
		f.equal(f.objects(), 0)
		var wg sync.WaitGroup
		var stored atomic.Int32
		for n := range 8 {
			wg.Go(func() {
				content := bytes.Repeat([]byte{byte(n)}, 4000)
				if a := f.do(objectsRequest("a", objectsBody(content))); a.status == 204 {
					stored.Add(1)
				}
			})
		}
		wg.Wait()
		f.equal(f.objects(), int(stored.Load()))
		if stored.Load() > 1 {
			f.Errorf("%d objects of 6,048 bytes are stored, and the quota has room for one", stored.Load())
		}
	},
	"room for what others store is kept until they have stored it": func(f *fixture) {
		f.config.Quotas = store.Quotas{Repo: store.Quota{Bytes: 10_000}}
		s := ingest.New(f.config)
		done, err := s.Room(f.Context(), "o/a", 6000)
		f.ok(err)
		if _, err := s.Room(f.Context(), "o/a", 6000); store.CodeOf(err) != store.RateLimited {
			f.Errorf("two have the same room: %v", err)
		}
		done()
		_, err = s.Room(f.Context(), "o/a", 6000)
		f.ok(err)
	},
	"facts that did not change need no object": func(f *fixture) {
		_, digest := f.manifest("one\n")
		f.is(f.tell("a", factsOf(1, digest), "one\n"), 200)
		f.is(f.post("a", "/v1/facts", factsOf(2, digest)), 200, `"files":1`, `"bytes":4`)
		f.equal(f.objects(), 2)
	},
	"the same at once is stored once": func(f *fixture) {
		text, digest := f.manifest("one\n")
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				for _, content := range [][]byte{text, []byte("one\n")} {
					if a := f.do(objectRequest("a", "o/a", facts.Digest(content), content)); a.status != 204 {
						f.Errorf("%d %s", a.status, a.body)
					}
				}
				if a := f.post("a", "/v1/facts", factsOf(1, digest)); a.status != 200 {
					f.Errorf("%d %s", a.status, a.body)
				}
			})
		}
		wg.Wait()
		f.equal(f.objects(), 2)
		f.equal(f.read(store.Everything(), "main"), "one\n")
	},
	"what was stored first stays": func(f *fixture) {
		_, one := f.manifest("one\n")
		_, two := f.manifest("two\n")
		f.is(f.tell("a", factsOf(1, one), "one\n"), 200)
		f.is(f.tell("a", factsOf(1, two), "two\n"), 409, `"code":"conflict"`, "next_steps")
		f.equal(f.read(store.Everything(), "main"), "one\n")
	},
	"bad facts and objects are refused": func(f *fixture) {
		text, digest := f.manifest("one\n")
		for word, change := range map[string]func(*api.Facts){
			"full hash": func(in *api.Facts) { in.Commit = "1234567" },
			"kind":      func(in *api.Facts) { in.Kind = "poems" },
			"SHA-256":   func(in *api.Facts) { in.Manifest = "abc" },
			"ancestors": func(in *api.Facts) { in.Ancestors = make([]string, api.MaxAncestors+1) },
			"ancestor:": func(in *api.Facts) { in.Ancestors = []string{commitHash(1)} },
			"branch":    func(in *api.Facts) { in.Branch = strings.Repeat("b", 1001) },
			"NUL":       func(in *api.Facts) { in.Tag = "\x00" },
			"pr_number": func(in *api.Facts) { in.PR = -1 },
		} {
			f.is(f.post("a", "/v1/facts", factsOf(1, digest, change)), 400, `"code":"invalid"`, word)
		}
		f.is(f.putObject("a", "o/a", text), 204)
		f.is(f.post("a", "/v1/facts", factsOf(1, digest, func(in *api.Facts) { in.Kind = store.FactCode })),
			400, "not of code")
		lie := strings.Replace(string(text), `"size":4`, `"size":5`, 1)
		f.is(f.putObject("a", "o/a", []byte(lie)), 204)
		f.is(f.putObject("a", "o/a", []byte("one\n")), 204)
		f.is(f.post("a", "/v1/facts", factsOf(1, facts.Digest([]byte(lie)))), 400, "has 4 bytes, not 5")
		f.is(f.post("a", "/v1/facts", factsOf(1, facts.Digest([]byte("one\n")))), 400, "manifest is not valid")
		f.equal(f.read(store.Everything(), "main"), "not_found")
		before := f.objects()
		for word, r := range map[string]request{
			"not a SHA-256": objectRequest("a", "o/a", "abc", []byte("one\n")),
			"digest":        objectRequest("a", "o/a", facts.Digest([]byte("other")), []byte("one\n")),
			"not zstd": func() request {
				r := objectRequest("a", "o/a", facts.Digest([]byte("three\n")), []byte("three\n"))
				r.header.Set("Content-Encoding", "zstd")
				return r
			}(),
			"repository": objectRequest("a", "o/a/../b%20c", facts.Digest([]byte("x")), []byte("x")),
			"query":      objectRequest("a", "o/a&%zz", facts.Digest([]byte("x")), []byte("x")),
		} {
			f.is(f.do(r), 400, `"code":"invalid"`, word)
		}
		f.equal(f.objects(), before)
	},
	"objects and manifests have limits": func(f *fixture) {
		bomb := make([]byte, api.MaxObject+1)
		f.is(f.putObject("a", "o/a", bomb), 413, `"code":"too_large"`)
		packed := objectRequest("a", "o/a", facts.Digest(bomb), pack(string(bomb)))
		packed.header.Set("Content-Encoding", "zstd")
		f.is(f.do(packed), 413, "decompresses to more than 33554432 bytes")
		large := make([]byte, facts.MaxManifest+1)
		f.is(f.putObject("a", "o/a", large), 204)
		f.is(f.post("a", "/v1/facts", factsOf(1, facts.Digest(large))), 413, "manifest has more than 8388608 bytes")
		f.equal(f.objects(), 1)
	},
	"others' digests are unknown": func(f *fixture) {
		text, digest := f.manifest("secret\n")
		f.is(f.tell("a", factsOf(1, digest), "secret\n"), 200)
		in := factsOf(1, digest, func(in *api.Facts) { in.Repo = "o/b" })
		f.equal(f.missing(f.is(f.post("b", "/v1/facts", in), 202)), []string{digest})
		f.is(f.putObject("b", "o/b", text), 204)
		f.equal(f.missing(f.is(f.post("b", "/v1/facts", in), 202)), []string{facts.Digest([]byte("secret\n"))})
		f.equal(f.objects(), 3)
		f.equal(f.read(store.Repos("o/b"), commitHash(1)), "not_found")
	},
	"others' repositories answer as those that do not exist": func(f *fixture) {
		_, digest := f.manifest("one\n")
		for _, as := range []string{"b", "ingester"} {
			for _, repo := range []string{"o/none", map[string]string{"b": "o/a", "ingester": "o/b"}[as]} {
				in := factsOf(1, digest, func(in *api.Facts) { in.Repo = repo })
				f.is(f.post(as, "/v1/facts", in), 404, "no repository "+repo+" that you may send runs for")
				f.is(f.putObject(as, repo, []byte("one\n")), 404, "no repository "+repo+" that you may send runs for")
			}
		}
		f.is(f.post("reader", "/v1/facts", factsOf(1, digest)), 403)
		f.is(f.putObject("reader", "o/a", []byte("one\n")), 403)
		f.is(f.post("nobody", "/v1/facts", factsOf(1, digest)), 401)
		f.equal(f.objects(), 0)
	},
	"a job's token overrules its client": func(f *fixture) {
		_, one := f.manifest("one\n")
		_, two := f.manifest("two\n")
		in := factsOf(0xcafe, one, func(in *api.Facts) { in.Repo, in.Branch, in.Tag, in.PR = "o/b", "main", "v1", 7 })
		f.is(f.tell("topicjob", in, "one\n"), 200, `"repo":"o/a"`)
		f.equal([]string{f.read(store.Repos("o/a"), "topic"), f.read(store.Repos("o/a"), "main"),
			f.read(store.Repos("o/a"), "v1"), f.read(store.Repos("o/a"), "PR#7")},
			[]string{"one\n", "not_found", "not_found", "not_found"})
		// If a job sends facts of a commit that is not the job's own, the commit does not become the head of a branch.
		// A job that runs for the commit replaces the facts of the commit.
		f.is(f.tell("topicjob", factsOf(2, one, func(in *api.Facts) { in.Branch = "topic" }), "one\n"), 200)
		f.equal(f.read(store.Repos("o/a"), "topic"), "one\n")
		f.is(f.tell("mainjob", factsOf(2, two), "two\n"), 200)
		f.equal(f.read(store.Repos("o/a"), "main"), "two\n")
		f.is(f.tell("tagjob", factsOf(2, two), "two\n"), 200)
		f.equal(f.read(store.Repos("o/a"), "v2"), "two\n")
	},
	"facts of forks never speak for a branch": func(f *fixture) {
		_, one := f.manifest("one\n")
		_, two := f.manifest("two\n")
		f.is(f.tell("a", factsOf(1, one), "one\n"), 200)
		fork := factsOf(3, two, func(in *api.Facts) { in.Fork, in.PR, in.Ancestors = true, 12, []string{commitHash(1)} })
		f.is(f.tell("a", fork, "two\n"), 200, `"untrusted":true`)
		other := factsOf(1, two, func(in *api.Facts) { in.PR = 13 }) // untrusted even for the job's own commit
		f.is(f.tell("forkjob", other, "two\n"), 200, `"untrusted":true`)
		f.equal([]string{f.read(store.Repos("o/a"), "main"), f.read(store.Repos("o/a"), "PR#12"),
			f.read(store.Repos("o/a"), commitHash(3)), f.read(store.Repos("o/a"), commitHash(1))},
			[]string{"one\n", "two\n", "two\n", "one\n"})
	},
	"facts count for the quota": func(f *fixture) {
		f.serve(func(c *ingest.Config) { c.Quotas = store.Quotas{Repo: store.Quota{Bytes: 4096}} })
		text, digest := f.manifest("one\n")
		f.is(f.putObject("a", "o/a", text), 204)
		f.is(f.putObject("a", "o/a", []byte("one\n")), 507, `"code":"insufficient_storage"`)
		f.equal(f.missing(f.is(f.post("a", "/v1/facts", factsOf(1, digest)), 202)), []string{facts.Digest([]byte("one\n"))})
		f.serve(func(c *ingest.Config) {
			c.Quotas = store.Quotas{Owner: store.Quota{Repos: 1}}
		})
		f.is(f.putObject("both", "o/b", text), 507, "as many as may be")
	},
	"a sender that stopped goes on": func(f *fixture) {
		text, digest := f.manifest("one\n", "two\n")
		f.is(f.putObject("a", "o/a", text), 204)
		f.is(f.putObject("a", "o/a", []byte("one\n")), 204)
		f.now = f.now.Add(6 * 24 * time.Hour)
		f.is(f.post("a", "/v1/facts", factsOf(1, digest)), 202)
		swept, err := facts.Sweep(f.Context(), f.store, f.blobs, f.now.Add(-time.Hour))
		f.ok(err)
		f.equal(swept, 0) // the previous request asked for the objects, so they are kept
		f.is(f.putObject("a", "o/a", []byte("two\n")), 204)
		f.is(f.post("a", "/v1/facts", factsOf(1, digest)), 200)
	},
}

// jobOf returns a job of o/a for an event.
func jobOf(event, ref, sha string) auth.Principal {
	p := job("80")
	p.Facts.EventName, p.Facts.Ref, p.Facts.SHA = event, ref, sha
	return p
}
