package ingesttest

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"

	"github.com/blq-ci/blq/ingest/api"
	"github.com/blq-ci/blq/store"
)

// request is a request of a caller.
type request struct {
	as     string // token of the caller, "" for token a
	method string
	path   string
	body   []byte
	header http.Header
}

// answer is the answer to a request.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// do sends a request and compares the exchange with the OpenAPI document.
func (f *fixture) do(r request) answer {
	f.Helper()
	req, err := http.NewRequestWithContext(f.Context(), r.method, f.URL+r.path, bytes.NewReader(r.body))
	f.ok(err)
	for k, v := range r.header {
		req.Header[k] = v
	}
	if r.as == "" {
		r.as = "a"
	}
	if req.Header.Get("Authorization") == "" {
		req.Header.Set("Authorization", "Bearer "+r.as)
	}
	res, err := http.DefaultTransport.RoundTrip(req)
	f.ok(err)
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	f.ok(err)
	a := answer{res.StatusCode, res.Header, body}
	f.described(r, req, a)
	return a
}

// post sends a value as JSON.
func (f *fixture) post(as, path string, v any) answer {
	f.Helper()
	body, err := json.Marshal(v)
	f.ok(err)
	return f.do(
		request{as: as, method: "POST", path: path, body: body, header: http.Header{"Content-Type": {"application/json"}}})
}

// is checks that an answer has the status, and that its body contains the words.
func (f *fixture) is(a answer, status int, words ...string) answer {
	f.Helper()
	if a.status != status {
		f.Fatalf("status %d, want %d: %s", a.status, status, a.body)
	}
	for _, w := range words {
		if !strings.Contains(string(a.body), w) {
			f.Errorf("%s has no %q", a.body, w)
		}
	}
	return a
}

func (f *fixture) equal(got, want any) {
	f.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		f.Errorf("-want +got:\n%s", diff)
	}
}

// attempt returns a new attempt ID.
func (f *fixture) attempt() string {
	f.n++
	return fmt.Sprintf("01999999-0000-7000-8000-%012x", f.n)
}

// newStart returns the facts of a new run.
func (f *fixture) newStart() api.Start {
	return api.Start{
		AttemptID: f.attempt(), Repo: "o/a", Source: "build", Command: "make -j8", Cwd: "/src",
		StartedAt: f.now.Add(-time.Minute),
		Hostname:  "h", Platform: "Linux", Arch: "x86_64", Commit: "0123456789abcdef", Branch: "main", GitRoot: "/src",
	}
}

// start starts a run and returns its attempt.
func (f *fixture) start() string {
	f.Helper()
	in := f.newStart()
	f.is(f.post("a", "/v1/runs", in), 201)
	return in.AttemptID
}

// run returns a run from the store.
func (f *fixture) run(attempt string) store.Run {
	f.Helper()
	r, err := f.store.Run(f.Context(), store.Everything(), store.Ref{Attempt: attempt})
	f.ok(err)
	return r
}

// piece is a chunk as a client sends it.
type piece struct {
	seq    int
	text   string
	line   int
	offset int
	stream string
	object []byte // sent instead of the compressed text, if set
}

func (f *fixture) putChunk(attempt string, p piece) answer {
	f.Helper()
	return f.do(chunkRequest(attempt, p))
}

func chunkRequest(attempt string, p piece) request {
	object := p.object
	if object == nil {
		object = pack(p.text)
	}
	path := fmt.Sprintf("/v1/runs/%s/chunks/%d?first_line=%d&lines=%d&offset=%d&bytes=%d", attempt, p.seq, max(1, p.line),
		strings.Count(p.text, "\n"), p.offset, len(p.text))
	if p.stream != "" {
		path += "&stream=" + p.stream
	}
	return request{method: "PUT", path: path, body: object,
		header: http.Header{"Content-Type": {"application/zstd"}, "Content-Digest": {digest(object)}}}
}

// pack compresses text.
func pack(text string) []byte { return encoder().EncodeAll([]byte(text), nil) }

// encoder returns the encoder that all tests share. Making an encoder takes longer than encoding what the tests send.
var encoder = sync.OnceValue(func() *zstd.Encoder {
	e, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(2))
	if err != nil {
		panic(err) // the options are constant
	}
	return e
})

func digest(body []byte) string {
	sum := sha256.Sum256(body)
	return "sha-256=:" + base64.StdEncoding.EncodeToString(sum[:]) + ":"
}

func (f *fixture) putEvents(attempt string, seq int, body string) answer {
	f.Helper()
	return f.do(request{method: "PUT", path: fmt.Sprintf("/v1/runs/%s/events/%d", attempt, seq), body: []byte(body),
		header: http.Header{"Content-Type": {"application/x-ndjson"}}})
}

// event returns an event as a line of JSON.
func event(id int, message string) string {
	text, err := json.Marshal(api.Event{ID: id, Event: store.Event{
		Severity: store.SeverityError, File: "src/main.c", Line: 10 * id, Column: 5, Message: message, Tool: "gcc",
		Category: store.CategoryCompile, LogLine: id, LogLineEnd: id,
	}})
	if err != nil {
		panic(err) // a string can always be encoded
	}
	return string(text) + "\n"
}

func (f *fixture) finish(attempt string, exit, chunks, batches, lines int) answer {
	f.Helper()
	return f.post("a", "/v1/runs/"+attempt+"/finish",
		api.Finish{FinishedAt: f.now, ExitCode: &exit, Chunks: chunks, Batches: batches, Lines: lines})
}
