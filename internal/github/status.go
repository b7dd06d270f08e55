package github

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/blq-ci/blq/store"
)

// errorWait is the wait before a retry after an error of GitHub.
const errorWait = 5 * time.Second

// refusal returns the error for a response with a status of 400 or more.
func (t *transport) refusal(resp *http.Response) error {
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxError))
	if err != nil {
		body = nil // the status is enough
	}
	said := saying(body)
	switch s := resp.StatusCode; {
	case s == http.StatusUnauthorized:
		return store.Errorf(store.Unauthorized, "GitHub does not take the token")
	case s == http.StatusTooManyRequests, s == http.StatusForbidden && isLimit(resp.Header, said):
		return store.Later(store.Errorf(store.RateLimited, "this token has sent GitHub too many requests"),
			t.pause(resp.Header))
	case s >= 500:
		return store.Later(store.Errorf(store.Unavailable, "GitHub answers %s", resp.Status), errorWait)
	}
	return store.Errorf(codeOf(resp.StatusCode), "GitHub answers %s%s", resp.Status, said)
}

func codeOf(status int) store.Code {
	switch status {
	case http.StatusForbidden:
		return store.Forbidden
	case http.StatusNotFound, http.StatusGone, http.StatusUnavailableForLegalReasons:
		return store.NotFound
	case http.StatusConflict:
		return store.Conflict
	case http.StatusRequestEntityTooLarge:
		return store.TooLarge
	}
	return store.Invalid
}

func isLimit(h http.Header, said string) bool {
	return h.Get("Retry-After") != "" || h.Get("X-RateLimit-Remaining") == "0" ||
		strings.Contains(said, "secondary rate limit")
}

// pause returns the time that GitHub asks to wait. It returns a minute if GitHub does not say.
func (t *transport) pause(h http.Header) time.Duration {
	if n, err := strconv.Atoi(h.Get("Retry-After")); err == nil && n >= 0 {
		return time.Duration(n) * time.Second
	}
	if n, err := strconv.ParseInt(h.Get("X-RateLimit-Reset"), 10, 64); err == nil &&
		h.Get("X-RateLimit-Remaining") == "0" {
		return max(time.Second, time.Unix(n, 0).Sub(t.Now()))
	}
	return time.Minute
}

// saying returns ": " and GitHub's message in the body of an error. It returns "" if there is no message.
func saying(body []byte) string {
	var b struct {
		Message string            `json:"message"`
		Errors  []json.RawMessage `json:"errors"`
	}
	if json.Unmarshal(body, &b) != nil || b.Message == "" {
		return ""
	}
	text := b.Message
	if len(b.Errors) > 0 {
		text += " " + string(b.Errors[0])
	}
	text = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, text)
	if r := []rune(text); len(r) > 300 {
		text = string(r[:300]) + "…"
	}
	return ": " + text
}

// withCode adds a code to an error without a code.
func withCode(err error) error {
	if coded := (*store.Error)(nil); err == nil || errors.As(err, &coded) {
		return err
	}
	return store.Later(store.Errorf(store.Unavailable, "GitHub's answer cannot be read: %w", err), errorWait)
}

// withPermission adds a hint about a missing permission to an error.
func withPermission(err error, repo, what, permission string) error {
	err = withCode(err)
	switch store.CodeOf(err) {
	case store.Forbidden:
		return store.Hint(store.Errorf(store.Forbidden, "the token may not %s of %s: %w", what, repo, err),
			"give the job `permissions: %s`; jobs of forks cannot have it", permission)
	case store.NotFound:
		return store.Errorf(store.NotFound, "cannot %s of %s: GitHub has none, or does not show it to this token: %w",
			what, repo, err)
	case store.Unauthorized:
		return store.Hint(err, "is the token expired, or of another GitHub?")
	}
	return err
}
