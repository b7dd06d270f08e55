package mcp

import (
	"context"
	"io"

	"github.com/blq-ci/blq/mcp/transport"
)

// ServeStdio serves one client. The client's messages come from the reader in, and the answers go to the writer out.
// ServeStdio returns at the end of the messages, or when ctx ends.
func (s *Server) ServeStdio(ctx context.Context, in io.Reader, out io.Writer) error {
	return transport.Stdio(ctx, s.wire(), in, out)
}
