// Package github is all that blq knows of GitHub's REST API: some twenty calls
// over google/go-github, whose types do not leave it. It waits where GitHub asks
// for it, reads no more than it should, and shows a token to nobody but the API.
// It may import store.
//
// Errors have codes: Unauthorized for a token that GitHub does not take,
// Forbidden for one that may not do this, NotFound, Invalid for what GitHub
// cannot process, RateLimited and Unavailable for what may go well later, see
// RetryAfter. Their hints say what to give a job that lacks a permission.
package github

import (
	"cmp"
	"net/http"
	"net/url"
	"strings"
	"time"

	gh "github.com/google/go-github/v60/github"

	"github.com/blq-ci/blq/store"
)

// DefaultAPI is the API of github.com. That of a GitHub Enterprise Server is
// https://HOST/api/v3.
const DefaultAPI = "https://api." + store.DefaultHost

// Config says where GitHub is and who asks.
type Config struct {
	API   string // "" for DefaultAPI
	Token string // "" for none
	Agent string // what asks, "" for blq

	// Patience is how long a call may wait in all where GitHub says "later", 0 for
	// half a minute, less than 0 for not at all.
	Patience time.Duration

	HTTP http.RoundTripper // nil for one with timeouts
	Now  func() time.Time  // nil for time.Now
	// Wait waits, or returns the context's error; nil for a timer.
	Wait waiter
}

// Client asks GitHub with one token.
type Client struct {
	config Config
	api    *url.URL
	http   *http.Client
	gh     *gh.Client
}

// New returns a client. Invalid: API is no https URL.
func New(c Config) (*Client, error) {
	u, err := url.Parse(strings.TrimRight(cmp.Or(c.API, DefaultAPI), "/") + "/")
	if err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" || !secure(u) {
		return nil, store.Errorf(store.Invalid, "the address of GitHub's API must be https")
	}
	c.Agent = cmp.Or(c.Agent, "blq")
	c.Patience = cmp.Or(c.Patience, 30*time.Second)
	if c.HTTP == nil {
		c.HTTP = newTransport()
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Wait == nil {
		c.Wait = wait
	}
	return newClient(c, u), nil
}

func newClient(c Config, api *url.URL) *Client {
	t := &transport{Config: c, api: api}
	client := &Client{config: c, api: api, http: &http.Client{Transport: t, CheckRedirect: mayRedirect}}
	client.gh = gh.NewClient(client.http)
	client.gh.BaseURL, client.gh.UserAgent = api, c.Agent
	return client
}

// As returns a client that asks with another token.
func (c *Client) As(token string) *Client {
	config := c.config
	config.Token = token
	return newClient(config, c.api)
}

// Host returns the host that the API's repositories are at: github.com for
// api.github.com, and that of the server for others.
func (c *Client) Host() string { return HostOf(c.api.String()) }

// HostOf returns the host that the repositories of an API are at.
func HostOf(api string) string {
	u, err := url.Parse(api)
	if err != nil || u.Host == "" {
		return store.DefaultHost
	}
	return strings.TrimPrefix(u.Host, "api.")
}

// secure says whether nobody on the way can read along.
func secure(u *url.URL) bool {
	host := u.Hostname()
	return u.Scheme == "https" || u.Scheme == "http" && (host == "localhost" || host == "127.0.0.1" || host == "::1")
}
