package ingesttest

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"

	"github.com/blq-ci/blq/ingest"
	"github.com/blq-ci/blq/ingest/api"
	"github.com/blq-ci/blq/store"
)

const (
	abusers  = 4
	requests = 2500 // number of requests of each abuser
)

var abuseTests = map[string]func(f *fixture){
	"what is deeply nested takes no stack": func(f *fixture) {
		for _, s := range []string{"(", "$(", "if ", "{ "} {
			in := f.newStart()
			in.Command = strings.Repeat(s, (256<<10)/len(s))
			f.is(f.post("a", "/v1/runs", in), 201)
		}
		id := f.start()
		for _, x := range []string{"[", `{"x":`} {
			line := `{"event_id":1,"severity":"error","message":"m","x":` + strings.Repeat(x, (1<<19)/len(x))
			f.is(f.putEvents(id, 0, line), 400, "exceeded max depth")
		}
		f.is(f.do(request{method: "GET", path: "/v1/status"}), 200)
	},
	"10,000 random requests break nothing": func(f *fixture) {
		f.within(ingest.Limits{Requests: 1e9, RequestsBurst: 1e9, RunChunks: 8})
		handler := ingest.New(f.config).Handler()
		var wg sync.WaitGroup
		all := make([]*abuser, abusers)
		for i := range all {
			all[i] = newAbuser(f, handler, uint64(i))
			wg.Go(all[i].act)
		}
		wg.Wait()
		completed := 0
		for _, a := range all {
			completed += a.check()
		}
		if completed == 0 {
			f.Error("no run was completed: the requests are too random to tell anything")
		}
	},
}

// abuser sends random requests about its own runs. It remembers which requests the service has acknowledged.
type abuser struct {
	*fixture
	handler http.Handler
	*rand.Rand
	runs []*sentRun
}

// sentRun is the state of a run from the view of its client.
type sentRun struct {
	attempt  string
	started  bool
	chunks   map[int]string // acknowledged chunks
	batches  map[int]bool
	finished *api.Finish
}

func newAbuser(f *fixture, h http.Handler, seed uint64) *abuser {
	a := &abuser{fixture: f, handler: h, Rand: rand.New(rand.NewPCG(seed, 4))}
	for i := range 60 {
		a.runs = append(a.runs, &sentRun{attempt: fmt.Sprintf("01999999-0000-7000-9%03d-%012d", seed, i),
			chunks: map[int]string{}, batches: map[int]bool{}})
	}
	return a
}

func (a *abuser) act() {
	for i := range requests {
		r := a.runs[min(i*len(a.runs)/requests+a.IntN(4), len(a.runs)-1)]
		switch a.IntN(12) {
		case 0, 1:
			a.startRun(r)
		case 2, 3, 4:
			a.sendChunk(r)
		case 5, 6:
			a.sendEvents(r)
		case 7, 8:
			a.finishRun(r)
		case 9:
			a.send(request{method: "POST", path: "/v1/runs/" + r.attempt + "/heartbeat"})
		default:
			a.garbage(r)
		}
	}
}

// send calls the handler directly, without the network, and returns the status.
func (a *abuser) send(r request) int {
	req := httptest.NewRequest(r.method, "http://x"+r.path, bytes.NewReader(r.body))
	req.Header = r.header.Clone()
	if req.Header == nil {
		req.Header = http.Header{}
	}
	req.Header.Set("Authorization", "Bearer a")
	w := httptest.NewRecorder()
	a.handler.ServeHTTP(w, req)
	if w.Code >= 500 || w.Code < 200 {
		a.Errorf("%s %s: %d %s", r.method, r.path, w.Code, w.Body)
	}
	return w.Code
}

func (a *abuser) startRun(r *sentRun) {
	body := fmt.Sprintf(`{"attempt_id":%q,"source_name":"build","command":"make","started_at":"2026-03-01T11:00:00Z","repo":"o/a"}`, r.attempt)
	if status := a.send(request{method: "POST", path: "/v1/runs", body: []byte(body)}); status == 200 || status == 201 {
		r.started = true
	} else {
		a.Errorf("start: %d", status)
	}
}

// pieceOf returns the chunk with a number. The chunk has two lines.
func pieceOf(seq int) piece {
	return piece{seq: seq, text: fmt.Sprintf("line %d\nline %d\n", 2*seq+1, 2*seq+2), line: 2*seq + 1, offset: 14 * seq}
}

func (a *abuser) sendChunk(r *sentRun) {
	p := pieceOf(a.IntN(4))
	if a.IntN(8) == 0 {
		p.text = strings.ToUpper(p.text) // other content
	}
	q := chunkRequest(r.attempt, p)
	harmed := a.IntN(4) == 0
	if harmed {
		q = a.harm(q)
	}
	status := a.send(q)
	had, have := r.chunks[p.seq]
	switch {
	case status == 204 && !harmed && have && had != p.text:
		a.Errorf("chunk %d was replaced", p.seq)
	case status == 204 && !harmed:
		r.chunks[p.seq] = p.text
	case status == 204:
		a.Errorf("%s was accepted: %q", q.path, q.body)
	}
}

func (a *abuser) sendEvents(r *sentRun) {
	seq := a.IntN(3)
	if a.IntN(4) == 0 {
		from := a.IntN(8)
		a.send(
			request{method: "PUT", path: fmt.Sprintf("/v1/runs/%s/live/%d", r.attempt, from), body: []byte(event(from, "live"))})
	}
	body := event(2*seq+1, "a") + event(2*seq+2, "b")
	q := request{method: "PUT", path: fmt.Sprintf("/v1/runs/%s/events/%d", r.attempt, seq), body: []byte(body)}
	harmed := a.IntN(4) == 0
	if harmed {
		q.body = q.body[:len(q.body)-2-a.IntN(30)] // cut inside of the second line
	}
	if status := a.send(q); status == 204 {
		if harmed {
			a.Errorf("%q was accepted", q.body)
		}
		r.batches[seq] = true
	}
}

func (a *abuser) finishRun(r *sentRun) {
	in := api.Finish{Chunks: a.IntN(5), Batches: a.IntN(4)}
	if a.IntN(3) == 0 { // unchanged
		in.Chunks, in.Batches = len(r.chunks), len(r.batches)
	}
	body := fmt.Sprintf(`{"finished_at":"2026-03-01T12:00:00Z","exit_code":1,"chunks":%d,"batches":%d,"lines":%d}`,
		in.Chunks, in.Batches, 2*in.Chunks)
	status := a.send(request{method: "POST", path: "/v1/runs/" + r.attempt + "/finish", body: []byte(body)})
	if status == 200 && r.finished == nil {
		r.finished = &in
	}
}

// harm changes a valid request for a chunk so that the service must refuse it.
func (a *abuser) harm(q request) request {
	q.header = q.header.Clone()
	switch a.IntN(5) {
	case 0:
		q.body = slices.Clone(q.body)
		q.body[a.IntN(len(q.body))] ^= byte(1 + a.IntN(255))
	case 1:
		q = withBody(q, q.body[:a.IntN(len(q.body))])
	case 2:
		q.path = strings.Replace(q.path, "bytes=14", fmt.Sprint("bytes=", a.IntN(14)), 1)
	case 3:
		q.path = strings.Replace(q.path, "chunks/", fmt.Sprintf("chunks/%d", 1+a.IntN(9)), 1)
	default:
		q.header.Del("Content-Digest")
	}
	return q
}

// garbage sends a request that is wrong in a random way.
func (a *abuser) garbage(r *sentRun) {
	words := []string{"v1", "runs", r.attempt, "chunks", "events", "finish", "heartbeat", "status", "events?limit=x",
		"0", "-1", "webhooks", "github", "..", "", "%00", "ü", strings.Repeat("x", 300)}
	path := ""
	for range 1 + a.IntN(6) {
		path += "/" + words[a.IntN(len(words))]
	}
	body := make([]byte, a.IntN(200))
	for i := range body {
		body[i] = byte(a.IntN(256))
	}
	if a.IntN(2) == 0 {
		body = []byte([]string{"{}", "[]", "null", `{"attempt_id":"` + r.attempt + `"}`, `{"chunks":-1}`,
			`{"exit_code":1e99}`, strings.Repeat("[", 10_000), strings.Repeat(`{"a":`, 10_000)}[a.IntN(8)])
	}
	header := http.Header{}
	for range a.IntN(3) {
		header.Set(
			[]string{"Content-Type", "Content-Encoding", "Content-Digest", "X-Request-Id", "X-Hub-Signature-256"}[a.IntN(5)],
			[]string{"application/json", "zstd", "sha-256=:AAAA:", "\x01", "identity", "sha256=00"}[a.IntN(6)])
	}
	path = strings.ReplaceAll(path, "ü", "%C3%BC")
	if strings.HasSuffix(path, "/finish") && strings.Contains(path, r.attempt) {
		return // the request could be valid
	}
	a.send(request{method: []string{"GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH"}[a.IntN(7)], path: path,
		body: body, header: header})
}

// check compares the store with the acknowledged requests. It returns the number of completed runs.
func (a *abuser) check() int {
	a.Helper()
	completed := 0
	for _, r := range a.runs {
		run, err := a.store.Run(a.Context(), store.Everything(), store.Ref{Attempt: r.attempt})
		if !r.started {
			if store.CodeOf(err) != store.NotFound {
				a.Errorf("%s was never started, but is there: %v", r.attempt, err)
			}
			continue
		}
		a.ok(err)
		chunks, err := a.store.Chunks(a.Context(), store.Everything(), r.attempt, "", 1, 0)
		a.ok(err)
		if len(chunks) != len(r.chunks) || int(run.Bytes) != 14*len(r.chunks) {
			a.Errorf("%s has %d chunks and %d bytes, %d chunks were acknowledged", r.attempt, len(chunks), run.Bytes,
				len(r.chunks))
		}
		events := a.events(r.attempt)
		settled, err := a.store.Events(a.Context(), store.Everything(),
			store.EventFilter{Runs: store.RunFilter{Attempts: []string{r.attempt}}, Settled: true})
		a.ok(err)
		live := len(events) - settled.Total
		if settled.Total != 2*len(r.batches) || run.Errors != len(events) || live > 1 || live > 0 &&
			run.State == store.StateCompleted {
			a.Errorf("%s has %d events and counts %d, %d batches were acknowledged", r.attempt, len(events), run.Errors,
				len(r.batches))
		}
		a.equal(run.State == store.StateCompleted, r.finished != nil)
		if r.finished == nil {
			continue
		}
		completed++
		var log strings.Builder
		for seq := range r.finished.Chunks {
			log.WriteString(r.chunks[seq])
		}
		a.equal(a.text(r.attempt), log.String())
		a.equal([]int{len(r.chunks), len(r.batches)}, []int{r.finished.Chunks, r.finished.Batches})
	}
	return completed
}
