//go:build !job

package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/blq-ci/blq/internal/cmdline"
	"github.com/blq-ci/blq/internal/httpserver"
	"github.com/blq-ci/blq/internal/project/backend"
	"github.com/blq-ci/blq/query/questions"
	"github.com/blq-ci/blq/web"
)

func newUI(a *app) *cobra.Command {
	addr, quiet := "127.0.0.1:0", false
	c := &cobra.Command{
		Use:   "ui",
		Short: "Show runs, errors and logs in a browser",
		Long: `Serves pages on this machine until Ctrl-C. It prints a link, which opens them once;
the browser then keeps a cookie. Nobody else on the machine can look.`,
		Example: `  blq ui
  blq ui --addr 127.0.0.1:8080 --no-open`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return a.serveUI(c.Context(), addr, !quiet) },
	}
	c.Flags().StringVar(&addr, "addr", addr, "listen at `HOST:PORT`, a loopback address; port 0 takes a free one")
	c.Flags().BoolVar(&quiet, "no-open", false, "only print the link")
	return c
}

func (a *app) serveUI(ctx context.Context, addr string, open bool) error {
	if !httpserver.IsLoopback(addr) {
		return usage{fmt.Errorf("--addr is %q, and has to be on this machine: the pages show logs to whoever has the link; "+
			"blqd serves pages to others", addr)}
	}
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return fmt.Errorf("listen for the browser: %w", err)
	}
	cwd, err := os.Getwd()
	if err != nil {
		return err
	}
	a.backend = backend.New(a.getenv, cwd)
	site := &web.Site{Name: "blq", Source: func(r *http.Request) (web.Source, error) {
		asker, err := a.backend.Ask(r.Context())
		return questions.Local{Asker: asker, Line: cmdline.Words}, err
	}}
	gate, link := web.OneLink(site.Handler(), "http://"+l.Addr().String())
	fmt.Fprintf(a.stdout, "%s\n", link)
	fmt.Fprintln(a.stderr, "blq: open this link once; stop with Ctrl-C")
	if open && a.onTerminal() {
		openBrowser(ctx, link)
	}
	s := &http.Server{Handler: gate, ReadHeaderTimeout: 10 * time.Second}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, func() { _ = s.Close() })
	if err := s.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// onTerminal reports whether the output is a terminal.
func (a *app) onTerminal() bool {
	f, ok := a.stdout.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// openBrowser asks the system to open a link. It reports no error, because the link is also printed.
func openBrowser(ctx context.Context, link string) {
	name, args := "xdg-open", []string{link}
	switch runtime.GOOS {
	case "darwin":
		name = "open"
	case "windows":
		name, args = "rundll32", []string{"url.dll,FileProtocolHandler", link}
	}
	c := exec.CommandContext(ctx, name, args...)
	if c.Start() == nil {
		go func() { _ = c.Wait() }()
	}
}
