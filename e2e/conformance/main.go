// Command conformance serves the fixtures for MCP's conformance suite, behind the same transports as blq. It is only
// for tests. It lacks features that blq does not use: requests to the client, subscriptions and tasks. The scenarios of
// these features fail. They are listed in e2e/expected-*.yml.
package main

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"syscall"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

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
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	return transport.NewHandler(transport.Config{Server: fixtures(log), Log: log}, transport.HTTPConfig{}).Serve(ctx, l)
}

func fixtures(log *slog.Logger) *transport.Server {
	s := transport.NewServer(&sdk.Implementation{Name: "conformance", Version: "1"}, sdk.ServerOptions{
		Capabilities: &sdk.ServerCapabilities{
			Logging: &sdk.LoggingCapabilities{}, //nolint:staticcheck // the suite asks for logging
			Tools:   &sdk.ToolCapabilities{}, Prompts: &sdk.PromptCapabilities{},
		},
		SetCacheable: func(_ context.Context, _ sdk.Request, c *sdk.Cacheable) {
			c.TTLMs, c.CacheScope = 60_000, "private"
		},
		SubscribeHandler:   func(context.Context, *sdk.SubscribeRequest) error { return nil },
		UnsubscribeHandler: func(context.Context, *sdk.UnsubscribeRequest) error { return nil },
		CompletionHandler: func(context.Context, *sdk.CompleteRequest) (*sdk.CompleteResult, error) {
			return &sdk.CompleteResult{Completion: sdk.CompletionResultDetails{Values: []string{}}}, nil
		},
	}, log)
	addTools(s)
	addResources(s)
	addPrompts(s)
	return s
}
