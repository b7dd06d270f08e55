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

// refuse answers a request that is not allowed, and logs why.
func (a *Authenticator) refuse(w http.ResponseWriter, r *http.Request, action Action, err error) {
	if errors.Is(r.Context().Err(), context.Canceled) {
		return // the client is gone
	}
	if store.CodeOf(err) == "" && errors.Is(err, context.DeadlineExceeded) {
		err = store.Errorf(store.Unavailable, "it took too long to authenticate: %w", err)
	}
	code := store.CodeOf(err)
	status := httpserver.Status(code)
	p := httpserver.Problem{Code: code, Message: err.Error()}
	switch status {
	case http.StatusInternalServerError:
		a.Log.ErrorContext(r.Context(), "authentication failed", "action", action, "error", err)
		p = httpserver.Problem{Code: httpserver.Internal, Message: "internal error", NextSteps: []string{"try again"}}
	case http.StatusUnauthorized, http.StatusForbidden:
		w.Header().Set("WWW-Authenticate", a.challenge(r, action, status))
	case http.StatusServiceUnavailable, http.StatusTooManyRequests:
		a.Log.WarnContext(r.Context(), "cannot authenticate", "action", action, "error", err)
		httpserver.SetRetryAfter(w.Header(), status, err)
		if code == store.Unavailable {
			p.Message = "callers cannot be authenticated at the moment"
		}
	}
	if hint := store.HintOf(err); hint != "" {
		p.NextSteps = []string{hint}
	}
	httpserver.WriteJSON(w, status, httpserver.Error{Error: p})
}

// challenge returns the WWW-Authenticate header, by RFC 6750 and RFC 9728.
func (a *Authenticator) challenge(r *http.Request, action Action, status int) string {
	parts := []string{}
	if status == http.StatusForbidden {
		parts = append(parts, `error="insufficient_scope"`)
	} else if r.Header.Get("Authorization") != "" {
		parts = append(parts, `error="invalid_token"`)
	}
	scope := table[action].words(" ")
	if status == http.StatusUnauthorized && len(a.OAuthScopes) > 0 && a.isResource(r.URL.Path) {
		scope = strings.Join(a.OAuthScopes, " ")
	}
	if scope != "" {
		parts = append(parts, fmt.Sprintf("scope=%q", scope))
	}
	return "Bearer " + strings.Join(append(parts, fmt.Sprintf("resource_metadata=%q", a.metadataURL(r))), ", ")
}

// noRoute answers requests for unknown routes as http.ServeMux would.
func (a *Authenticator) noRoute(w http.ResponseWriter, r *http.Request, mux http.Handler) {
	answer := &header{h: http.Header{}}
	mux.ServeHTTP(answer, r)
	p := httpserver.Problem{Code: store.NotFound, Message: "nothing is served at this path", NextSteps: []string{"GET /v1/openapi.yaml describes what is"}}
	if allow := answer.h.Get("Allow"); answer.status == http.StatusMethodNotAllowed {
		w.Header().Set("Allow", allow+", OPTIONS")
		if r.Method == http.MethodOptions {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		p = httpserver.Problem{Code: httpserver.MethodNotAllowed, Message: "this path takes " + allow}
	}
	httpserver.WriteJSON(w, httpserver.Status(p.Code), httpserver.Error{Error: p})
}

// header is a response writer that drops the body.
type header struct {
	h      http.Header
	status int
}

func (a *header) Header() http.Header         { return a.h }
func (a *header) WriteHeader(status int)      { a.status = status }
func (a *header) Write(b []byte) (int, error) { return len(b), nil }
