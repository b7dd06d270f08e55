package main

import (
	"context"
	"io"
	"log/slog"

	"github.com/blq-ci/blq/internal/httpserver"
)

// newLog returns the log of the service. It writes JSON lines with the ID of the request, and removes secrets of the
// configuration.
func newLog(w io.Writer, c *Config) *slog.Logger {
	return slog.New(contextual{slog.NewJSONHandler(w, &slog.HandlerOptions{
		Level: levels[c.LogLevel],
		ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			switch v := a.Value.Any().(type) {
			case string:
				a.Value = slog.StringValue(c.redact(v))
			case error:
				a.Value = slog.StringValue(c.redact(v.Error()))
			}
			return a
		},
	})})
}

// contextual is a slog.Handler that adds the ID of the request to log lines.
type contextual struct{ slog.Handler }

// Handle implements slog.Handler.
func (h contextual) Handle(ctx context.Context, r slog.Record) error {
	if id := httpserver.RequestID(ctx); id != "" {
		r.AddAttrs(slog.String("request", id))
	}
	return h.Handler.Handle(ctx, r)
}

// WithAttrs implements slog.Handler.
func (h contextual) WithAttrs(a []slog.Attr) slog.Handler {
	return contextual{h.Handler.WithAttrs(a)}
}

// WithGroup implements slog.Handler.
func (h contextual) WithGroup(name string) slog.Handler {
	return contextual{h.Handler.WithGroup(name)}
}
