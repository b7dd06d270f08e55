package client_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/blq-ci/blq/ingest/client"
	"github.com/blq-ci/blq/internal/cmdline"
	"github.com/blq-ci/blq/store"
)

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

// A run with new output all the time also sends heartbeats. Otherwise the service would take it for dead.
func TestARunThatIsNeverSilentSendsHeartbeats(t *testing.T) {
	t.Parallel()
	s, far := newSpool(t), newService(t)
	c, _ := far.client(t, client.Config{})
	p := s.pusher(c)
	p.BeatEvery(time.Second)
	ended, done := make(chan struct{}), make(chan error, 1)
	go func() {
		_, err := p.Follow(t.Context(), attempt, ended)
		done <- err
	}()
	beats := func() int {
		far.mu.Lock()
		defer far.mu.Unlock()
		if r := far.runs[attempt]; r != nil {
			return r.beats
		}
		return 0
	}
	for until := time.Now().Add(10 * time.Second); beats() == 0 && time.Now().Before(until); {
		s.print(t, store.StreamCombined, "more\n")
		time.Sleep(100 * time.Millisecond)
	}
	if beats() == 0 {
		t.Error("no heartbeat within ten seconds")
	}
	s.end(t)
	close(ended)
	check(t, <-done)
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
	// If the client checks between the last two changes, it sends one more request.
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

// until waits until ok returns true, for at most a minute.
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
