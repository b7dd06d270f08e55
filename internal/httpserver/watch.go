package httpserver

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"time"

	"github.com/blq-ci/blq/internal/fair"
	"github.com/blq-ci/blq/store"
)

// Watch is the outermost middleware. It gives each request an ID, limits its time, recovers from panics, and reports
// the request to the log and the observer. If a field is zero, its part of the work is left out, except if the comment
// of the field names a default.
type Watch struct {
	Log *slog.Logger // gets a line for each request
	// Quiet are routes with log lines of level debug. Probes use such routes every few seconds.
	Quiet []string
	// Route returns the name of a request's route for Observer and Quiet, or "" for no name. The set of names must be
	// fixed.
	Route    func(*http.Request) string
	Bounds   func(*http.Request) Bounds
	Observer Observer
	// Clean removes harmful characters and secrets from text. It is applied to text of callers in the log, and to
	// errors in responses.
	Clean func(string) string
	Now   func() time.Time // nil means time.Now
	// Memory is the memory for bodies in bytes, see Hold. Nil means no limit.
	Memory *fair.Share
	// Address returns the origin of a request. An empty origin means that all requests share one origin.
	Address func(*http.Request) string
	// Brake delays three kinds of responses, because clients can cause them without effort: responses to unknown
	// callers, 429 Too Many Requests, and errors marked by Busy. It is called before the end of such a response, and
	// may wait. The argument from names the client's address if the caller is unknown, and the tenant otherwise. ctx is
	// the context of the connection.
	Brake func(ctx context.Context, from string)
	// Open is the number of requests that may be open at a time, see Occupy. Nil means no limit.
	Open *fair.Share
	// Turn waits until the tenant of a request may begin work that needs much processor time (see store.Turn). Nil
	// means that nobody waits.
	Turn func(context.Context) (leave func(), err error)
	// Known is called when the caller of a request becomes known. ctx is the context of the connection. It may be nil.
	Known func(ctx context.Context)
}

// Bounds are the time limits of a request, counted from the end of its header. Zero means no limit.
type Bounds struct {
	Read time.Duration // until the body of the request has arrived
	// Work is the time until the context of the request ends. It begins again when ReadBody has read the whole body.
	Work  time.Duration
	Write time.Duration // until the response is sent
}

// Observer gets each finished request: the name of its route, its method, the status, the duration, and the sizes of
// the bodies. It is called concurrently.
type Observer interface {
	Request(route, method string, status int, took time.Duration, in, out int64)
}

type nobody struct{}

func (nobody) Request(string, string, int, time.Duration, int64, int64) {}

func (o Watch) withDefaults() Watch {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Route == nil {
		o.Route = func(*http.Request) string { return "" }
	}
	if o.Bounds == nil {
		o.Bounds = func(*http.Request) Bounds { return Bounds{} }
	}
	if o.Observer == nil {
		o.Observer = nobody{}
	}
	if o.Address == nil {
		o.Address = func(*http.Request) string { return "" }
	}
	if o.Brake == nil {
		o.Brake = func(context.Context, string) {}
	}
	if o.Clean == nil {
		o.Clean = asItIs
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return o
}

// Handler returns a handler that calls next with the middleware around it. Later changes to the Watch have no effect
// on the handler.
func (o Watch) Handler(next http.Handler) http.Handler {
	o = o.withDefaults()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { o.serve(w, r, next) })
}

func (o Watch) serve(w http.ResponseWriter, r *http.Request, next http.Handler) {
	began, outer := o.Now(), r.Context()
	from := "from " + o.Address(r)
	x := &exchange{id: requestID(r), bounds: o.Bounds(r), clean: o.Clean, memory: o.Memory, tenant: from,
		outer: outer, open: o.Open, known: o.Known}
	w.Header().Set(headerRequestID, x.id)
	ctx := taking(outer, x)
	if o.Turn != nil {
		ctx = store.Turning(ctx, func(ctx context.Context) (func(), error) {
			fair.Long(ctx)
			return o.Turn(ctx)
		})
	}
	r = r.WithContext(ctx)
	x.beginWork(r)
	defer x.endWork()
	answer := &writer{w, x}
	defer bound(w, r, x)()
	defer func() {
		switch {
		case x.caller == "":
			o.Brake(outer, from)
		case x.status == http.StatusTooManyRequests, isBusy(x.err):
			o.Brake(outer, x.tenant)
		}
	}()
	defer x.vacate()
	defer x.release()
	defer func() {
		took := o.Now().Sub(began)
		x.end(outer)
		route := o.Route(r)
		o.Observer.Request(route, r.Method, x.status, took, x.in, x.out)
		o.note(outer, r, route, x, took)
	}()
	defer Recover(o.Log, r, func(err error) { Refuse(answer, r, err) })
	next.ServeHTTP(answer, r)
}

// bound sets the deadlines of a request if its connection supports them. The caller calls done after the request.
func bound(w http.ResponseWriter, r *http.Request, x *exchange) (done func()) {
	control, now := http.NewResponseController(w), time.Now()
	if x.bounds.Write > 0 {
		_ = control.SetWriteDeadline(now.Add(x.bounds.Write))
	}
	if !HasBody(r) {
		return func() {}
	}
	if x.bounds.Read > 0 {
		_ = control.SetReadDeadline(now.Add(x.bounds.Read))
	}
	b := newBody(w, r, x)
	r.Body = b
	return b.leave
}

// end sets the status of a response that was never written. The server then sends 200, except if the client has
// disconnected.
func (x *exchange) end(ctx context.Context) {
	switch {
	case x.status != 0:
	case ctx.Err() == context.Canceled: //nolint:errorlint // the error of a context itself, without further words
		x.status = statusCancelled
	default:
		x.status = http.StatusOK
	}
}

// note writes the log line of a request.
func (o Watch) note(ctx context.Context, r *http.Request, route string, x *exchange, took time.Duration) {
	level := slog.LevelInfo
	attrs := []slog.Attr{
		slog.String("request", x.id), slog.String("method", o.shown(r.Method, 20)),
		slog.String("path", o.shown(r.URL.Path, 200)),
		slog.Int("status", x.status), slog.Float64("seconds", took.Seconds()), slog.Int64("in", x.in),
		slog.Int64("out", x.out),
	}
	for _, quiet := range o.Quiet {
		if route == quiet {
			level = slog.LevelDebug
		}
	}
	if x.caller != "" {
		attrs = append(attrs, slog.String("caller", x.caller))
	}
	if x.err != nil {
		if IsFault(x.status) {
			level = slog.LevelError
		}
		attrs = append(attrs, slog.String("error", x.err.Error()))
	}
	o.Log.LogAttrs(context.WithoutCancel(ctx), level, "request", attrs...)
}

// shown returns text of a caller in a form that is safe to log.
func (o Watch) shown(s string, max int) string { return o.Clean(s[:min(len(s), max)]) }

// Recover recovers from a panic. It must be called with defer. It logs the panic, and calls answer to send an error.
// After http.ErrAbortHandler it panics again.
func Recover(log *slog.Logger, r *http.Request, answer func(error)) {
	switch failure := recover(); failure {
	case nil:
	case http.ErrAbortHandler:
		panic(failure)
	default:
		log.ErrorContext(r.Context(), "panic", "path", r.URL.Path, "value", failure, "stack", string(debug.Stack()))
		answer(fmt.Errorf("panic: %v", failure))
	}
}
