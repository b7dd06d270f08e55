package transport

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"runtime/debug"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Server is a server of the library with two additions. Its handlers may panic. The context of a handler ends when the
// client cancels the request or disconnects.
type Server struct{ *sdk.Server }

// NewServer returns a server. If log is nil, nothing is logged. Each request passes through the middleware in the given
// order.
func NewServer(i *sdk.Implementation, o sdk.ServerOptions, log *slog.Logger, middleware ...sdk.Middleware) *Server {
	log = cmp.Or(log, slog.New(slog.DiscardHandler))
	o.Logger = slog.New(errorsOnly{log.Handler()})
	s := sdk.NewServer(i, &o)
	s.AddReceivingMiddleware(middleware...)
	s.AddReceivingMiddleware(func(next sdk.MethodHandler) sdk.MethodHandler { return guard(log, next) })
	return &Server{s}
}

// errorsOnly drops log records below the level of errors. Without it, the library would log each request as a new
// connection.
type errorsOnly struct{ slog.Handler }

// Enabled implements slog.Handler.
func (h errorsOnly) Enabled(ctx context.Context, l slog.Level) bool {
	return l >= slog.LevelError && h.Handler.Enabled(ctx, l)
}

// caller is a client that waits for the answer to a request.
type caller struct {
	context.Context             // ends when the caller stops waiting
	panicked        atomic.Bool // the handler has panicked
}

type callerKey struct{}

// from returns a new caller, and a context that contains the caller. The library passes the values of a context to
// handlers, but does not pass cancellation. So handlers learn from the caller that the client has gone.
func from(ctx context.Context) (context.Context, *caller) {
	c := &caller{Context: ctx}
	return context.WithValue(ctx, callerKey{}, c), c
}

// guard returns a handler that calls another handler. If the other handler panics, or returns an error without a code,
// the result is an internal error. The context of the other handler ends when the caller stops waiting.
func guard(log *slog.Logger, next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, r sdk.Request) (result sdk.Result, err error) {
		if leave, ok := ctx.Value(turnKey{}).(func()); ok {
			leave()
		}
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		c, ok := ctx.Value(callerKey{}).(*caller)
		if !ok {
			c = &caller{Context: ctx}
		}
		stop := context.AfterFunc(c, cancel)
		defer stop()
		defer func() {
			if failure := recover(); failure != nil {
				log.ErrorContext(ctx, "panic", "method", method, "value", failure, "stack", string(debug.Stack()))
				c.panicked.Store(true)
				result, err = nil, Internal
			}
		}()
		result, err = next(ctx, method, r)
		if coded := (*jsonrpc.Error)(nil); err != nil && !errors.As(err, &coded) {
			if ctx.Err() == nil {
				log.ErrorContext(ctx, "internal error", "method", method, "error", err)
			}
			return nil, Internal
		}
		return result, err
	}
}
