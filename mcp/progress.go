package mcp

import (
	"context"
	"fmt"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/blq-ci/blq/store"
)

// Progress is the progress of a call. Done must increase from one to the next.
type Progress struct {
	Done, Total float64 // Total is 0 if it is unknown
	Message     string
}

type progressKey struct{}

// teller sends the progress of one call.
type teller struct {
	send  func(Progress)
	began time.Time

	mu   sync.Mutex
	told time.Time // when the progress of a run was sent last
}

// wantsProgress reports whether the client has sent a progress token.
func wantsProgress(r *sdk.CallToolRequest) bool { return r.Params.GetProgressToken() != nil }

// withProgress returns a context for TellProgress, if the client has sent a progress token.
func withProgress(ctx context.Context, r *sdk.CallToolRequest) context.Context {
	if !wantsProgress(r) {
		return ctx
	}
	token := r.Params.GetProgressToken()
	return context.WithValue(ctx, progressKey{}, &teller{began: time.Now(), send: func(p Progress) {
		// An error means that the client is gone.
		_ = r.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{
			ProgressToken: token, Progress: p.Done, Total: p.Total, Message: p.Message,
		})
	}})
}

// TellProgress sends the progress of the call that ctx belongs to. It does nothing if the client has not asked for
// progress, or if ctx belongs to no call. Do not use it after the call has returned.
func TellProgress(ctx context.Context, p Progress) {
	if t, ok := ctx.Value(progressKey{}).(*teller); ok {
		t.send(p)
	}
}

// WantsProgress reports whether TellProgress and TellRun send anything.
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
	t.send(Progress{Done: now.Sub(t.began).Seconds(), Message: message})
}
