package client_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/blq-ci/blq/ingest/api"
	"github.com/blq-ci/blq/ingest/client"
	"github.com/blq-ci/blq/internal/httpserver"
	"github.com/blq-ci/blq/store"
)

// service accepts runs like the real service, and fails on demand.
type service struct {
	*httptest.Server
	mu       sync.Mutex
	runs     map[string]*taken
	requests []string // method and path of each request
	tokens   map[string]bool
	// fail may answer a request instead of the service. It reports whether it did.
	fail func(n int, w http.ResponseWriter, r *http.Request) bool
}

// taken holds the parts of a run that a service has received.
type taken struct {
	start    api.Start
	chunks   map[int][]byte
	batches  map[int][]api.Event
	live     []api.Event
	finish   *api.Finish
	beats    int
	repeated int // parts that came again
}

func newService(t *testing.T) *service {
	t.Helper()
	s := &service{runs: map[string]*taken{}, tokens: map[string]bool{}}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/runs", s.begin)
	mux.HandleFunc("PUT /v1/runs/{attempt}/{kind}/{seq}", s.put)
	mux.HandleFunc("POST /v1/runs/{attempt}/finish", s.end)
	mux.HandleFunc("POST /v1/runs/{attempt}/heartbeat", func(w http.ResponseWriter, r *http.Request) {
		s.run(r).beats++
		w.WriteHeader(http.StatusNoContent)
	})
	s.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.requests = append(s.requests, r.Method+" "+r.URL.Path)
		s.tokens[r.Header.Get("Authorization")] = true
		n, fail := len(s.requests), s.fail
		s.mu.Unlock()
		if fail != nil && fail(n, w, r) {
			return
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // the connection was cut
		}
		if sum := sha256.Sum256(body); r.Method != http.MethodGet &&
			r.Header.Get(api.DigestHeader) != "sha-256=:"+base64.StdEncoding.EncodeToString(sum[:])+":" {
			refuse(w, http.StatusBadRequest, store.Invalid, "wrong digest "+r.Header.Get(api.DigestHeader))
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		s.mu.Lock()
		defer s.mu.Unlock()
		mux.ServeHTTP(w, r)
	}))
	s.Config.ErrorLog = quiet
	s.Start()
	t.Cleanup(s.Close)
	return s
}

func refuse(w http.ResponseWriter, status int, code store.Code, message string, calls ...store.Call) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(
		api.Error{Error: httpserver.Problem{Code: code, Message: message, NextSteps: []string{"blq status"}, Calls: calls}})
}

func (s *service) run(r *http.Request) *taken { return s.runs[r.PathValue("attempt")] }

func (s *service) begin(w http.ResponseWriter, r *http.Request) {
	var in api.Start
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		refuse(w, http.StatusBadRequest, store.Invalid, err.Error())
		return
	}
	run := s.runs[in.AttemptID]
	if run == nil {
		run = &taken{start: in, chunks: map[int][]byte{}, batches: map[int][]api.Event{}}
		s.runs[in.AttemptID] = run
		w.WriteHeader(http.StatusCreated)
	}
	out := api.Started{RunRef: fmt.Sprintf("%s@%s:7", in.Repo, in.Source), RunID: 7, AttemptID: in.AttemptID,
		State: store.StateRunning, URL: "https://blq.example.com/7"}
	for run.chunks[out.Chunks] != nil {
		out.Chunks++
	}
	for run.batches[out.Batches] != nil {
		out.Batches++
	}
	if run.finish != nil {
		out.State = store.StateCompleted
	}
	json.NewEncoder(w).Encode(out)
}

func (s *service) put(w http.ResponseWriter, r *http.Request) {
	run, body := s.run(r), must(io.ReadAll(r.Body))
	seq := must(strconv.Atoi(r.PathValue("seq")))
	if r.PathValue("kind") == "chunks" {
		if old, ok := run.chunks[seq]; ok {
			run.repeated++
			if !bytes.Equal(old, body) {
				refuse(w, http.StatusConflict, store.Conflict, "another digest")
				return
			}
		}
		run.chunks[seq] = body
	} else {
		if _, ok := run.batches[seq]; ok && r.PathValue("kind") == "events" {
			run.repeated++
		}
		d := must(zstd.NewReader(nil))
		defer d.Close()
		var list []api.Event
		for line := range strings.Lines(string(must(d.DecodeAll(body, nil)))) {
			var e api.Event
			if err := json.Unmarshal([]byte(line), &e); err != nil {
				refuse(w, http.StatusBadRequest, store.Invalid, err.Error())
				return
			}
			list = append(list, e)
		}
		if r.PathValue("kind") == "live" {
			run.live = append(run.live[:min(len(run.live), max(0, seq-1-len(run.batches)*client.BatchSize))], list...)
		} else {
			run.batches[seq], run.live = list, nil
		}
	}
	w.WriteHeader(http.StatusNoContent)
}

func (s *service) end(w http.ResponseWriter, r *http.Request) {
	run := s.run(r)
	var in api.Finish
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		refuse(w, http.StatusBadRequest, store.Invalid, err.Error())
		return
	}
	for i := range in.Chunks {
		if run.chunks[i] == nil {
			refuse(w, http.StatusConflict, store.Conflict, fmt.Sprintf("misses chunks %d", i))
			return
		}
	}
	for i := range in.Batches {
		if run.batches[i] == nil {
			refuse(w, http.StatusConflict, store.Conflict, fmt.Sprintf("misses batches of events %d", i))
			return
		}
	}
	run.finish = &in
	json.NewEncoder(w).Encode(
		api.Finished{RunRef: fmt.Sprintf("%s@%s:7", run.start.Repo, run.start.Source), Status: store.StatusFail})
}

// failing lets the handler fail answer the requests with the numbers from..to. The first request has the number 1.
func (s *service) failing(from, to int, fail http.HandlerFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fail = func(n int, w http.ResponseWriter, r *http.Request) bool {
		if n < from || n > to {
			return false
		}
		fail(w, r)
		return true
	}
}

// waits records the waits of a client between its tries.
type waits struct {
	mu   sync.Mutex
	list []time.Duration
}

func (w *waits) sleep(ctx context.Context, d time.Duration) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.list = append(w.list, d)
	return ctx.Err()
}

// client returns a client that does not really wait.
func (s *service) client(t *testing.T, c client.Config) (*client.Client, *waits) {
	t.Helper()
	w := &waits{}
	c.URL, c.Sleep = s.URL, w.sleep
	made, err := client.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return made, w
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// quiet discards the log of servers that fail on purpose.
var quiet = log.New(io.Discard, "", 0)
