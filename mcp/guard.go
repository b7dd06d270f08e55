package mcp

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/blq-ci/blq/store"
)

// callTimeout is the max time of a call. It is longer than maxWait, the time that a tool waits for a run. It is
// shorter than a minute, because clients give up after a minute. A call that reports progress while it waits for a run
// has no max time.
const callTimeout = 55 * time.Second

// guarded calls f with a deadline. If f panics, guarded returns the panic as an error. Unavailable: f took too long.
// Calls of tools, reads of resources and requests for prompts use guarded. Only calls that report progress while they
// wait use recovered instead.
func guarded[T any](ctx context.Context, f func(context.Context) (T, error)) (out T, err error) {
	bounded, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	return recovered(bounded, f)
}

// recovered calls f. If f panics, recovered returns the panic as an error. Unavailable: f returned an error after the
// deadline of ctx.
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
