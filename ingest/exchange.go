package ingest

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"runtime/debug"
	"time"

	"github.com/google/uuid"

	"github.com/blq-ci/blq/query"
)

// exchange is what is noted of a request while it is served.
type exchange struct {
	id     string
	route  string // its pattern, "" for none
	caller string
	err    error
	status int // of the answer, 0 before it began
	in     int64
	out    int64
}

type exchangeKey struct{}

// exchangeOf returns the notes of a request.
func exchangeOf(ctx context.Context) *exchange {
	if x, ok := ctx.Value(exchangeKey{}).(*exchange); ok {
		return x
	}
	return &exchange{}
}

// RequestID returns the ID of the request that a context belongs to, "" for none.
func RequestID(ctx context.Context) string { return exchangeOf(ctx).id }

// requestID is the header with a request's ID.
const requestID = "X-Request-Id"

// observed gives each request an ID, bounds its time, and tells the log and the
// observer how it went.
func (s *Service) observed(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := s.Now()
		x := &exchange{id: r.Header.Get(requestID)}
		if !isRequestID(x.id) {
			x.id = uuid.NewString()
		}
		h := w.Header()
		h.Set(requestID, x.id)
		h.Set("Cache-Control", "no-store")
		h.Set("X-Content-Type-Options", "nosniff")
		ctx, cancel := context.WithTimeout(context.WithValue(r.Context(), exchangeKey{}, x), s.patience(r))
		defer cancel()
		control := http.NewResponseController(w)
		_ = control.SetWriteDeadline(time.Now().Add(s.patience(r) + s.Limits.Body)) // not all writers have these
		r = r.WithContext(ctx)
		if hasBody(r) {
			_ = control.SetReadDeadline(time.Now().Add(s.Limits.Body))
			r.Body = counted{r.Body, x, control}
		}
		answer := &answerWriter{w, x}
		defer func() {
			failure := recover()
			aborted := failure == any(http.ErrAbortHandler)
			if failure != nil && !aborted {
				s.refuse(answer, r, fmt.Errorf("panic: %v\n%s", failure, debug.Stack()))
			}
			took := s.Now().Sub(began)
			s.Observer.Request(x.route, r.Method, x.status, took, x.in, x.out)
			s.note(ctx, r, x, took)
			if aborted {
				panic(failure)
			}
		}()
		next.ServeHTTP(answer, r)
	})
}

// patience is how long a request may take.
func (s *Service) patience(r *http.Request) time.Duration {
	if hasBody(r) {
		return s.Limits.Body + s.Limits.Work
	}
	return s.Limits.Work
}

func hasBody(r *http.Request) bool { return r.Body != nil && r.Body != http.NoBody }

// note writes a line about a request into the log.
func (s *Service) note(ctx context.Context, r *http.Request, x *exchange, took time.Duration) {
	level := slog.LevelInfo
	attrs := []slog.Attr{
		slog.String("request", x.id), slog.String("method", shown(r.Method, 20)), slog.String("path", shown(r.URL.Path, 200)),
		slog.Int("status", x.status), slog.Float64("seconds", took.Seconds()), slog.Int64("in", x.in), slog.Int64("out", x.out),
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
	s.Log.LogAttrs(context.WithoutCancel(ctx), level, "request", attrs...)
}

// isRequestID says whether an ID that a caller chose can be taken over.
func isRequestID(id string) bool {
	if id == "" || len(id) > 100 {
		return false
	}
	for i := range len(id) {
		c := id[i]
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_' || c == '.' || c == ':' || c == '/') {
			return false
		}
	}
	return true
}

// adapt makes a handler of a function that may fail.
func (s *Service) adapt(serve func(*Service, http.ResponseWriter, *http.Request) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := serve(s, w, r); err != nil {
			s.refuse(w, r, err)
		}
	})
}

// answerWriter notes what is answered.
type answerWriter struct {
	http.ResponseWriter
	x *exchange
}

func (w *answerWriter) WriteHeader(status int) {
	if w.x.status == 0 && status >= http.StatusOK {
		w.x.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *answerWriter) Write(text []byte) (int, error) {
	if w.x.status == 0 {
		w.WriteHeader(http.StatusOK)
	}
	n, err := w.ResponseWriter.Write(text)
	w.x.out += int64(n)
	return n, err
}

// Unwrap lets deadlines be set.
func (w *answerWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// counted counts what is read of a body, and ends the deadline of reading with
// it: a server that waits for the client to hang up would take the deadline for
// that, and cancel the request.
type counted struct {
	io.ReadCloser
	x       *exchange
	control *http.ResponseController
}

func (c counted) Read(p []byte) (int, error) {
	n, err := c.ReadCloser.Read(p)
	c.x.in += int64(n)
	if err == io.EOF {
		_ = c.control.SetReadDeadline(time.Time{})
	}
	return n, err
}

// clean removes from text what could deceive its reader.
func clean(s string) string { return query.Clean(s) }

// shown returns text of a caller's for a log.
func shown(s string, most int) string {
	if len(s) > most {
		s = s[:most]
	}
	return clean(s)
}
