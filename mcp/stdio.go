package mcp

import (
	"context"
	"io"

	"github.com/blq-ci/blq/internal/wire"
)

// ServeStdio serves the client at the other end of in and out until it closes
// in, or until ctx ends.
func (s *Server) ServeStdio(ctx context.Context, in io.Reader, out io.Writer) error {
	return wire.Stdio(ctx, s.wire(), in, out)
}
