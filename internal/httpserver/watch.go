package httpserver

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"time"
)

// Watch is the outermost middleware. It gives each request an ID, bounds its
// time, answers panics, and tells the log and the observer how it went. Zero
// fields do nothing, but for those that say what they do instead.
type Watch struct {
	Log *slog.Logger // for a line of each request
	// Quiet are the routes whose lines have the level debug: those of probes,
	// which come every few seconds.
	Quiet []string
	// Route names a request for the observer, with as many names as there are
	// routes, "" for none.
	Route    func(*http.Request) string
	Bounds   func(*http.Request) Bounds
	Observer Observer
	// Clean takes out of text what could deceive its reader: of callers' text
	// in the log, and of errors in answers.
	Clean func(string) string
	Now   func() time.Time // for time.Now
}

// Bounds are the times that a request may take from its header on, 0 for any.
type Bounds struct {
	Read  time.Duration // until its body is there
	Work  time.Duration // until its context ends
	Write time.Duration // until its answer is sent
}

// Observer is told of each request that was answered: the name of its route,
// the status, and bytes of bodies. Many goroutines call it.
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
	if o.Clean == nil {
		o.Clean = asItIs
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return o
}

// Handler returns next, watched.
func (o Watch) Handler(next http.Handler) http.Handler {
	o = o.withDefaults()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { o.serve(w, r, next) })
}

func (o Watch) serve(w http.ResponseWriter, r *http.Request, next http.Handler) {
	began, outer := o.Now(), r.Context()
	x := &exchange{id: requestID(r), bounds: o.Bounds(r), clean: o.Clean}
	w.Header().Set(headerRequestID, x.id)
	ctx := context.WithValue(outer, exchangeKey{}, x)
	if x.bounds.Work > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, x.bounds.Work)
		defer cancel()
	}
	r = r.WithContext(ctx)
	answer := &writer{w, x}
	bound(w, r, x)
	defer func() {
		took := o.Now().Sub(began)
		x.end(ctx)
		route := o.Route(r)
		o.Observer.Request(route, r.Method, x.status, took, x.in, x.out)
		o.note(outer, r, route, x, took)
	}()
	defer Recover(o.Log, r, func(err error) { Refuse(answer, r, err) })
	next.ServeHTTP(answer, r)
}

// bound sets the deadlines of a request, as far as its connection has some.
func bound(w http.ResponseWriter, r *http.Request, x *exchange) {
	control, now := http.NewResponseController(w), time.Now()
	if x.bounds.Write > 0 {
		_ = control.SetWriteDeadline(now.Add(x.bounds.Write))
	}
	if !HasBody(r) {
		return
	}
	if x.bounds.Read > 0 {
		_ = control.SetReadDeadline(now.Add(x.bounds.Read))
	}
	r.Body = body{r.Body, x, control}
}

// end settles the status of an answer that was not written: the server sends
// 200, unless nobody is there any more.
func (x *exchange) end(ctx context.Context) {
	switch {
	case x.status != 0:
	case ctx.Err() == context.Canceled: //nolint:errorlint // a context's own
		x.status = statusCancelled
	default:
		x.status = http.StatusOK
	}
}

// note writes the line of a request into the log.
func (o Watch) note(ctx context.Context, r *http.Request, route string, x *exchange, took time.Duration) {
	level := slog.LevelInfo
	attrs := []slog.Attr{
		slog.String("request", x.id), slog.String("method", o.shown(r.Method, 20)), slog.String("path", o.shown(r.URL.Path, 200)),
		slog.Int("status", x.status), slog.Float64("seconds", took.Seconds()), slog.Int64("in", x.in), slog.Int64("out", x.out),
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
		if x.status >= http.StatusInternalServerError {
			level = slog.LevelError
		}
		attrs = append(attrs, slog.String("error", x.err.Error()))
	}
	o.Log.LogAttrs(context.WithoutCancel(ctx), level, "request", attrs...)
}

// shown returns text of a caller's for the log.
func (o Watch) shown(s string, max int) string { return o.Clean(s[:min(len(s), max)]) }

// Recover is to be deferred by what serves a request. It logs a panic, and has
// answer tell of it; http.ErrAbortHandler it passes on.
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
