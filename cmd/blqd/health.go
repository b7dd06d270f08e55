package main

import (
	"context"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/blq-ci/blq/store"
)

// readyFor is the time for which the result of a check is reused. Without reuse, frequent requests would cause too many
// checks, because anybody may ask and each check writes.
const readyFor = time.Second

// readyTimeout is the max time that a dependency may take to answer.
const readyTimeout = 2 * time.Second

// health reports whether the service is alive and whether it is ready.
type health struct {
	places   *places
	metrics  *metrics
	log      func(ctx context.Context, what string, err error)
	stopping atomic.Bool

	mu    sync.Mutex
	asked time.Time
	found map[string]error
	stuck sync.Map // names of dependencies whose check has not ended yet
}

// live reports that the process works.
func (h *health) live(w http.ResponseWriter, _ *http.Request) { say(w, http.StatusOK, "ok") }

// ready reports whether the service can take requests. The service cannot take requests if the database or the object
// storage fails, or if the service is about to stop. The answer names the dependency that failed. Only the log has the
// reason, because anybody may ask.
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

// look checks the dependencies and returns the error of each. The error of a working dependency is nil. Within
// readyFor of the last check, look returns the results of that check.
func (h *health) look(ctx context.Context) map[string]error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if time.Since(h.asked) < readyFor {
		return h.found
	}
	// The context does not depend on the caller's context, because other callers wait for the same answer.
	ctx, cancel := context.WithTimeout(context.Background(), readyTimeout)
	defer cancel()
	found := map[string]error{}
	var wait sync.WaitGroup
	var mu sync.Mutex
	for name, ask := range map[string]func(context.Context) error{"database": h.places.storeReady,
		"logs": h.places.blobsReady} {
		wait.Go(func() {
			err := h.inTime(ctx, name, ask)
			mu.Lock()
			defer mu.Unlock()
			found[name] = err
		})
	}
	wait.Wait()
	for name, err := range found {
		h.record(ctx, name, err)
	}
	h.found, h.asked = found, time.Now()
	return found
}

// inTime checks a dependency, and returns an error if the check takes too long. If an earlier check of the
// dependency has not ended yet, inTime starts no further check, because each check holds a thread.
func (h *health) inTime(ctx context.Context, name string, ask func(context.Context) error) error {
	if _, before := h.stuck.LoadOrStore(name, true); before {
		return store.Errorf(store.Unavailable, "no answer since it was last asked")
	}
	answer := make(chan error, 1)
	go func() {
		err := ask(ctx)
		h.stuck.Delete(name) // before the answer is sent, because another check may follow at once
		answer <- err
	}()
	select {
	case err := <-answer:
		return err
	case <-ctx.Done():
		return store.Errorf(store.Unavailable, "no answer within %v", readyTimeout)
	}
}

// record stores the state of a dependency, and logs it if it has changed.
func (h *health) record(ctx context.Context, name string, err error) {
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
	_, _ = w.Write([]byte(text + "\n")) // this fails if the client has disconnected
}
