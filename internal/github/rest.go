package github

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/blq-ci/blq/store"
)

// errAccepted is the error for a request that GitHub processes later. Its response has no data yet.
var errAccepted = store.Later(store.Errorf(store.Unavailable, "GitHub answers 202 Accepted: it is at work on this"),
	errorWait)

// do sends a request to a path of the API. The path may have a query. The body is sent as JSON, unless body is nil. The
// response is decoded from JSON into answer, unless answer is nil.
func (c *Client) do(ctx context.Context, method, path string, body, answer any) error {
	_, err := c.ask(ctx, method, path, body, answer)
	return err
}

// ask is like do, and also returns the headers of the response.
func (c *Client) ask(ctx context.Context, method, path string, body, answer any) (http.Header, error) {
	resp, err := c.send(ctx, method, path, body)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if answer == nil || resp.StatusCode == http.StatusNoContent {
		return resp.Header, nil
	}
	err = json.NewDecoder(resp.Body).Decode(answer)
	if errors.Is(err, io.EOF) && method != http.MethodGet {
		err = nil // the request was executed; only reads need a body
	}
	return resp.Header, err
}

// copy writes the text at a path of the API. It follows redirects.
func (c *Client) copy(ctx context.Context, path string, to io.Writer) error {
	resp, err := c.send(ctx, http.MethodGet, path, nil)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, err = io.Copy(to, resp.Body)
	return err
}

// send returns GitHub's response if its status is 200 to 299, but not 202. For 202 it returns errAccepted.
func (c *Client) send(ctx context.Context, method, path string, body any) (*http.Response, error) {
	r, err := c.request(ctx, method, path, body)
	if err != nil {
		return nil, err
	}
	resp, err := c.http.Do(r)
	if outer := (*url.Error)(nil); errors.As(err, &outer) {
		err = outer.Err // without method and address, because the address may be a signed redirect
	}
	if err != nil {
		return nil, err
	}
	s := resp.StatusCode
	if s >= 200 && s < 300 && s != http.StatusAccepted {
		return resp, nil
	}
	defer resp.Body.Close()
	if s == http.StatusAccepted {
		return nil, errAccepted
	}
	return nil, store.Later(store.Errorf(store.Unavailable, "GitHub answers %s", resp.Status), errorWait)
}

func (c *Client) request(ctx context.Context, method, path string, body any) (*http.Request, error) {
	var sent io.Reader
	if body != nil {
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		if err := e.Encode(body); err != nil {
			return nil, err
		}
		sent = &b // a type that net/http can send again
	}
	r, err := http.NewRequestWithContext(ctx, method, c.api.String()+path, sent)
	if err != nil || r.URL.Fragment != "" || !isPlain(strings.TrimPrefix(r.URL.Path, c.api.Path)) {
		return nil, store.Errorf(store.Invalid, "%q is not a path of GitHub's API", clip(path))
	}
	r.Header.Set("User-Agent", c.config.Agent)
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	return r, nil
}

// isPlain reports whether an unescaped path has no empty, . or .. elements. Such elements could lead to another path.
func isPlain(path string) bool {
	for part := range strings.SplitSeq(path, "/") {
		if part == "" || part == "." || part == ".." {
			return false
		}
	}
	return true
}
