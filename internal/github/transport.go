package github

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/blq-ci/blq/store"
)

const (
	maxAnswer  = 16 << 20 // max bytes of JSON
	maxError   = 64 << 10 // max bytes of an error response
	maxTries   = 4
	apiVersion = "2022-11-28"
	accept     = "application/vnd.github+json"
)

type waiter = func(context.Context, time.Duration) error

func newTransport() http.RoundTripper {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.ResponseHeaderTimeout = 20 * time.Second
	t.DialContext = (&net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}).DialContext
	return t
}

// transport sends requests in the form that GitHub expects, retries them if a retry may succeed, and turns error
// statuses into errors.
type transport struct {
	Config
	api *url.URL
}

// RoundTrip implements http.RoundTripper. It returns an error for a status of 400 or more.
func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	left := t.Patience
	for try := 1; ; try++ {
		out, err := t.prepare(r)
		if err != nil {
			return nil, err
		}
		resp, err := t.send(out)
		if err == nil {
			return resp, nil
		}
		after, again := t.mayRetry(r, err)
		if !again || try == maxTries || after > left || late(r.Context(), after) {
			return nil, err
		}
		left -= after
		if err := t.Wait(r.Context(), after); err != nil {
			return nil, err
		}
	}
}

// prepare returns a copy of a request with its own body. Only a request to the API gets the token and the headers of
// the API. Other hosts to which the API redirects get neither.
func (t *transport) prepare(r *http.Request) (*http.Request, error) {
	out := r.Clone(r.Context())
	out.Header.Del("Authorization")
	if r.URL.Scheme == t.api.Scheme && r.URL.Host == t.api.Host {
		out.Header.Set("Accept", accept)
		out.Header.Set("X-GitHub-Api-Version", apiVersion)
		if t.Token != "" {
			out.Header.Set("Authorization", "Bearer "+t.Token)
		}
	} else {
		out.Header.Del("Accept")
		out.Header.Del("X-GitHub-Api-Version")
	}
	if r.GetBody == nil {
		return out, nil
	}
	var err error
	out.Body, err = r.GetBody()
	return out, err
}

func (t *transport) send(r *http.Request) (*http.Response, error) {
	most := maxAnswerFor(r.Context())
	ctx, cancel := context.WithTimeout(r.Context(), t.Slow+time.Duration(most>>20)*time.Second)
	resp, err := t.HTTP.RoundTrip(r.WithContext(ctx))
	if err != nil {
		cancel()
		if r.Context().Err() != nil {
			return nil, store.Later(
				store.Errorf(store.Unavailable, "GitHub did not answer in time: %w", r.Context().Err()), errorWait)
		}
		return nil, store.Later(store.Errorf(store.Unavailable, "GitHub cannot be reached: %w", err), errorWait)
	}
	resp.Body = &bounded{ReadCloser: resp.Body, left: most, ctx: ctx, cancel: cancel}
	if resp.StatusCode >= 400 {
		defer resp.Body.Close()
		return nil, t.refusal(resp)
	}
	return resp, nil
}

// mayRetry reports whether a failed request may be retried, and returns the time to wait before the retry. A request
// that was refused because of a limit was not executed. After another failure, the request may have been executed, so
// a POST request is not retried.
func (t *transport) mayRetry(r *http.Request, err error) (time.Duration, bool) {
	after, ok := store.RetryAfter(err)
	if !ok || r.Context().Err() != nil || r.Context().Value(onceKey{}) != nil {
		return 0, false
	}
	return after, store.CodeOf(err) == store.RateLimited || r.Method != http.MethodPost
}

type onceKey struct{}

// Once returns a context in which requests are not retried. It is for callers that must read the state again before
// they retry a write.
func Once(ctx context.Context) context.Context { return context.WithValue(ctx, onceKey{}, true) }

// Pause waits for the time in the error of a request, after which the caller may retry the request. It is for requests
// with a context from Once. It returns false if the error has no such time, if the retry would come too late, or if the
// context ends.
func (c *Client) Pause(ctx context.Context, err error) bool {
	after, ok := store.RetryAfter(err)
	return ok && after <= c.config.Patience && !late(ctx, after) && c.config.Wait(ctx, after) == nil
}

// late reports whether the context ends before a duration is over.
func late(ctx context.Context, d time.Duration) bool {
	deadline, ok := ctx.Deadline()
	return ok && time.Until(deadline) < d
}

type maxKey struct{}

// withMax limits the size of responses to requests with this context.
func withMax(ctx context.Context, n int64) context.Context {
	return context.WithValue(ctx, maxKey{}, n)
}

func maxAnswerFor(ctx context.Context) int64 {
	if n, ok := ctx.Value(maxKey{}).(int64); ok {
		return n
	}
	return maxAnswer
}

// bounded is the body of a response. Read returns an error if the body is larger than its max size, or if GitHub sends
// the body too slowly.
type bounded struct {
	io.ReadCloser
	left   int64
	ctx    context.Context
	cancel func()
}

func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return 0, store.Errorf(store.TooLarge, "GitHub's answer is too large")
	}
	if errors.Is(b.ctx.Err(), context.DeadlineExceeded) && err != nil && !errors.Is(err, io.EOF) {
		err = store.Later(store.Errorf(store.Unavailable, "GitHub sends its answer too slowly"), errorWait)
	}
	return n, err
}

// Close implements io.Closer.
func (b *bounded) Close() error {
	b.cancel()
	return b.ReadCloser.Close()
}

// mayRedirect allows at most four redirects. A redirect must not lead to an unencrypted address. It must not change the
// method either, because a write that became a read would seem to succeed.
func mayRedirect(r *http.Request, via []*http.Request) error {
	if len(via) >= 5 {
		return store.Errorf(store.Unavailable, "GitHub redirects without end")
	}
	if r.Method != via[0].Method {
		return store.Errorf(store.Unavailable, "GitHub redirects a %s to a %s", via[0].Method, r.Method)
	}
	if !secure(r.URL) {
		return store.Errorf(store.Unavailable, "GitHub redirects to an address that is not https")
	}
	return nil
}
