package transport

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/blq-ci/blq/internal/httpserver"
)

// grace is the max time for open requests after the server has begun to stop. It is longer than the time that a tool
// waits for a command if the client gets no progress reports.
const grace = 50 * time.Second

// Serve serves until ctx ends. Then it accepts no new connections, ends the event streams, and waits a limited time for
// open requests.
func (h *Handler) Serve(ctx context.Context, l net.Listener) error {
	s := httpserver.New(h, h.Log, slog.LevelWarn)
	s.RegisterOnShutdown(h.Close)
	stopped := make(chan error, 1)
	go func() {
		<-ctx.Done()
		bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
		defer cancel()
		stopped <- s.Shutdown(bounded)
	}()
	if err := s.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	if err := <-stopped; err != nil {
		return errors.Join(err, s.Close())
	}
	return nil
}
