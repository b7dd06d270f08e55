package client_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/blq-ci/blq/facts"
	"github.com/blq-ci/blq/ingest/api"
	"github.com/blq-ci/blq/ingest/client"
	"github.com/blq-ci/blq/store"
)

// factsService accepts facts, and counts the requests. If old is set, it accepts only one object in each request.
type factsService struct {
	*testing.T
	mu       sync.Mutex
	has      map[string]bool
	manifest facts.Manifest
	together int // requests with several objects
	single   int // requests with one object
	old      bool
	refuse   int // status for requests with objects, 0 to accept them
}

func (s *factsService) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	body, err := io.ReadAll(r.Body)
	if err == nil && r.Header.Get("Content-Encoding") == "zstd" {
		d, _ := zstd.NewReader(nil)
		defer d.Close()
		body, err = d.DecodeAll(body, nil)
	}
	if err != nil {
		s.Error(err)
	}
	digest, one := strings.CutPrefix(r.URL.Path, "/v1/facts/objects/")
	switch {
	case r.URL.Path == "/v1/facts":
		s.tell(w, body)
	case s.refuse != 0:
		w.WriteHeader(s.refuse)
	case one:
		s.single++
		s.take(digest, body)
	case s.old:
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprint(w, `{"error":{"code":"not_found","message":"no such path"}}`)
	default:
		s.together++
		for len(body) > 0 {
			var size int
			line, rest, _ := bytes.Cut(body, []byte("\n"))
			if _, err := fmt.Sscanf(string(line), "%s %d", &digest, &size); err != nil {
				s.Errorf("%s: %v", line, err)
				return
			}
			s.take(digest, rest[:size])
			body = rest[size:]
		}
	}
}

func (s *factsService) take(digest string, content []byte) {
	if facts.Digest(content) != digest {
		s.Errorf("the content of %s is another one", digest)
	}
	s.has[digest] = true
	var m facts.Manifest
	if json.Unmarshal(content, &m) == nil && len(m.Entries) > 0 {
		s.manifest = m
	}
}

func (s *factsService) tell(w http.ResponseWriter, body []byte) {
	var in api.Facts
	if err := json.Unmarshal(body, &in); err != nil {
		s.Error(err)
	}
	state := api.FactsState{Repo: "o/a", Commit: in.Commit, Kind: in.Kind, Manifest: in.Manifest}
	for _, d := range append([]string{in.Manifest}, s.manifest.Digests()...) {
		if !s.has[d] {
			state.Missing = append(state.Missing, d)
		}
	}
	state.Stored = len(state.Missing) == 0
	_ = json.NewEncoder(w).Encode(state)
}

// pushFacts sends n small files and a large one.
func pushFacts(t *testing.T, s *factsService, n int) (client.FactsPushed, error) {
	t.Helper()
	s.T, s.has = t, map[string]bool{}
	server := httptest.NewServer(s)
	defer server.Close()
	texts := map[string][]byte{}
	var entries []facts.Entry
	add := func(path string, text []byte) {
		texts[path] = text
		f := facts.File{Path: path, Digest: facts.Digest(text), Size: int64(len(text))}
		entries = append(entries, facts.Entry{File: f})
	}
	for i := range n {
		add(fmt.Sprintf("docs/%d.md", i), fmt.Appendf(nil, "# Page %d\n", i))
	}
	add("docs/large.md", bytes.Repeat([]byte("large\n"), 300_000))
	m, text, err := facts.NewManifest(store.FactDocs, entries)
	check(t, err)
	set := facts.NewListed(m, text, func(_ context.Context, f facts.File) ([]byte, error) { return texts[f.Path], nil })
	c, err := client.New(client.Config{URL: server.URL, Attempts: 1})
	check(t, err)
	return client.FactsPush{Client: c, Set: set,
		Snapshot: store.Snapshot{Repo: "o/a", Commit: strings.Repeat("a", 40), Kind: store.FactDocs}}.Push(t.Context())
}

func TestSmallFilesShareRequests(t *testing.T) {
	t.Parallel()
	s := &factsService{}
	sent, err := pushFacts(t, s, 2500)
	check(t, err)
	if sent.Objects != 2502 || s.single != 2 || s.together > 7 {
		t.Errorf("%d objects in %d single requests and %d others, want 2502 in 2 and a few", sent.Objects, s.single,
			s.together)
	}
}

func TestAnOlderServiceTakesSingleFiles(t *testing.T) {
	t.Parallel()
	s := &factsService{old: true}
	sent, err := pushFacts(t, s, 20)
	check(t, err)
	if sent.Objects != 22 || s.single != 22 {
		t.Errorf("%d objects in %d single requests, want 22", sent.Objects, s.single)
	}
}

func TestObjectsThatAreRefused(t *testing.T) {
	t.Parallel()
	sent, err := pushFacts(t, &factsService{refuse: http.StatusInsufficientStorage}, 20)
	if sent.Objects != 0 || store.CodeOf(err) != store.Full {
		t.Errorf("%d objects were sent: %v", sent.Objects, err)
	}
}
