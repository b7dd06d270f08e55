package client

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode"

	"github.com/blq-ci/blq/ingest/api"
	"github.com/blq-ci/blq/store"
)

// codes maps an HTTP status to an error code, for responses without a code.
var codes = map[int]store.Code{
	http.StatusBadRequest: store.Invalid, http.StatusUnauthorized: store.Unauthorized,
	http.StatusForbidden: store.Forbidden,
	http.StatusNotFound:  store.NotFound, http.StatusConflict: store.Conflict,
	http.StatusRequestEntityTooLarge: store.TooLarge,
	http.StatusTooManyRequests:       store.RateLimited, http.StatusBadGateway: store.Unavailable,
	http.StatusServiceUnavailable: store.Unavailable, http.StatusGatewayTimeout: store.Unavailable,
	http.StatusInsufficientStorage: store.Full,
}

// internal is the code that a service sends if an error has no code of its own.
const internal = "internal"

// refusal returns the error that an answer describes. It is a store.Later if another try within maxAsked may succeed.
func (c *Client) refusal(res *http.Response) error {
	text, _ := io.ReadAll(io.LimitReader(res.Body, api.MaxJSON)) // the beginning is enough
	err := c.describedError(res, text)
	switch res.StatusCode {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		if after := retryAfter(res.Header, time.Now()); after <= maxAsked {
			return store.Later(err, after)
		}
	}
	return err
}

// describedError returns the error that an answer describes. If the answer describes none, it makes an error from the
// status.
func (c *Client) describedError(res *http.Response, text []byte) error {
	var body api.Error
	if json.Unmarshal(text, &body) != nil || body.Error.Message == "" {
		return c.advise(store.Errorf(codes[res.StatusCode], "%s answered %d %s", c.base.Host, res.StatusCode,
			http.StatusText(res.StatusCode)))
	}
	code := body.Error.Code
	if code == internal {
		code = ""
	}
	err := store.Errorf(code, "%s", clip(clean(body.Error.Message)))
	switch problem := body.Error; {
	case code == store.Unauthorized:
	case len(problem.Calls) > 0:
		return store.Next(err, problem.Calls[0].Map(func(s string) string { return clip(clean(s)) }))
	case len(problem.NextSteps) > 0:
		return store.Hint(err, "%s", clip(clean(problem.NextSteps[0])))
	}
	return c.advise(err)
}

// advise adds a next step to an error, chosen by the error's code.
func (c *Client) advise(err error) error {
	if store.CodeOf(err) == store.Unauthorized {
		return store.Next(err, store.Shell{Line: "export BLQ_TOKEN=…", Why: "a token of " + c.base.Host})
	}
	return err
}

// offline returns the error for a request that got no answer. The error is a store.Later if another try may succeed.
func (c *Client) offline(ctx context.Context, err error) error {
	var coded *store.Error
	if errors.As(err, &coded) {
		return err // the caller cancelled the request
	}
	var outer *url.Error
	if errors.As(err, &outer) {
		err = outer.Err // without the URL, because the message already has the URL
	}
	if ctx.Err() != nil || errors.Is(err, context.DeadlineExceeded) {
		err = errors.New("no answer in time")
	}
	unreachable := store.Hint(store.Errorf(store.Unavailable, "cannot reach %s: %w", c.base, err),
		"check the address, and that the server is up and this machine may reach it")
	if lasting(err) {
		return unreachable
	}
	return store.Later(unreachable, 0)
}

// lasting reports whether further tries would certainly end with the same network error.
func lasting(err error) bool {
	var certificate *tls.CertificateVerificationError
	var authority x509.UnknownAuthorityError
	var host x509.HostnameError
	var record tls.RecordHeaderError
	return errors.As(err, &certificate) || errors.As(err, &authority) || errors.As(err, &host) ||
		errors.As(err, &record) ||
		strings.Contains(err.Error(), "server gave HTTP response to HTTPS client")
}

// Passing reports whether an error of a Client may disappear after some time.
func Passing(err error) bool {
	switch store.CodeOf(err) {
	case store.Unavailable, store.RateLimited, store.Full:
		return !lasting(err)
	case "":
		return true // an internal error of the client or the service
	}
	return false
}

// clean removes control characters, because a terminal would interpret them.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, s)
}

// clip shortens a text from the service.
func clip(s string) string {
	const limit = 1000
	if r := []rune(s); len(r) > limit {
		return fmt.Sprintf("%s…", string(r[:limit]))
	}
	return s
}
