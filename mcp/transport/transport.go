// Package transport carries the messages of an MCP server. It uses HTTP with the Streamable transport of all revisions,
// HTTP with server-sent events for older clients, or a pair of streams.
//
// It makes checks that the protocol's library lacks: origins of pages, sizes, malformed messages, panics. It serves
// clients that do not initialize. It knows no tools, so it can serve any server of the library.
package transport

import (
	"cmp"
	"log/slog"
	"time"
)

// Config holds what all transports need.
type Config struct {
	Server *Server
	Log    *slog.Logger // nil logs nothing

	MaxBytes int           // max size of a message, 0 means DefaultMaxBytes
	Timeout  time.Duration // max time for an answer, 0 means DefaultTimeout
}

// These are the default limits.
const (
	defaultMaxBytes = 4 << 20
	// defaultTimeout is longer than any tool waits.
	defaultTimeout = 2 * time.Minute
)

func (c Config) withDefaults() Config {
	c.MaxBytes = cmp.Or(c.MaxBytes, defaultMaxBytes)
	c.Timeout = cmp.Or(c.Timeout, defaultTimeout)
	c.Log = cmp.Or(c.Log, slog.New(slog.DiscardHandler))
	return c
}
