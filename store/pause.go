package store

import "context"

type pauseKey struct{}

// Pausing returns a context with which Pause calls f.
func Pausing(ctx context.Context, f func(context.Context) error) context.Context {
	return context.WithValue(ctx, pauseKey{}, f)
}

type turnKey struct{}

// Turning returns a context with which Turn calls enter.
func Turning(ctx context.Context, enter func(context.Context) (leave func(), err error)) context.Context {
	return context.WithValue(ctx, turnKey{}, enter)
}

// Turn waits until the caller may begin work that needs much processor time. The caller calls leave after the work, and
// has no other turn meanwhile. If ctx does not come from Turning, Turn does not wait.
func Turn(ctx context.Context) (leave func(), err error) {
	if enter, ok := ctx.Value(turnKey{}).(func(context.Context) (func(), error)); ok {
		return enter(ctx)
	}
	return func() {}, nil
}

// LongJSON is the size in bytes from which JSON is decoded in a turn.
const LongJSON = 32 << 10

// Pause lets other callers work. Long loops call it while they hold no locks. If ctx does not come from Pausing, it
// does nothing. If it returns an error, the caller should stop, because nobody waits for the result.
func Pause(ctx context.Context) error {
	if f, ok := ctx.Value(pauseKey{}).(func(context.Context) error); ok {
		return f(ctx)
	}
	return nil
}
