package mcp

import (
	"context"
	"net"

	"github.com/blq-ci/blq/mcp/transport"
)

// HTTPConfig configures who may call over HTTP, and how.
type HTTPConfig = transport.HTTPConfig

// Handler serves the protocol at /mcp. For older clients, it also serves /sse and /message. Middleware before the
// handler must identify the caller, and put the caller into the request's context for Config.Ask. Call Close before the
// server stops, to end the event streams.
func (s *Server) Handler(c HTTPConfig) *transport.Handler { return transport.NewHandler(s.wire(), c) }

// ServeHTTP serves on a listener until ctx ends, and lets requests finish.
func (s *Server) ServeHTTP(ctx context.Context, l net.Listener, c HTTPConfig) error {
	return transport.NewHandler(s.wire(), c).Serve(ctx, l)
}

func (s *Server) wire() transport.Config {
	return transport.Config{Server: s.sdk, Log: s.log}
}
