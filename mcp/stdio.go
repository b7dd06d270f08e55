package mcp

import (
	"context"
	"io"

	"github.com/blq-ci/blq/mcp/transport"
)

// ServeStdio serves one client. The client writes to in and reads from out. ServeStdio returns when in ends or ctx
// ends.
func (s *Server) ServeStdio(ctx context.Context, in io.Reader, out io.Writer) error {
	return transport.Stdio(ctx, s.wire(), in, out)
}
