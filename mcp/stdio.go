package mcp

import (
	"context"
	"io"

	"github.com/blq-ci/blq/mcp/transport"
)

// ServeStdio serves the client at the other end of in and out until it closes
// in, or until ctx ends.
func (s *Server) ServeStdio(ctx context.Context, in io.Reader, out io.Writer) error {
	return transport.Stdio(ctx, s.wire(), in, out)
}
