package main

import (
	"context"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/blq-ci/blq/store"
)

// Readiness is asked often and by anybody: what was found holds this long.
const readyFor = time.Second

// readyTimeout is how long a dependency may take to answer.
const readyTimeout = 2 * time.Second

// health says whether the service lives, and whether it can serve.
type health struct {
	places   *places
	metrics  *metrics
	log      func(ctx context.Context, what string, err error)
	stopping atomic.Bool

	mu    sync.Mutex
	asked time.Time
	found map[string]error
}

// live answers that the process works at all.
func (h *health) live(w http.ResponseWriter, _ *http.Request) { say(w, http.StatusOK, "ok") }

// ready answers whether requests should come here: not when the database or
// the place of the logs cannot be used, nor when the service is about to stop.
// It says which; why is in the log, for others than operators may ask.
func (h *health) ready(w http.ResponseWriter, r *http.Request) {
	if h.stopping.Load() {
		say(w, http.StatusServiceUnavailable, "stopping")
		return
	}
	found := h.look(r.Context())
	for _, name := range []string{"database", "logs"} {
		if found[name] != nil {
			say(w, http.StatusServiceUnavailable, name+" unavailable")
			return
		}
	}
	say(w, http.StatusOK, "ok")
}

// look returns what is wrong with each dependency, nil for nothing.
func (h *health) look(ctx context.Context) map[string]error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if time.Since(h.asked) < readyFor {
		return h.found
	}
	// Who asked may go away; others wait for the answer, too.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), readyTimeout)
	defer cancel()
	found := map[string]error{}
	var wait sync.WaitGroup
	var mu sync.Mutex
	for name, ask := range map[string]func(context.Context) error{"database": h.places.storeReady, "logs": h.places.blobsReady} {
		wait.Go(func() {
			err := inTime(ctx, ask)
			mu.Lock()
			defer mu.Unlock()
			found[name] = err
		})
	}
	wait.Wait()
	for name, err := range found {
		h.tell(ctx, name, err)
	}
	h.found, h.asked = found, time.Now()
	return found
}

// inTime asks a dependency, and does not wait for one that hangs.
func inTime(ctx context.Context, ask func(context.Context) error) error {
	answer := make(chan error, 1)
	go func() { answer <- ask(ctx) }()
	select {
	case err := <-answer:
		return err
	case <-ctx.Done():
		return store.Errorf(store.Unavailable, "no answer within %v", readyTimeout)
	}
}

// tell notes what was found; the log says it once, when it changes.
func (h *health) tell(ctx context.Context, name string, err error) {
	up := 1.0
	if err != nil {
		up = 0
	}
	h.metrics.ready.WithLabelValues(name).Set(up)
	if before := h.found[name]; (before == nil) != (err == nil) {
		h.log(ctx, name, err)
	}
}

func say(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(text + "\n")) // who does not listen is gone
}
