package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"runtime"
	"runtime/debug"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/blq-ci/blq/store"
)

func newServe(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:   "serve",
		Short: "Receive runs and answer questions",
		Long: `Serves runs at /v1, and MCP at /mcp, for older clients at /sse. Without settings
it keeps runs in SQLite and files, listens on this machine only, and everybody
on this machine may use it. With --database-url and --blobs any number of
replicas serve the same runs.

It stops on SIGTERM or Ctrl-C when the requests at work are answered; a second
signal stops it at once.`,
		Example: `  blqd serve
  BLQ_DATABASE_URL=postgres://blq@db/blq BLQ_BLOBS=gs://logs/blq blqd serve --addr :8080 --public-url https://blq.example.com`,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := a.configure(c, append(placeSettings, serveSettings...)); err != nil {
				return err
			}
			if err := a.config.check(); err != nil {
				return err
			}
			return a.serve(c.Context())
		},
	}
	a.config.flags(c.Flags(), serveSettings)
	return c
}

// moreThreads is the number of threads that run Go code, in addition to one thread for each processor. Go lets a
// goroutine run for 10 ms before another goroutine gets the thread. With more threads, a short request gets a
// processor sooner, because the operating system switches between threads.
const moreThreads = 2

// These are sizes in bytes of memory that the service needs in addition to the memory for bodies and texts. baseMemory
// is for the caches and the program itself, and answerMemory is for the answers to statements.
const (
	baseMemory   = 128 << 20
	answerMemory = 64 << 20
)

// memory returns the soft limit of the service's memory in bytes. Near this limit, Go collects garbage more often.
// Without the limit, garbage may take as much memory as the live data.
func (c *Config) memory() int64 { return baseMemory + answerMemory + int64(c.Limits.MemoryMB)<<20 }

// serve runs the service until ctx ends.
func (a *app) serve(ctx context.Context) error {
	if a.getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(runtime.GOMAXPROCS(0) + moreThreads)
	}
	if a.getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(a.config.memory())
	}
	log := newLog(a.stderr, &a.config)
	p, err := a.open(ctx)
	if err != nil {
		return err
	}
	defer p.Close()
	if m, ok := p.store.(migrator); ok && a.config.Migrate {
		if err := m.Migrate(ctx); err != nil {
			return err
		}
	}
	s, err := newService(&a.config, p, log)
	if err != nil {
		return err
	}
	main, err := listen(a.config.Addr)
	if err != nil {
		return err
	}
	public := s.capped(main)
	listeners := []listener{{public, public.handler(s.handler()), public.context}}
	if a.config.MetricsAddr != "" {
		metrics, err := listen(a.config.MetricsAddr)
		if err != nil {
			return errors.Join(err, main.Close())
		}
		listeners = append(listeners, listener{metrics, s.metricsHandler(), nil})
	}
	a.greet(main.Addr())
	log.InfoContext(ctx, "serving", "addr", main.Addr().String(), "database", a.config.databaseName(),
		"logs", redactURL(a.config.blobsURL()), "open", a.config.open(), "version", version)
	err = s.run(ctx, listeners)
	log.InfoContext(ctx, "stopped")
	return err
}

// listen listens on an address. The error tells the operator what to do.
func listen(addr string) (net.Listener, error) {
	l, err := net.Listen("tcp", addr)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, store.Next(fmt.Errorf("%s is in use", addr),
			store.Shell{Line: "blqd serve --addr 127.0.0.1:0", Why: "takes a free port"})
	case errors.Is(err, os.ErrPermission):
		return nil, store.Next(fmt.Errorf("%s may not be used by this user", addr),
			store.Shell{Line: "blqd serve --addr 127.0.0.1:8080"})
	case err != nil:
		return nil, store.Next(fmt.Errorf("cannot listen: %w", err), store.Shell{Line: "blqd serve --addr 127.0.0.1:8080"})
	}
	return l, nil
}

// warnings returns warnings about settings that are valid but may not be intended.
func (c *Config) warnings() []string {
	var list []string
	if c.open() && !onLoopback(c.Addr) {
		list = append(list, "everybody who reaches "+c.Addr+" may read and change everything: --auth none")
	}
	if !c.open() && c.Audience == "" && c.PublicURL == "" {
		list = append(list, "jobs cannot show OIDC tokens of GitHub Actions: set --public-url or --audience, so that "+
			"their tokens are for this service")
	}
	if c.Database != "" && c.Blobs == "" {
		list = append(list, "logs are kept in files of this machine, which other replicas do not see: set --blobs")
	}
	if c.Database == "" && c.Blobs != "" {
		list = append(list, "runs are kept in SQLite on this machine, which other replicas do not see: set --database-url")
	}
	if c.Webhook == "" && c.OwnerHooks == "" && !c.open() {
		list = append(list, "webhooks of GitHub are refused: set "+envName("webhook-secret")+
			" to take them; without them runs of cancelled jobs are orphaned after a while")
	}
	return list
}

func warn(ctx context.Context, log *slog.Logger, c *Config) {
	for _, w := range c.warnings() {
		log.WarnContext(ctx, "setting", "warning", w)
	}
}
