package mcp

import (
	"context"
	"fmt"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/blq-ci/blq/store"
)

type progressKey struct{}

// teller sends the progress of one call.
type teller struct {
	send  func(done float64, message string) // done increases from one message to the next
	began time.Time

	mu   sync.Mutex
	told time.Time // when the progress of a run was sent last
}

// wantsProgress reports whether the client has sent a progress token.
func wantsProgress(r *sdk.CallToolRequest) bool { return r.Params.GetProgressToken() != nil }

// withProgress returns a context for TellRun, if the client has sent a progress token.
func withProgress(ctx context.Context, r *sdk.CallToolRequest) context.Context {
	if !wantsProgress(r) {
		return ctx
	}
	token := r.Params.GetProgressToken()
	return context.WithValue(ctx, progressKey{}, &teller{began: time.Now(), send: func(done float64, message string) {
		// An error means that the client is gone.
		_ = r.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{
			ProgressToken: token, Progress: done, Message: message,
		})
	}})
}

// WantsProgress reports whether TellRun sends anything.
func WantsProgress(ctx context.Context) bool {
	_, ok := ctx.Value(progressKey{}).(*teller)
	return ok
}

// tellEvery is the time between two messages of TellRun.
const tellEvery = 5 * time.Second

// TellRun sends how far a run is that the call waits for: at once, and then every few seconds, however often it is
// called. The message has numbers, and none of the text that the command printed.
func TellRun(ctx context.Context, r store.Run) {
	t, ok := ctx.Value(progressKey{}).(*teller)
	if !ok {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	if !t.told.IsZero() && now.Sub(t.told) < tellEvery {
		return
	}
	t.told = now
	message := "running"
	if r.Serial > 0 {
		message = fmt.Sprintf("%s is running: %s, %d lines", r.Ref(), now.Sub(r.StartedAt).Round(time.Second), r.Lines)
	}
	if r.OutputAt.After(r.StartedAt) {
		message += fmt.Sprintf(", the last %s ago", now.Sub(r.OutputAt).Round(time.Second))
	}
	t.send(now.Sub(t.began).Seconds(), message)
}
