package client_test

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/ingest/api"
	"github.com/blq-ci/blq/ingest/client"
	"github.com/blq-ci/blq/internal/cmdline"
	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/blob"
	"github.com/blq-ci/blq/store/chunk"
	"github.com/blq-ci/blq/store/sqlite"
	"github.com/blq-ci/blq/store/sqlite/sqlitetest"
)

// spool is a local store with one run.
type spool struct {
	*sqlite.Store
	store.Blobs
	run  store.Run
	log  *chunk.Writer
	last int // number of the last event
}

const attempt = "01999999-0000-7000-8000-00000000abcd"

func newSpool(t *testing.T) *spool {
	t.Helper()
	dir := t.TempDir()
	st := sqlitetest.OpenAt(t, filepath.Join(dir, "blq.db"))
	blobs, err := blob.OpenFile(filepath.Join(dir, "blobs"))
	check(t, err)
	r, err := st.StartRun(t.Context(), store.Run{
		Attempt: attempt, Source: "build", Command: "make", StartedAt: time.Unix(1e9, 0).UTC(),
		HeartbeatAt: time.Unix(1e9, 0),
		Git:         store.Git{Commit: "0123456789abcdef", Branch: "main"}, CI: &store.CI{Provider: "github", PR: 7},
	})
	check(t, err)
	w, err := chunk.NewWriter(st, blobs, r.Attempt)
	check(t, err)
	return &spool{Store: st, Blobs: blobs, run: r, log: w}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// print stores text as another chunk.
func (s *spool) print(t *testing.T, stream, text string) {
	t.Helper()
	_, err := s.log.Write(t.Context(), stream, []byte(text))
	check(t, err)
	check(t, s.log.Flush(t.Context()))
}

// find stores n events.
func (s *spool) find(t *testing.T, n int) {
	t.Helper()
	events := make([]store.Event, n)
	for i := range events {
		s.last++
		events[i] = store.Event{ID: s.last, Severity: store.SeverityError, File: "a.c", Line: s.last,
			Message: fmt.Sprintf("no %d <&>", s.last), Tool: "gcc", LogLine: s.last, Stream: "stderr"}
		events[i].Fingerprint, events[i].Pattern = store.Fingerprint(events[i]), store.Pattern(events[i])
	}
	check(t, s.AddEvents(t.Context(), attempt, s.last, events))
}

func (s *spool) end(t *testing.T) {
	t.Helper()
	code := 2
	_, err := s.FinishRun(t.Context(), attempt,
		store.Finish{Ending: store.Ending{FinishedAt: time.Unix(1e9+5, 0).UTC(), ExitCode: &code, Lost: "a line"}, Chunks: -1,
			Batches: -1, Lines: s.log.Lines(), Files: store.FileDigests{"a.c": "0123456789abcdef"}})
	check(t, err)
}

func (s *spool) pusher(c *client.Client) *client.Pusher {
	return &client.Pusher{Client: c, Source: s.Store, Blobs: s.Blobs, Repo: "o/n"}
}

// finished returns a spool with a completed run that has this many chunks and events.
func finished(t *testing.T, pieces, events int) *spool {
	t.Helper()
	s := newSpool(t)
	for i := range pieces {
		s.print(t, []string{store.StreamStdout, store.StreamStderr}[i%2], fmt.Sprintf("line %d\n", i))
	}
	s.find(t, events)
	s.end(t)
	return s
}

// whole compares the parts that a service received with the spool.
func whole(t *testing.T, s *spool, got *taken) {
	t.Helper()
	var chunks []store.Chunk
	for _, stream := range []string{store.StreamCombined, store.StreamStdout, store.StreamStderr} {
		list, err := s.Chunks(t.Context(), store.Everything(), attempt, stream, 1, 0)
		check(t, err)
		chunks = append(chunks, list...)
	}
	if len(got.chunks) != len(chunks) {
		t.Errorf("%d chunks came, want %d", len(got.chunks), len(chunks))
	}
	for _, c := range chunks {
		object, err := s.Get(t.Context(), c.Key)
		check(t, err)
		if string(got.chunks[c.Sequence]) != string(object) {
			t.Errorf("chunk %d is another", c.Sequence)
		}
	}
	page, err := s.Events(t.Context(), store.Everything(), store.EventFilter{})
	check(t, err)
	var want, have []api.Event
	for _, e := range page.Events {
		want = append(want, api.Event{ID: e.ID, Event: e.Event, Pattern: e.Pattern, Stream: e.Stream})
	}
	for i := range len(got.batches) {
		have = append(have, got.batches[i]...)
	}
	for i := range want {
		want[i].Event.ID, want[i].Event.Pattern, want[i].Event.Stream = 0, "", "" // not in the JSON of an event
	}
	if diff := cmp.Diff(want, have); diff != "" {
		t.Errorf("events:\n%s", diff)
	}
	if got.finish == nil || *got.finish.ExitCode != 2 || got.finish.Lost != "a line" ||
		got.finish.Lines != s.log.Lines() ||
		got.finish.Files["a.c"] != "0123456789abcdef" {
		t.Errorf("the end came as %+v", got.finish)
	}
}

func TestPushSendsAllOnce(t *testing.T) {
	t.Parallel()
	s, far := finished(t, 7, 2*client.BatchSize+3), newService(t)
	c, _ := far.client(t, client.Config{Token: func(context.Context) (string, error) { return "secret", nil }})
	var last client.Pushed
	p := s.pusher(c)
	p.Progress = func(now client.Pushed) { last = now }
	got, err := p.Push(t.Context(), attempt)
	check(t, err)
	whole(t, s, far.runs[attempt])
	if !got.Complete || got.Ref != "o/n@build:7" || got.Chunks != 7 || got.Batches != 3 || got.URL == "" ||
		!last.Complete {
		t.Errorf("pushed %+v", got)
	}
	start := far.runs[attempt].start
	if start.Repo != "o/n" || start.CI.PR != 7 || start.Commit != "0123456789abcdef" ||
		!start.StartedAt.Equal(time.Unix(1e9, 0)) {
		t.Errorf("started as %+v", start)
	}
	if !far.tokens["Bearer secret"] || len(far.tokens) != 1 {
		t.Errorf("tokens %v", far.tokens)
	}
	n := len(far.requests)
	got, err = s.pusher(c).Push(t.Context(), attempt)
	if err != nil || !got.Complete || len(far.requests) != n+1 || far.runs[attempt].repeated != 0 {
		t.Errorf("once more: %+v, %v, %v", got, err, far.requests[n:])
	}
}

// A service sends next steps as text, and may also send calls. The client prefers the calls, and removes control
// characters from them.
func TestNextStepsOfAService(t *testing.T) {
	t.Parallel()
	for want, calls := range map[string][]store.Call{
		"blq status": nil,
		"blq events 'a b[31m'   # why": {store.NewCall("events", "w\rhy", "ref", "a b\x1b[31m"),
			store.NewCall("history", "")},
	} {
		s, far := finished(t, 1, 0), newService(t)
		c, _ := far.client(t, client.Config{})
		far.failing(1, 1, func(w http.ResponseWriter, _ *http.Request) {
			refuse(w, http.StatusForbidden, store.Forbidden, "not now", calls...)
		})
		if _, err := s.pusher(c).Push(t.Context(), attempt); cmdline.Of(store.NextOf(err)) != want {
			t.Errorf("%q, want %q", cmdline.Of(store.NextOf(err)), want)
		}
	}
}

func TestPushGoesOnWhereItBroke(t *testing.T) {
	t.Parallel()
	const pieces = 9
	for at := 1; at <= pieces+5; at++ {
		s, far := finished(t, pieces, 2*client.BatchSize+1), newService(t)
		c, _ := far.client(t, client.Config{})
		p := s.pusher(c)
		p.Parallel = 3
		far.failing(at, at, func(w http.ResponseWriter, _ *http.Request) {
			refuse(w, http.StatusForbidden, store.Forbidden, "not now")
		})
		if _, err := p.Push(t.Context(), attempt); store.CodeOf(err) != store.Forbidden || err.Error() != "not now" ||
			cmdline.Of(store.NextOf(err)) != "blq status" {
			t.Fatalf("request %d refused: %v", at, err)
		}
		got, err := p.Push(t.Context(), attempt)
		if err != nil || !got.Complete {
			t.Fatalf("after request %d: %+v, %v", at, got, err)
		}
		whole(t, s, far.runs[attempt])
	}
}

func TestWhatTheServiceLostIsSentAgain(t *testing.T) {
	t.Parallel()
	s, far := finished(t, 5, 2*client.BatchSize), newService(t)
	c, _ := far.client(t, client.Config{})
	far.fail = func(_ int, _ http.ResponseWriter, r *http.Request) bool {
		if strings.HasSuffix(r.URL.Path, "/finish") {
			far.mu.Lock()
			defer far.mu.Unlock()
			if far.runs[attempt].repeated == 0 {
				delete(far.runs[attempt].chunks, 2)
				delete(far.runs[attempt].batches, 1)
			}
		}
		return false
	}
	got, err := s.pusher(c).Push(t.Context(), attempt)
	if err != nil || !got.Complete {
		t.Fatalf("%+v, %v", got, err)
	}
	whole(t, s, far.runs[attempt])
}

// A service with limits has only parts of a run. After secrets became known, all that it has is sent again.
func TestTheKnownPartsOfACutRunAreSentAgain(t *testing.T) {
	t.Parallel()
	s, far := finished(t, 5, 2*client.BatchSize+1), newService(t)
	c, _ := far.client(t, client.Config{Attempts: 1})
	far.fail = func(_ int, w http.ResponseWriter, r *http.Request) bool {
		part := path.Base(path.Dir(r.URL.Path)) + path.Base(r.URL.Path)
		full := slices.Contains([]string{"chunks3", "chunks4", "events1", "events2"}, part)
		if full {
			refuse(w, http.StatusRequestEntityTooLarge, store.TooLarge, "no room")
		}
		return full
	}
	got, err := s.pusher(c).Push(t.Context(), attempt)
	if err != nil || !got.Complete || got.Refused == nil {
		t.Fatalf("%+v, %v", got, err)
	}
	run := far.runs[attempt]
	far.mu.Lock()
	delete(run.chunks, 1) // chunks are sent in parallel, so one of them may be missing
	chunks, batches := maps.Clone(run.chunks), maps.Clone(run.batches)
	far.mu.Unlock()
	far.fail = func(_ int, w http.ResponseWriter, r *http.Request) bool {
		kind := path.Base(path.Dir(r.URL.Path))
		n, _ := strconv.Atoi(path.Base(r.URL.Path))
		lacks := kind == "chunks" && chunks[n] == nil || kind == "events" && batches[n] == nil
		if lacks {
			refuse(w, http.StatusConflict, store.Conflict, "the run is completed")
		}
		return lacks
	}
	again := s.pusher(c)
	again.Again = true
	got, err = again.Push(t.Context(), attempt)
	if had := len(chunks) + len(batches); err != nil || !got.Complete || run.repeated != had || had == 0 {
		t.Errorf("%v, %v: %d of %d parts came again", got.Complete, err, run.repeated, had)
	}
}
