package mcp

import (
	"context"
	"io"

	"github.com/blq-ci/blq/mcp/transport"
)

// ServeStdio serves one client, which writes to in and reads from out. It returns when in ends or ctx ends.
func (s *Server) ServeStdio(ctx context.Context, in io.Reader, out io.Writer) error {
	return transport.Stdio(ctx, s.wire(), in, out)
}
