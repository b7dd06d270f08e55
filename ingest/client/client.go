// Package client sends runs to the service and asks it questions. A Client speaks the ingest API and retries requests.
// A Pusher sends the runs of a local store, even while they run. The package may import facts, ingest/api,
// internal/wait, store and store/chunk, never an engine.
package client

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"runtime"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/blq-ci/blq/internal/wait"
	"github.com/blq-ci/blq/store"
)

// Config says which service to use and how to reach it.
type Config struct {
	URL string // URL of the service; the default scheme is https, or http for this machine
	// Token returns the credentials, or "" for none. It is called before each try, and may return another token each
	// time. Token may be nil.
	Token   func(ctx context.Context) (string, error)
	HTTP    *http.Client // nil means a client with the environment's proxy and certificates
	Version string       // version of blq, for the service's log

	Attempts int           // max tries of a request, 0 means 6
	Timeout  time.Duration // max time of one try, 0 means two minutes
	// Sleep waits between tries. If it is nil, the client waits by the clock.
	Sleep func(ctx context.Context, d time.Duration) error
}

// Client sends requests to one service. It is safe for concurrent use.
type Client struct {
	config  Config
	base    *url.URL
	http    *http.Client
	encoder *zstd.Encoder
}

const (
	defaultAttempts = 6
	defaultTimeout  = 2 * time.Minute
)

// New returns a client. The error is Invalid if the URL cannot be a service's URL.
func New(c Config) (*Client, error) {
	base, err := parseURL(c.URL)
	if err != nil {
		return nil, err
	}
	encoder, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1),
		zstd.WithLowerEncoderMem(true))
	if err != nil {
		return nil, err
	}
	c.Attempts, c.Timeout = cmp.Or(c.Attempts, defaultAttempts), cmp.Or(c.Timeout, defaultTimeout)
	if c.Sleep == nil {
		c.Sleep = wait.For
	}
	return &Client{config: c, base: base, http: hardened(c.HTTP), encoder: encoder}, nil
}

// parseURL parses the URL of a service. The error is Invalid if the URL is not an HTTP URL, or if the URL has a user, a
// password, a query or a fragment.
func parseURL(s string) (*url.URL, error) {
	text := strings.TrimSpace(s)
	if text != "" && !strings.Contains(text, "://") {
		scheme := "https://"
		if isLocal(text) {
			scheme = "http://"
		}
		text = scheme + text
	}
	example := store.NewCall("status", "", "remote", "https://blq.example.com")
	u, err := url.Parse(text)
	switch {
	case err != nil, u.Host == "", u.Scheme != "http" && u.Scheme != "https":
		return nil, store.Next(store.Errorf(store.Invalid, "that is no URL of a server"), example)
	case u.User != nil:
		return nil, store.Next(store.Errorf(store.Invalid, "the URL of a server must not hold a password"),
			store.Shell{Line: "export BLQ_TOKEN=…", Why: "in its place"})
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return nil,
			store.Next(store.Errorf(store.Invalid, "the URL of a server ends with its path: nothing after ? or #"), example)
	}
	u.Path, u.RawPath = strings.TrimRight(u.Path, "/"), ""
	return u, nil
}

// isLocal reports whether host:port/path is on this machine.
func isLocal(s string) bool {
	for _, host := range []string{"localhost", "127.0.0.1", "[::1]"} {
		if rest, ok := strings.CutPrefix(s, host); ok && (rest == "" || rest[0] == ':' || rest[0] == '/') {
			return true
		}
	}
	return false
}

// URL returns the URL of the service.
func (c *Client) URL() string { return c.base.String() }

// userAgent returns the name of this client for the service's log.
func (c *Client) userAgent() string {
	return "blq/" + cmp.Or(c.config.Version, "dev") + " (" + runtime.GOOS + "; " + runtime.GOARCH + ")"
}
