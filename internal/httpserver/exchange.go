package httpserver

import "context"

// exchange holds the facts of a request and its answer for the log.
type exchange struct {
	id     string
	bounds Bounds
	caller string
	err    error
	status int // of the answer, 0 before it began
	in     int64
	out    int64
	clean  func(string) string
}

type exchangeKey struct{}

func exchangeOf(ctx context.Context) *exchange {
	if x, ok := ctx.Value(exchangeKey{}).(*exchange); ok {
		return x
	}
	return &exchange{clean: asItIs}
}

func asItIs(s string) string { return s }

// RequestID returns the ID of the request that a context belongs to, "" for none.
func RequestID(ctx context.Context) string { return exchangeOf(ctx).id }

// BytesIn returns how many bytes of the request's body have been read so far.
func BytesIn(ctx context.Context) int64 { return exchangeOf(ctx).in }

// SetCaller sets the caller of the request for its log line.
func SetCaller(ctx context.Context, caller string) { exchangeOf(ctx).caller = caller }
