package mcp

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/blq-ci/blq/store"
)

// callTimeout bounds every call, except calls that wait for a run and report progress. It is longer than maxWait, the
// time that a tool waits for a run.
const callTimeout = 90 * time.Second

// guarded calls f with a deadline, and returns a panic as an error. Every call of a tool, every read of a resource and
// every request for a prompt goes through guarded. Unavailable: f took too long.
func guarded[T any](ctx context.Context, f func(context.Context) (T, error)) (out T, err error) {
	bounded, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	return recovered(bounded, f)
}

// recovered calls f, and returns a panic as an error. Unavailable: ctx has passed its deadline.
func recovered[T any](ctx context.Context, f func(context.Context) (T, error)) (out T, err error) {
	defer func() {
		if failure := recover(); failure != nil {
			err = fmt.Errorf("panic: %v\n%s", failure, debug.Stack())
		} else if errors.Is(ctx.Err(), context.DeadlineExceeded) && err != nil {
			err = store.Errorf(store.Unavailable, "this took longer than %v: ask for less, such as one run or a smaller limit",
				callTimeout)
		}
	}()
	return f(ctx)
}
