package runner

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/blq-ci/blq/store"
)

type progressKey struct{}

// teller sends the progress of one call.
type teller struct {
	send  func(done float64, message string)
	began time.Time

	mu   sync.Mutex
	last time.Time // time of the last message
}

// WithProgress returns a context for Tell. send sends a message to the client. done increases with each message.
func WithProgress(ctx context.Context, send func(done float64, message string)) context.Context {
	return context.WithValue(ctx, progressKey{}, &teller{began: time.Now(), send: send})
}

// WantsProgress reports whether Tell sends anything.
func WantsProgress(ctx context.Context) bool {
	_, ok := ctx.Value(progressKey{}).(*teller)
	return ok
}

// tellEvery is the min interval between two messages of Tell.
const tellEvery = 5 * time.Second

// Tell sends the progress of a run for which the call waits. It sends the first message at once. After that it sends at
// most one message in the time tellEvery, even if it is called more often. The message has no text that the command
// printed.
func Tell(ctx context.Context, r store.Run) {
	t, ok := ctx.Value(progressKey{}).(*teller)
	if !ok {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	if !t.last.IsZero() && now.Sub(t.last) < tellEvery {
		return
	}
	t.last = now
	message := "running"
	if r.Serial > 0 {
		message = fmt.Sprintf("%s is running: %s, %d lines", r.Ref(), now.Sub(r.StartedAt).Round(time.Second), r.Lines)
	}
	if r.OutputAt.After(r.StartedAt) {
		message += fmt.Sprintf(", the last %s ago", now.Sub(r.OutputAt).Round(time.Second))
	}
	t.send(now.Sub(t.began).Seconds(), message)
}
