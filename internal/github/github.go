// Package github is a client of GitHub's REST API over net/http. It waits if GitHub asks for that, limits the size of
// responses, and sends the token only to the API. The package may import store, internal/github/payload,
// internal/lazyregexp and internal/wait.
//
// Errors have codes. The code is unauthorized for an invalid token, forbidden for a missing permission, not_found,
// conflict, too_large, or invalid for any other request that GitHub refuses. The codes rate_limited and unavailable
// mean that a later try may succeed (see store.RetryAfter). Hints name the permission that a job lacks.
package github

import (
	"cmp"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/blq-ci/blq/internal/wait"
	"github.com/blq-ci/blq/store"
)

// defaultAPI is the API of github.com. The API of a GitHub Enterprise Server is https://HOST/api/v3.
const defaultAPI = "https://api." + store.DefaultHost

// Config configures a Client.
type Config struct {
	API   string // "" for defaultAPI
	Token string // "" for none
	Agent string // User-Agent, "" for blq

	// Patience is the max total time for which a call waits because GitHub asks it to. Zero means half a minute. A
	// negative Patience means no waiting.
	Patience time.Duration

	// Slow is the max time for a response, in addition to one second for each MiB of its max size. It prevents a job
	// from waiting forever. Zero means one minute.
	Slow time.Duration

	HTTP http.RoundTripper // nil for a transport with timeouts
	Now  func() time.Time  // nil for time.Now
	// Wait waits for a duration, or returns the context's error. Nil means a timer.
	Wait waiter
}

// Client calls GitHub with one token.
type Client struct {
	config Config
	api    *url.URL
	http   *http.Client
}

// New returns a client. Invalid: API is not an https URL, and not an http URL of this machine.
func New(c Config) (*Client, error) {
	u, err := url.Parse(strings.TrimRight(cmp.Or(c.API, defaultAPI), "/") + "/")
	if err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" || !secure(u) {
		return nil, store.Errorf(store.Invalid, "the address of GitHub's API must be https")
	}
	c.Agent = cmp.Or(c.Agent, "blq")
	c.Patience = cmp.Or(c.Patience, 30*time.Second)
	c.Slow = cmp.Or(c.Slow, time.Minute)
	if c.HTTP == nil {
		c.HTTP = newTransport()
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Wait == nil {
		c.Wait = wait.For
	}
	return newClient(c, u), nil
}

func newClient(c Config, api *url.URL) *Client {
	t := &transport{Config: c, api: api}
	return &Client{config: c, api: api, http: &http.Client{Transport: t, CheckRedirect: mayRedirect}}
}

// As returns a client with another token.
func (c *Client) As(token string) *Client {
	config := c.config
	config.Token = token
	return newClient(config, c.api)
}

// Host returns the host of the repositories: github.com for api.github.com. If the host of the API does not begin with
// "api.", it is also the host of the repositories.
func (c *Client) Host() string { return HostOf(c.api.String()) }

// HostOf returns the host of the repositories that belong to an API's URL.
func HostOf(api string) string {
	u, err := url.Parse(api)
	if err != nil || u.Host == "" {
		return store.DefaultHost
	}
	return strings.TrimPrefix(u.Host, "api.")
}

// secure reports whether a URL is encrypted or on loopback.
func secure(u *url.URL) bool {
	host := u.Hostname()
	return u.Scheme == "https" || u.Scheme == "http" && (host == "localhost" || host == "127.0.0.1" || host == "::1")
}
