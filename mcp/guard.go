package mcp

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/blq-ci/blq/store"
)

// callTimeout bounds every call, except calls that wait for a run and report progress. It is longer than the time for
// which run waits for a command.
const callTimeout = 90 * time.Second

// guarded calls f with a deadline, and returns a panic as an error. It wraps every call of a tool, read of a resource
// and get of a prompt. Unavailable: f took too long.
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
