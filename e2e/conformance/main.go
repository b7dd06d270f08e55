// Command conformance serves the fixtures that the protocol's conformance suite needs, behind the
// same transports as blq. It is for tests only. It lacks what blq does not use (requests to the
// client, subscriptions, tasks); those scenarios are in the files of expected failures.
package main

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"syscall"

	"github.com/mark3labs/mcp-go/server"

	"github.com/blq-ci/blq/mcp/transport"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "conformance:", err)
		os.Exit(1)
	}
}

func run() error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Printf("http://%s/mcp\n", l.Addr())
	c := transport.Config{Server: fixtures(), Log: slog.New(slog.NewTextHandler(os.Stderr, nil))}
	return transport.NewHandler(c, transport.HTTPConfig{}).Serve(ctx, l)
}

func fixtures() *server.MCPServer {
	s := server.NewMCPServer("conformance", "1",
		server.WithToolCapabilities(false), server.WithResourceCapabilities(true, false), server.WithPromptCapabilities(false),
		server.WithCompletions(), server.WithLogging(), server.WithCacheHints(60_000, "private"))
	addTools(s)
	addResources(s)
	addPrompts(s)
	return s
}
