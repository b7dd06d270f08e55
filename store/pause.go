package store

import "context"

type pauseKey struct{}

// Pausing returns a context with which Pause calls f.
func Pausing(ctx context.Context, f func(context.Context) error) context.Context {
	return context.WithValue(ctx, pauseKey{}, f)
}

// Pause lets other callers work. Long loops call it while they hold no locks. If ctx does not come from Pausing, it
// does nothing. If it returns an error, the caller should stop, because nobody waits for the result.
func Pause(ctx context.Context) error {
	if f, ok := ctx.Value(pauseKey{}).(func(context.Context) error); ok {
		return f(ctx)
	}
	return nil
}
