// Package transport carries the messages of an MCP server. There are three transports: HTTP with the Streamable
// transport of all revisions, HTTP with server-sent events for older clients, and a pair of streams.
//
// The package makes checks that the protocol's library does not make: origins of pages, sizes, malformed messages and
// panics. It also serves clients that do not send initialize. It knows no tools, so it can serve any server that is
// made with the library.
package transport

import (
	"cmp"
	"log/slog"
	"time"
)

// Config is the configuration of a transport.
type Config struct {
	Server *Server
	Log    *slog.Logger // nil means no log

	MaxBytes int           // max size of a message in bytes, 0 means defaultMaxBytes
	Timeout  time.Duration // max time for an answer, 0 means defaultTimeout
}

// These are the default limits of a request.
const (
	defaultMaxBytes = 4 << 20
	// defaultTimeout is longer than the longest wait of a tool.
	defaultTimeout = 2 * time.Minute
)

func (c Config) withDefaults() Config {
	c.MaxBytes = cmp.Or(c.MaxBytes, defaultMaxBytes)
	c.Timeout = cmp.Or(c.Timeout, defaultTimeout)
	c.Log = cmp.Or(c.Log, slog.New(slog.DiscardHandler))
	return c
}
