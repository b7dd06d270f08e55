package auth

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/blq-ci/blq/internal/httpserver"
	"github.com/blq-ci/blq/store"
)

// refusal returns the error for a refused caller, or nil if err is nil. It sets WWW-Authenticate for unauthorized and
// forbidden, and logs errors that the caller cannot fix.
func (a *Authenticator) refusal(header http.Header, r *http.Request, action Action, err error) error {
	if err == nil || errors.Is(r.Context().Err(), context.Canceled) {
		return err // there is no error, or the client has disconnected
	}
	code := store.CodeOf(err)
	if code == "" && errors.Is(err, context.DeadlineExceeded) {
		code = store.Unavailable
	}
	switch code {
	case "":
		a.Log.ErrorContext(r.Context(), "authentication failed", "action", action, "error", err)
	case store.Unauthorized, store.Forbidden:
		header.Set("WWW-Authenticate", a.challenge(r, action, code))
	case store.Unavailable:
		a.Log.WarnContext(r.Context(), "cannot authenticate", "action", action, "error", err)
		after, _ := store.RetryAfter(err)
		answer := store.Next(store.Errorf(store.Unavailable, "callers cannot be authenticated at the moment"),
			store.NextOf(err))
		return httpserver.Busy(store.Later(answer, after))
	case store.RateLimited:
		a.Log.WarnContext(r.Context(), "cannot authenticate", "action", action, "error", err)
	}
	return err
}

// challenge returns the value of the WWW-Authenticate header, as defined in RFC 6750 and RFC 9728.
func (a *Authenticator) challenge(r *http.Request, action Action, code store.Code) string {
	parts := []string{}
	if code == store.Forbidden {
		parts = append(parts, `error="insufficient_scope"`)
	} else if r.Header.Get("Authorization") != "" {
		parts = append(parts, `error="invalid_token"`)
	}
	scope := table[action].words(" ")
	if code == store.Unauthorized && len(a.OAuthScopes) > 0 && a.isResource(r.URL.Path) {
		scope = strings.Join(a.OAuthScopes, " ")
	}
	if scope != "" {
		parts = append(parts, fmt.Sprintf("scope=%q", scope))
	}
	return "Bearer " + strings.Join(append(parts, fmt.Sprintf("resource_metadata=%q", a.metadataURL(r))), ", ")
}
