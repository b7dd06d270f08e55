//go:build !job

package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"strconv"
	"syscall"

	"golang.org/x/term"

	"github.com/blq-ci/blq/internal/shellword"
	"github.com/blq-ci/blq/mcp"
	"github.com/blq-ci/blq/store"
)

// serveHTTP listens, prints the address, and serves until ctx ends.
func (a *app) serveHTTP(ctx context.Context, s *mcp.Server, f serveFlags) error {
	l, err := net.Listen("tcp", net.JoinHostPort(f.host, strconv.Itoa(f.port)))
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return store.Next(fmt.Errorf("port %d of %s is in use", f.port, f.host),
			store.NewCall("mcp_serve", "", "transport", f.transport, "port", f.port+1))
	case errors.Is(err, os.ErrPermission):
		return store.Next(fmt.Errorf("port %d of %s may not be used by this user", f.port, f.host),
			store.NewCall("mcp_serve", "", "transport", f.transport, "port", 8080))
	case err != nil:
		return store.Next(fmt.Errorf("cannot listen on %s: %w", shellword.Quote(f.host), err),
			store.NewCall("mcp_serve", "", "transport", f.transport, "host", "127.0.0.1"))
	}
	a.announce(l.Addr(), f)
	context.AfterFunc(ctx, func() {
		fmt.Fprintln(a.stderr, "blq: stopping when the requests at work are answered; a second signal stops at once")
	})
	return s.ServeHTTP(ctx, l, mcp.HTTPConfig{})
}

// announce prints the address of the server, and how a client connects.
func (a *app) announce(addr net.Addr, f serveFlags) {
	at, err := netip.ParseAddrPort(addr.String())
	if err != nil {
		return
	}
	host := at.Addr()
	if host.IsUnspecified() {
		host = netip.AddrFrom4([4]byte{127, 0, 0, 1})
	}
	base := "http://" + netip.AddrPortFrom(host, at.Port()).String()
	url := base + "/mcp"
	if f.transport == "sse" {
		url = base + "/sse"
	}
	fmt.Fprintf(a.stderr, "blq: serving MCP at %s/mcp, for older clients at %s/sse; stop with Ctrl-C\n", base, base)
	fmt.Fprintf(a.stderr, "  Claude Code:  claude mcp add --transport %s blq %s\n", f.transport, url)
	fmt.Fprintf(a.stderr, "  by hand:      npx @modelcontextprotocol/inspector --cli %s --transport %s --method "+
		"tools/list\n", url, f.transport)
	if !at.Addr().IsLoopback() {
		fmt.Fprintln(a.stderr, "blq: whoever reaches this port can use every tool, there is no authentication: prefer "+
			"--safe-mode, or listen on 127.0.0.1")
	}
}

// greetPeople tells a person who starts the server by hand that the server waits for a client.
func (a *app) greetPeople() {
	if f, ok := a.stdin.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		fmt.Fprintln(
			a.stderr, "blq: serving MCP on stdin and stdout, which is for clients; blq mcp install tells them, Ctrl-D ends this")
	}
}
