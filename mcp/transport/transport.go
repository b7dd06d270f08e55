// Package transport carries the messages of an MCP server: over HTTP with the
// Streamable transport of all revisions, over HTTP with server-sent events for
// older clients, and over a pair of streams. It guards what the protocol's
// library leaves open (who may call from a browser, sizes, malformed messages,
// panics) and knows no tool: any server of the library can be put behind it.
package transport

import (
	"cmp"
	"log/slog"
	"time"

	"github.com/mark3labs/mcp-go/server"
)

// Config is what all transports need.
type Config struct {
	Server *server.MCPServer
	// Explain returns the error that a client is told instead of the library's
	// own, nil to tell that.
	Explain func(Error) Error
	Log     *slog.Logger // nil for none

	MaxBytes int           // that a message may have, 0 for defaultMaxBytes
	Timeout  time.Duration // within which a request is answered, 0 for defaultTimeout
}

// Limits unless the configuration has others.
const (
	defaultMaxBytes = 4 << 20
	// defaultTimeout is longer than any tool waits.
	defaultTimeout = 2 * time.Minute
)

func (c Config) withDefaults() Config {
	c.MaxBytes = cmp.Or(c.MaxBytes, defaultMaxBytes)
	c.Timeout = cmp.Or(c.Timeout, defaultTimeout)
	c.Log = cmp.Or(c.Log, slog.New(slog.DiscardHandler))
	if c.Explain == nil {
		c.Explain = func(e Error) Error { return e }
	}
	return c
}
