package ingesttest

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"

	"github.com/blq-ci/blq/facts"
	"github.com/blq-ci/blq/ingest"
	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/chunk"
)

// text returns the log of a run.
func (f *fixture) text(attempt string) string {
	f.Helper()
	var b strings.Builder
	_, err := chunk.NewReader(f.store, f.blobs, store.Everything(), f.run(attempt), "").WriteTo(f.Context(), &b)
	f.ok(err)
	return b.String()
}

// objects returns how many objects the storage has.
func (f *fixture) objects() int {
	f.Helper()
	keys, err := f.blobs.List(f.Context(), "", "", 0)
	f.ok(err)
	return len(keys)
}

// leaving is object storage that disconnects the caller of the request while it stores an object.
type leaving struct {
	store.Blobs
	leave func()
}

func (b leaving) Put(ctx context.Context, key string, data []byte) error {
	err := b.Blobs.Put(ctx, key, data)
	b.leave()
	return err
}

// busy is a store that refuses the first calls of AddChunk and AddObjects, as if too many requests were waiting.
type busy struct {
	ingest.Store
	times *int
}

func (b busy) refuse() error {
	if *b.times--; *b.times < 0 {
		return nil
	}
	return store.Errorf(store.RateLimited, "1000 requests of this caller wait already")
}

func (b busy) AddChunk(ctx context.Context, attempt string, c store.Chunk) error {
	if err := b.refuse(); err != nil {
		return err
	}
	return b.Store.AddChunk(ctx, attempt, c)
}

func (b busy) AddObjects(ctx context.Context, repo string, list []store.Object) ([]store.Object, error) {
	if err := b.refuse(); err != nil {
		return nil, err
	}
	return b.Store.AddObjects(ctx, repo, list)
}

// leaves sends a request whose caller disconnects while an object is being stored.
func (f *fixture) leaves(r request) {
	f.Helper()
	ctx, cancel := context.WithCancel(f.Context())
	defer cancel()
	c := f.config
	c.Blobs = leaving{f.blobs, cancel}
	req := httptest.NewRequestWithContext(ctx, r.method, r.path, bytes.NewReader(r.body))
	req.Header = r.header.Clone()
	req.Header.Set("Authorization", "Bearer a")
	ingest.New(c).Handler().ServeHTTP(httptest.NewRecorder(), req)
}

var chunkTests = map[string]func(f *fixture){
	"what has arrived is stored with its row, also when the caller leaves": func(f *fixture) {
		id := f.start()
		f.leaves(chunkRequest(id, piece{text: "one\n"}))
		f.equal(f.text(id), "one\n")
		content := []byte("# read me\n")
		f.leaves(objectRequest("a", "o/a", facts.Digest(content), content))
		known, err := f.store.Objects(f.Context(), store.Repos("o/a"), "o/a", []string{facts.Digest(content)})
		f.ok(err)
		f.equal([]int{len(known), f.objects()}, []int{1, 2})
	},
	"what is refused leaves no object": func(f *fixture) {
		id, times := f.start(), 0
		f.serve(func(c *ingest.Config) { c.Store = busy{f.store, &times} })
		times = 2
		f.is(f.putChunk(id, piece{text: "one\n"}), 204)
		f.equal(f.text(id), "one\n")
		times = 1
		f.is(f.putObject("a", "o/a", []byte("# read me\n")), 429)
		f.equal(f.objects(), 1)
		f.is(f.putObject("a", "o/a", []byte("# read me\n")), 204)
		f.equal(f.objects(), 2)
	},
	"a log arrives in any order, and once": func(f *fixture) {
		id := f.start()
		two := piece{seq: 1, text: "two\nthr", line: 2, offset: 4}
		f.is(f.putChunk(id, two), 204)
		f.is(f.putChunk(id, piece{seq: 0, text: "one\n"}), 204)
		f.is(f.putChunk(id, two), 204)
		f.is(f.putChunk(id, piece{seq: 2, text: "ee", line: 3, offset: 11}), 204)
		f.equal(f.text(id), "one\ntwo\nthree")
		r := f.run(id)
		f.equal([]int64{r.Bytes, int64(r.Lines)}, []int64{13, 2})
		f.equal(f.objects(), 3)
		f.is(f.finish(id, 0, 3, 0, 3), 200, `"status":"OK"`)
		f.equal(f.seen.received[ingest.KindChunk], 4)
	},
	"the same at once is stored once": func(f *fixture) {
		id := f.start()
		var wg sync.WaitGroup
		for range 16 {
			wg.Go(func() {
				if a := f.do(chunkRequest(id, piece{text: "one\n"})); a.status != 204 {
					f.Errorf("%d %s", a.status, a.body)
				}
			})
		}
		wg.Wait()
		f.equal(f.text(id), "one\n")
	},
	"other content is a conflict": func(f *fixture) {
		id := f.start()
		f.is(f.putChunk(id, piece{text: "one\n"}), 204)
		f.is(f.putChunk(id, piece{text: "two\n"}), 409, `"code":"conflict"`, "chunk 0", "next_steps")
		f.equal(f.text(id), "one\n")
		f.equal(f.objects(), 1)
	},
	"an orphaned run goes on, a completed one does not": func(f *fixture) {
		id := f.start()
		_, err := f.store.OrphanRun(f.Context(), id, f.now)
		f.ok(err)
		f.is(f.putChunk(id, piece{text: "one\n"}), 204)
		f.is(f.finish(id, 0, 1, 0, 1), 200)
		f.is(f.putChunk(id, piece{text: "one\n"}), 204)
		f.is(f.putChunk(id, piece{seq: 1, text: "two\n", line: 2, offset: 4}), 409, "completed")
		f.equal(f.objects(), 1)
		f.is(f.do(request{method: "GET", path: "/v1/runs/" + id}), 200, `"state":"completed"`, `"chunks":1`)
	},
	"chunks that differ from their facts are refused": func(f *fixture) {
		id := f.start()
		whole := chunkRequest(id, piece{text: "one\ntwo\n"})
		for name, change := range map[string]func(*request){
			"digest":         func(r *request) { r.header = r.header.Clone(); r.header.Set("Content-Digest", digest([]byte("other"))) },
			"Content-Digest": func(r *request) { r.header = r.header.Clone(); r.header.Del("Content-Digest") },
			"SHA-256": func(r *request) {
				r.header = r.header.Clone()
				r.header.Set("Content-Digest", "sha-256=:AAAA:, md5=:AAAA:")
			},
			"not 7 and":    func(r *request) { r.path = strings.Replace(r.path, "bytes=8", "bytes=7", 1) },
			"line ends":    func(r *request) { r.path = strings.Replace(r.path, "lines=2", "lines=1", 1) },
			"first_line":   func(r *request) { r.path = strings.Replace(r.path, "first_line=1", "first_line=0", 1) },
			"offset":       func(r *request) { r.path = strings.Replace(r.path, "offset=0", "offset=-1", 1) },
			"bytes must":   func(r *request) { r.path = strings.Replace(r.path, "bytes=8", "bytes=x", 1) },
			"lines must":   func(r *request) { r.path = strings.Replace(r.path, "lines=2", "lines=99999999999999999999", 1) },
			"stream":       func(r *request) { r.path += "&stream=other" },
			"query":        func(r *request) { r.path += "&%zz" },
			"number of":    func(r *request) { r.path = strings.Replace(r.path, "chunks/0", "chunks/-1", 1) },
			"0, 1":         func(r *request) { r.path = strings.Replace(r.path, "chunks/0", "chunks/00", 1) },
			"zstd":         func(r *request) { *r = withBody(*r, []byte("one\ntwo\n")) },
			"not whole":    func(r *request) { *r = withBody(*r, r.body[:len(r.body)-3]) },
			"version 7":    func(r *request) { r.path = strings.Replace(r.path, "-7000-", "-4000-", 1) },
			"0 bytes":      func(r *request) { *r = withBody(*r, nil) },
			"not 8 and":    func(r *request) { *r = withBody(*r, pack("one\n")) },
			"or not zstd:": func(r *request) { *r = withBody(*r, append(pack("one\ntwo\n"), 1, 2, 3, 4, 5)) },
		} {
			r := whole
			change(&r)
			f.is(f.do(r), 400, `"code":"invalid"`, name)
		}
		f.equal(f.objects(), 0)
		f.is(f.do(whole), 204)
	},
	"other types and codings are refused": func(f *fixture) {
		id := f.start()
		for name, value := range map[string]string{"Content-Type": "application/json", "Content-Encoding": "gzip"} {
			r := chunkRequest(id, piece{text: "one\n"})
			r.header.Set(name, value)
			f.is(f.do(r), 415, `"code":"unsupported_media_type"`, value)
		}
	},
	"a run that was not started takes no chunks": func(f *fixture) {
		f.is(f.putChunk(f.attempt(), piece{text: "one\n"}), 404, `"code":"not_found"`)
		f.equal(f.objects(), 0)
	},
}

// withBody returns the request with another body and the digest of that body.
func withBody(r request, body []byte) request {
	r.body = body
	r.header = http.Header{"Content-Type": {"application/zstd"}, "Content-Digest": {digest(body)}}
	return r
}
