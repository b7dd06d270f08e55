package ingesttest

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"runtime"
	"strings"
	"time"

	"github.com/blq-ci/blq/ingest"
	"github.com/blq-ci/blq/ingest/api"
	"github.com/blq-ci/blq/internal/fair"
)

// within starts a service with limits.
func (f *fixture) within(l ingest.Limits) {
	f.serve(func(c *ingest.Config) { c.Limits = l })
}

// endless is a body that never ends.
type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

var limitTests = map[string]func(f *fixture){
	"a caller's requests": func(f *fixture) {
		f.within(ingest.Limits{Requests: 0.5, RequestsBurst: 3})
		r := request{method: "GET", path: "/v1/status"}
		for range 3 {
			f.is(f.do(r), 200)
		}
		a := f.is(f.do(r), 429, `"code":"rate_limited"`, "too many requests", "next_steps")
		f.equal(a.header.Get("Retry-After"), "2")
		r.as = "b"
		f.is(f.do(r), 200)
		f.now = f.now.Add(2 * time.Second)
		r.as = "a"
		f.is(f.do(r), 200)
		f.is(f.do(r), 429)
		f.equal(f.seen.limits, []string{"requests rate_limited", "requests rate_limited"})
	},
	"a repository's bytes": func(f *fixture) {
		f.within(ingest.Limits{Bytes: 1 << 20, BytesBurst: api.MaxBatchBody})
		id := f.start()
		body := blank(api.MaxBatchBody)
		f.is(f.putEvents(id, 0, body), 204)
		a := f.is(f.putEvents(id, 1, body), 429, `"code":"rate_limited"`, "o/a")
		f.equal(a.header.Get("Retry-After"), "8")
		f.now = f.now.Add(8 * time.Second)
		f.is(f.putEvents(id, 1, body), 204)
		f.equal(f.seen.limits, []string{"bytes rate_limited"})
	},
	"what is kept of a run": func(f *fixture) {
		f.within(ingest.Limits{RunChunks: 2, RunBytes: 10, RunEvents: 2})
		id := f.start()
		f.is(f.putChunk(id, piece{seq: 0, text: "12345678\n"}), 204)
		f.is(f.putChunk(id, piece{seq: 1, text: "12\n", line: 2, offset: 9}), 413, `"code":"too_large"`, "at most 10 bytes")
		f.is(f.putChunk(id, piece{seq: 2, text: "1", line: 2, offset: 9}), 413, "at most 2 chunks")
		f.is(f.putEvents(id, 0, event(1, "a")+event(3, "b")), 413, "at most 2 events")
		f.is(f.putEvents(id, 2, event(1, "a")), 413, "at most 2 batches")
		f.is(f.putEvents(id, 1, event(1, "a")+event(2, "b")), 204)
		f.equal(
			f.seen.limits, []string{"run_log too_large", "run_log too_large", "run_events too_large", "run_events too_large"})
	},
	"how long a run may be open": func(f *fixture) {
		f.within(ingest.Limits{RunTime: time.Hour})
		id := f.start()
		first := piece{text: "one\n"}
		f.is(f.putChunk(id, first), 204)
		f.now = f.now.Add(time.Hour)
		beat := request{method: "POST", path: "/v1/runs/" + id + "/heartbeat"}
		f.is(f.do(beat), 204)
		f.now = f.now.Add(time.Second)
		for _, a := range []answer{f.do(beat), f.putChunk(id, piece{seq: 1, text: "two\n", line: 2, offset: 4}),
			f.putEvents(id, 0, event(1, "a"))} {
			f.is(a, 409, `"code":"conflict"`, "open for more than 1h0m0s", "finish it")
		}
		f.equal(f.seen.limits, []string{"run_time conflict", "run_time conflict", "run_time conflict"})
		f.equal(f.text(id), "one\n")
		f.is(f.finish(id, 0, 1, 0, 1), 200, `"status":"OK"`)
		f.is(f.putChunk(id, first), 204)
	},
	"the number of running runs of a repository": func(f *fixture) {
		f.within(ingest.Limits{Running: 2})
		ids := []string{f.start(), f.start()}
		in := f.newStart()
		a := f.is(f.post("a", "/v1/runs", in), 429, `"code":"rate_limited"`, "2 runs of repository o/a are running",
			"orphaned")
		f.equal(a.header.Get("Retry-After"), "30")
		f.equal(f.seen.limits, []string{"running rate_limited"})
		known := f.newStart()
		known.AttemptID = ids[0]
		f.is(f.post("a", "/v1/runs", known), 200)
		other := f.newStart()
		other.Repo = "o/b"
		f.is(f.post("b", "/v1/runs", other), 201)
		f.is(f.finish(ids[0], 0, 0, 0, 0), 200)
		f.is(f.post("a", "/v1/runs", in), 201)
	},
	"bodies with and without a declared size": func(f *fixture) {
		id := f.start()
		for path, limit := range map[string]int{"/v1/runs": api.MaxJSON, "/v1/runs/" + id + "/finish": api.MaxJSON,
			"/v1/runs/" + id + "/heartbeat": api.MaxJSON} {
			f.is(f.do(request{method: "POST", path: path, body: make([]byte, limit+1)}), 413, fmt.Sprint(limit))
			f.is(f.endless("POST", path, nil), 413, fmt.Sprint(limit))
		}
		big := chunkRequest(id, piece{text: "x", object: make([]byte, api.MaxChunkBody+1)})
		f.is(f.do(big), 413, fmt.Sprint(api.MaxChunkBody))
		f.is(f.endless("PUT", big.path, big.header), 413, fmt.Sprint(api.MaxChunkBody))
		f.is(f.endless("PUT", "/v1/runs/"+id+"/events/0", nil), 413, fmt.Sprint(api.MaxBatchBody))
		f.equal(len(f.seen.limits), 9)
	},
	"what an object unpacks to": func(f *fixture) {
		id := f.start()
		bomb := chunkRequest(id, piece{text: "x", object: pack(strings.Repeat("\n", 64<<20))})
		if len(bomb.body) > api.MaxChunkBody {
			f.Fatal("the bomb is too large to be sent")
		}
		f.is(f.do(bomb), 413, "decompresses to more than")
		f.equal(f.seen.limits, []string{"body too_large"})
		f.equal(f.objects(), 0)
	},
	"the memory of bodies that are received": func(f *fixture) {
		receiving, memory := make(chan int, 10), fair.NewShare(1<<20)
		f.serve(func(c *ingest.Config) {
			c.Memory = memory
			c.Observer = uploads{f.seen, receiving}
		})
		id := f.start()
		text := random(700<<10) + "\n"
		r := chunkRequest(id, piece{text: text})
		body, first := io.Pipe()
		answered := make(chan answer)
		go func() { answered <- f.stream(r.method, r.path, r.header, body) }()
		f.equal(<-receiving, 1)
		_, err := first.Write(r.body[:300<<10])
		f.ok(err)
		for memory.Used() < 512<<10 { // wait until the body has arrived
			runtime.Gosched()
		}
		a := f.is(f.putChunk(id, piece{seq: 1, text: "two\n", line: 2, offset: len(text)}), 503, `"code":"unavailable"`,
			"try again")
		f.equal(a.header.Get("Retry-After"), "1")
		_, err = first.Write(r.body[300<<10:])
		f.ok(err)
		f.ok(first.Close())
		f.is(<-answered, 204)
		f.equal(<-receiving, 0)
		for memory.Used() > 0 { // wait until the request has ended
			runtime.Gosched()
		}
		f.is(f.putChunk(id, piece{seq: 1, text: "two\n", line: 2, offset: len(text)}), 204)
	},
	"how long a body takes": func(f *fixture) {
		f.within(ingest.Limits{Body: 50 * time.Millisecond})
		f.now = now
		r := chunkRequest(f.start(), piece{text: "one\n"})
		body, _ := io.Pipe()
		f.is(f.stream(r.method, r.path, r.header, body), 408, `"code":"timeout"`)
		f.equal(f.seen.limits, []string{"slow timeout"})
		f.equal(f.objects(), 0)
	},
	"a connection that is cut leaves nothing": func(f *fixture) {
		id := f.start()
		r := chunkRequest(id, piece{text: strings.Repeat("one\n", 1000)})
		whole := strings.Repeat("x", 10_000)
		for _, sent := range []int{0, 1, len(r.body) / 2, len(r.body) - 1} {
			f.cut(fmt.Sprintf("PUT %s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer a\r\nContent-Type: "+
				"application/zstd\r\nContent-Digest: %s\r\nContent-Length: %d\r\n\r\n%s",
				r.path, digest(r.body), len(r.body), r.body[:sent]))
			f.cut(fmt.Sprintf(
				"PUT /v1/runs/%s/events/0 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer a\r\nContent-Length: %d\r\n\r\n%s%s",
				id, len(event(1, whole)), event(1, whole)[:sent], ""))
		}
		f.equal(f.objects(), 0)
		f.equal(f.messages(id), "")
		f.is(f.finish(id, 0, 0, 0, 0), 200)
	},
}

// random returns text that hardly compresses.
func random(n int) string {
	b := make([]byte, n/2)
	_, _ = rand.NewChaCha8([32]byte{}).Read(b) // never fails
	return hex.EncodeToString(b)
}

// uploads records how many bodies are being received.
type uploads struct {
	*observed
	n chan int
}

func (u uploads) Uploads(n int) { u.n <- n }

// endless sends a body that does not end.
func (f *fixture) endless(method, path string, header http.Header) answer {
	f.Helper()
	return f.stream(method, path, header, endless{})
}

// stream sends a body of unknown size.
func (f *fixture) stream(method, path string, header http.Header, body io.Reader) answer {
	f.Helper()
	req, err := http.NewRequestWithContext(f.Context(), method, f.URL+path, body)
	f.ok(err)
	req.Header = header.Clone()
	if req.Header == nil {
		req.Header = http.Header{}
	}
	req.Header.Set("Authorization", "Bearer a")
	res, err := http.DefaultTransport.RoundTrip(req)
	f.ok(err)
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	f.ok(err)
	return answer{res.StatusCode, res.Header, text}
}

// cut sends the beginning of a request, and closes the connection for writing. It waits for the answer, which must have
// status 400.
func (f *fixture) cut(text string) {
	f.Helper()
	c, err := net.Dial("tcp", strings.TrimPrefix(f.URL, "http://"))
	f.ok(err)
	defer c.Close()
	_, err = c.Write([]byte(text))
	f.ok(err)
	f.ok(c.(*net.TCPConn).CloseWrite())
	res, err := http.ReadResponse(bufio.NewReader(c), nil)
	f.ok(err)
	defer res.Body.Close()
	f.equal(res.StatusCode, 400)
}
