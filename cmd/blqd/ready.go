package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/blq-ci/blq/store"
)

func newReady(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:   "ready",
		Short: "Ask the service on this machine whether it is ready",
		Long: `Asks /readyz of the blqd that listens on --addr, as health checks of containers
do. Exit code 1: it does not answer, or cannot serve; what it lacks is printed.`,
		Example: `  blqd ready && echo "send requests"`,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := a.config.fromEnvironment(c.Flags(), a.getenv, addressSetting()); err != nil {
				return err
			}
			text, err := askReady(c.Context(), a.config.Addr)
			if err == nil {
				_, err = fmt.Fprintln(a.stdout, text)
			}
			return err
		},
	}
	a.config.flags(c.Flags(), addressSetting())
	return c
}

// addressSetting returns the only setting that the command ready needs.
func addressSetting() []setting {
	return slices.DeleteFunc(slices.Clone(serveSettings), func(s setting) bool { return s.name != "addr" })
}

// askReady asks the service at an address of this machine whether it is ready, and returns the answer. The error is
// Unavailable if the service does not answer, or is not ready.
func askReady(ctx context.Context, addr string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, 2*readyTimeout)
	defer cancel()
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return "", wrong("addr", fmt.Sprintf("%q is not an address with a port", addr),
			"blqd ready --addr 127.0.0.1:8080")
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	url := "http://" + net.JoinHostPort(host, port) + "/readyz"
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return "", wrong("addr", fmt.Sprintf("%q is not an address", addr), "blqd ready --addr 127.0.0.1:8080")
	}
	direct := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}} // the client must not use a proxy
	resp, err := direct.Do(req)
	if err != nil {
		return "", store.Next(store.Errorf(store.Unavailable, "nobody answers at %s: %w", url, err),
			store.Shell{Line: "blqd ready --addr ADDRESS", Why: "the --addr of blqd serve"})
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, 200))
	text := strings.TrimSpace(string(body))
	switch {
	case err != nil:
		return "", store.Errorf(store.Unavailable, "the answer of %s ended early: %w", url, err)
	case resp.StatusCode != http.StatusOK:
		return "", store.Errorf(store.Unavailable, "not ready: %s", text)
	}
	return text, nil
}
