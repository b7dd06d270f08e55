package main

import (
	"context"
	"crypto/rand"
	"io"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strings"
	"time"
)

// requestIDHeader names a request in the logs of all who had to do with it.
const requestIDHeader = "X-Request-Id"

// requestTimeout bounds a request from its first byte to its last. Routes set
// narrower ones of their own.
const requestTimeout = 150 * time.Second

// workTimeout leaves time to say that it was too long.
const workTimeout = 120 * time.Second

type requestIDKey struct{}

// watched gives requests an ID and a deadline, and logs and counts them.
func watched(log *slog.Logger, m *metrics, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		id := r.Header.Get(requestIDHeader)
		if !isRequestID(id) {
			id = rand.Text()
			r.Header.Set(requestIDHeader, id)
		}
		w.Header().Set(requestIDHeader, id)
		name := routeOf(r)
		control := http.NewResponseController(w)
		if name != routeStream {
			_ = control.SetReadDeadline(began.Add(requestTimeout)) // writers of tests have none
			_ = control.SetWriteDeadline(began.Add(requestTimeout))
		}
		m.working.Inc()
		body := &countedBody{ReadCloser: r.Body}
		r.Body = body
		out := &countedWriter{ResponseWriter: w}
		ctx := context.WithValue(r.Context(), requestIDKey{}, id)
		if name != routeStream {
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeout(ctx, workTimeout)
			defer cancel()
		}
		defer func() {
			m.working.Dec()
			switch failure := recover(); failure {
			case nil:
			case http.ErrAbortHandler:
				panic(failure)
			default:
				log.ErrorContext(ctx, "panic", "path", r.URL.Path, "value", failure, "stack", string(debug.Stack()))
				if out.status == 0 {
					http.Error(out, `{"error":{"code":"internal","message":"internal error"}}`, http.StatusInternalServerError)
				}
			}
			took := time.Since(began)
			m.Request(name, r.Method, out.Status(), took, body.n, out.n)
			level := slog.LevelInfo
			if isProbe(name) {
				level = slog.LevelDebug
			}
			log.Log(ctx, level, "request", "method", clip(r.Method), "path", clip(r.URL.Path), "status", out.Status(), "seconds", took.Seconds(),
				"in", body.n, "out", out.n)
		}()
		next.ServeHTTP(out, r.WithContext(ctx))
	})
}

// isRequestID says whether an ID that a caller chose may stand in a log.
func isRequestID(id string) bool {
	return len(id) >= 8 && len(id) <= 64 && !strings.ContainsFunc(id, func(c rune) bool {
		return (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && c != '-' && c != '_' && c != '.'
	})
}

// clip bounds what a caller chose.
func clip(s string) string { return s[:min(len(s), 200)] }

// countedBody counts what is read.
type countedBody struct {
	io.ReadCloser
	n int64
}

func (b *countedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.n += int64(n)
	return n, err
}

// countedWriter counts what is written and keeps the status.
type countedWriter struct {
	http.ResponseWriter
	status int
	n      int64
}

// Status returns the status that was sent.
func (w *countedWriter) Status() int {
	if w.status == 0 {
		return http.StatusOK
	}
	return w.status
}

func (w *countedWriter) WriteHeader(status int) {
	if w.status == 0 && status >= 200 {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *countedWriter) Write(p []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	n, err := w.ResponseWriter.Write(p)
	w.n += int64(n)
	return n, err
}

// Flush implements http.Flusher, which servers of streams ask for.
func (w *countedWriter) Flush() { _ = http.NewResponseController(w.ResponseWriter).Flush() }

// Unwrap lets http.ResponseController through.
func (w *countedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
