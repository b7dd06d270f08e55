package client

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/blq-ci/blq/store"
)

// request is a request that may be sent again, because all requests are idempotent.
type request struct {
	method string
	path   string // below the service's URL
	query  url.Values
	header map[string]string
	body   []byte
}

// maxAnswer is the max size in bytes of an answer.
const maxAnswer = 256 << 20

// call sends a request. If target is not nil, call decodes the answer into it.
func (c *Client) call(ctx context.Context, r request, target any) error {
	return c.tries(ctx, func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, c.config.Timeout)
		defer cancel()
		res, err := c.once(ctx, r)
		if err != nil {
			return err
		}
		defer res.Body.Close()
		text, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer+1))
		switch {
		case err != nil:
			return c.offline(ctx, err)
		case len(text) > maxAnswer:
			return store.Errorf(store.TooLarge, "the answer of %s is larger than %d MB", c.base.Host, maxAnswer>>20)
		case target == nil:
			return nil
		}
		d := json.NewDecoder(bytes.NewReader(text))
		d.UseNumber() // numbers keep their digits
		if err := d.Decode(target); err != nil {
			return c.notFromService(res, err)
		}
		return nil
	})
}

// notFromService returns the error for a response that does not come from blqd. For example, a proxy may have sent
// it.
func (c *Client) notFromService(res *http.Response, err error) error {
	return store.Hint(store.Errorf(store.Unavailable, "%s answered %d with something that is not blqd's JSON: %w",
		c.base.Host, res.StatusCode, err),
		"is %s the URL of a blqd?", c.base)
}

// once sends a request. It returns the answer if the status is a success.
func (c *Client) once(ctx context.Context, r request) (*http.Response, error) {
	u := *c.base
	u.Path += r.path
	u.RawQuery = r.query.Encode()
	req, err := http.NewRequestWithContext(ctx, r.method, u.String(), bytes.NewReader(r.body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("User-Agent", c.userAgent())
	req.Header.Set("Accept", "application/json")
	for key, value := range r.header {
		req.Header.Set(key, value)
	}
	if err := c.authorize(ctx, req); err != nil {
		return nil, err
	}
	res, err := c.http.Do(req)
	if err != nil {
		return nil, c.offline(ctx, err)
	}
	if res.StatusCode >= 200 && res.StatusCode < 300 {
		return res, nil
	}
	defer res.Body.Close()
	return nil, c.refusal(res)
}

func (c *Client) authorize(ctx context.Context, req *http.Request) error {
	if c.config.Token == nil {
		return nil
	}
	token, err := c.config.Token(ctx)
	if err != nil {
		return fmt.Errorf("get a token: %w", err)
	}
	if token == "" {
		return nil
	}
	if clean(token) != token {
		return store.Next(store.Errorf(store.Invalid, "the token has characters that no token may have"),
			store.Shell{Line: "export BLQ_TOKEN=…", Why: "without quotes or line ends in it"})
	}
	req.Header.Set("Authorization", "Bearer "+token)
	return nil
}

// tries calls do until it succeeds, fails for good, or all tries are used up.
func (c *Client) tries(ctx context.Context, do func(context.Context) error) error {
	for try := 1; ; try++ {
		err := do(ctx)
		after, later := store.RetryAfter(err)
		if !later {
			return err
		}
		if ctx.Err() != nil || try >= c.config.Attempts {
			return err
		}
		wait := max(backoff(try), after)
		if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) < wait {
			return err
		}
		if c.config.Sleep(ctx, wait) != nil {
			return err
		}
	}
}
