package client_test

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
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
)

// spool is a local store with one run.
type spool struct {
	*sqlite.Store
	store.Blobs
	run  store.Run
	log  *chunk.Writer
	last int // event
}

const attempt = "01999999-0000-7000-8000-00000000abcd"

func newSpool(t *testing.T) *spool {
	t.Helper()
	dir := t.TempDir()
	st, err := sqlite.Open(t.Context(), filepath.Join(dir, "blq.db"))
	check(t, err)
	t.Cleanup(func() { st.Close() })
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

// print stores text as one more chunk.
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
			Batches: -1, Lines: s.log.Lines()})
	check(t, err)
}

func (s *spool) pusher(c *client.Client) *client.Pusher {
	return &client.Pusher{Client: c, Source: s.Store, Blobs: s.Blobs, Repo: "o/n"}
}

// finished returns a spool with a completed run of that many chunks and events.
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

// whole compares what a service received with the spool.
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
		want[i].Event.ID, want[i].Event.Pattern, want[i].Event.Stream = 0, "", "" // they are not in its JSON
	}
	if diff := cmp.Diff(want, have); diff != "" {
		t.Errorf("events:\n%s", diff)
	}
	if got.finish == nil || *got.finish.ExitCode != 2 || got.finish.Lost != "a line" || got.finish.Lines != s.log.Lines() {
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

// A service may send next steps as calls or as text. No terminal may obey either.
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

func TestRunningRunIsSentInFullBatchesAndFollowedToItsEnd(t *testing.T) {
	t.Parallel()
	s, far := newSpool(t), newService(t)
	c, _ := far.client(t, client.Config{})
	s.print(t, store.StreamCombined, "one\n")
	s.find(t, client.BatchSize+5)
	got, err := s.pusher(c).Push(t.Context(), attempt)
	check(t, err)
	if got.Complete || got.Chunks != 1 || got.Batches != 1 || far.runs[attempt].finish != nil {
		t.Fatalf("of a running run: %+v", got)
	}
	ended, done := make(chan struct{}), make(chan error, 1)
	go func() {
		got, err := s.pusher(c).Follow(t.Context(), attempt, ended)
		if err == nil && !got.Complete {
			err = fmt.Errorf("not complete: %+v", got)
		}
		done <- err
	}()
	s.print(t, store.StreamCombined, "two\n")
	s.find(t, 3)
	s.end(t)
	close(ended)
	check(t, <-done)
	whole(t, s, far.runs[attempt])
	if far.runs[attempt].repeated > 0 {
		t.Errorf("%d parts came again", far.runs[attempt].repeated)
	}
}

func TestFollowOutlivesAServiceThatIsGone(t *testing.T) {
	t.Parallel()
	s, far := newSpool(t), newService(t)
	c, _ := far.client(t, client.Config{Attempts: 1})
	far.failing(1, 2, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) })
	s.print(t, store.StreamCombined, "one\n")
	s.end(t)
	ended := make(chan struct{})
	close(ended)
	got, err := s.pusher(c).Follow(t.Context(), attempt, ended)
	if err != nil || !got.Complete {
		t.Fatalf("%+v, %v", got, err)
	}
}

// The end of a command does not wait for a quota.
func TestFollowEndsAtAQuotaThatIsUsedUp(t *testing.T) {
	t.Parallel()
	for _, answer := range []http.HandlerFunc{status(507), status(429, "Retry-After", "36000")} {
		s, far := newSpool(t), newService(t)
		c, _ := far.client(t, client.Config{Attempts: 1})
		far.failing(1, 1000, answer)
		s.print(t, store.StreamCombined, "one\n")
		s.end(t)
		ended := make(chan struct{})
		close(ended)
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		got, err := s.pusher(c).Follow(ctx, attempt, ended)
		if err == nil || got.Complete || ctx.Err() != nil {
			t.Errorf("%+v, %v, %v", got, err, ctx.Err())
		}
		cancel()
	}
}

func TestFollowSaysWhyItIsNotDone(t *testing.T) {
	t.Parallel()
	s, far := newSpool(t), newService(t)
	s.end(t)
	ended := make(chan struct{})
	close(ended)
	c, _ := far.client(t, client.Config{Attempts: 1})
	ctx, cancel := context.WithCancel(t.Context())
	far.failing(1, 1000, func(w http.ResponseWriter, _ *http.Request) {
		cancel()
		w.WriteHeader(http.StatusServiceUnavailable)
	})
	if got, err := s.pusher(c).Follow(ctx, attempt, ended); got.Complete || store.CodeOf(err) != store.Unavailable {
		t.Errorf("%+v, %v", got, err)
	}
	far.failing(1, 1000, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) })
	if _, err := s.pusher(c).Follow(t.Context(), attempt, ended); store.CodeOf(err) != store.Unauthorized ||
		!strings.HasPrefix(cmdline.Of(store.NextOf(err)), "export BLQ_TOKEN=") {
		t.Errorf("refused: %v", err)
	}
}

func TestWhatIsKnownOfARunningRunIsShown(t *testing.T) {
	t.Parallel()
	s, far := newSpool(t), newService(t)
	c, _ := far.client(t, client.Config{})
	ended, done := make(chan struct{}), make(chan error, 1)
	live := func(from int, messages ...string) {
		t.Helper()
		events := make([]store.Event, len(messages))
		for i, m := range messages {
			events[i] = store.Event{ID: from + i, Severity: store.SeverityError, Message: m}
		}
		check(t, s.SetLive(t.Context(), attempt, from, events))
	}
	shown := func() string {
		far.mu.Lock()
		defer far.mu.Unlock()
		var list []string
		if run := far.runs[attempt]; run != nil {
			for _, e := range run.live {
				list = append(list, fmt.Sprint(e.ID, e.Message))
			}
		}
		return strings.Join(list, " ")
	}
	live(1, "a", "b", "c")
	go func() {
		_, err := s.pusher(c).Follow(t.Context(), attempt, ended)
		done <- err
	}()
	until(t, func() bool { return shown() == "1a 2b 3c" })
	live(2, "x")
	until(t, func() bool { return shown() == "1a 2x" })
	live(1)
	until(t, func() bool { return shown() == "" })
	s.find(t, client.BatchSize+1)
	live(client.BatchSize+2, "y")
	until(t, func() bool { return shown() == "1001no 1001 <&> 1002y" })
	s.end(t)
	close(ended)
	check(t, <-done)
	whole(t, s, far.runs[attempt])
	// the last look may come between the last two
	if puts := strings.Count(strings.Join(far.requests, "\n"), "/live/"); puts < 4 || puts > 5 {
		t.Errorf("%d requests for five changes", puts)
	}
}

func TestAServiceThatShowsNothingGetsTheRunAllTheSame(t *testing.T) {
	t.Parallel()
	s, far := newSpool(t), newService(t)
	c, _ := far.client(t, client.Config{})
	far.fail = func(_ int, w http.ResponseWriter, r *http.Request) bool {
		old := strings.Contains(r.URL.Path, "/live/")
		if old {
			refuse(w, http.StatusNotFound, store.NotFound, "nothing is served at this path")
		}
		return old
	}
	check(t, s.SetLive(t.Context(), attempt, 1, []store.Event{{ID: 1, Severity: store.SeverityError, Message: "a"}}))
	if _, err := s.pusher(c).Push(t.Context(), attempt); err != nil {
		t.Fatal(err)
	}
	s.find(t, 2)
	s.end(t)
	got, err := s.pusher(c).Push(t.Context(), attempt)
	if err != nil || !got.Complete {
		t.Fatalf("%+v, %v", got, err)
	}
	whole(t, s, far.runs[attempt])
}

// until calls f again and again, for a limited time.
func until(t *testing.T, ok func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatal("it never happened")
		}
	}
}
