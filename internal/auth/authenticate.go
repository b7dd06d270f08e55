package auth

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/blq-ci/blq/internal/httpserver"
	"github.com/blq-ci/blq/store"
)

// PathToken is the route where a CI job exchanges its OIDC token.
const PathToken = "/v1/token"

// Authorize returns the caller of a request if the caller may do the action. Errors: unauthorized without a valid
// token, forbidden when the action is not allowed, rate_limited after too many bad tokens, unavailable when the caller
// cannot be identified at the moment. For unauthorized and forbidden, Authorize sets WWW-Authenticate in the header of
// the response.
func (a *Authenticator) Authorize(header http.Header, r *http.Request, action Action) (Principal, error) {
	p, err := a.allowed(r, action)
	return p, a.refusal(header, r, action, err)
}

// Guard is the authorization middleware. It passes allowed requests to the next handler, with the caller in their
// context (see From).
func (a *Authenticator) Guard(action Action, next http.Handler) http.Handler {
	return httpserver.Handler(func(w http.ResponseWriter, r *http.Request) error {
		p, err := a.Authorize(w.Header(), r, action)
		if err != nil {
			return err
		}
		httpserver.SetCaller(r.Context(), p.ID, p.Tenant())
		next.ServeHTTP(w, r.WithContext(With(r.Context(), p)))
		return nil
	})
}

// callerTimeout is the max time to identify a caller.
const callerTimeout = 20 * time.Second

// allowed returns the caller of a request if the table allows the action. Public actions ignore tokens.
func (a *Authenticator) allowed(r *http.Request, action Action) (Principal, error) {
	p := Principal{Kind: KindNobody}
	if table[action].scopes == nil {
		return p, nil
	}
	ctx, cancel := context.WithTimeout(r.Context(), callerTimeout)
	defer cancel()
	p, err := a.caller(r.WithContext(ctx))
	if err != nil {
		return p, err
	}
	return p, Allow(p, action)
}

// caller identifies the sender of a request.
func (a *Authenticator) caller(r *http.Request) (Principal, error) {
	bearer, err := bearer(r)
	switch {
	case err != nil:
		return Principal{}, err
	case bearer == "" && a.Open:
		return Operator(), a.fromHere(r)
	case bearer == "":
		return Principal{Kind: KindNobody}, nil
	case strings.HasPrefix(bearer, "blq_"):
		return a.guards.check(r.Context(), string(hash(bearer)),
			func(ctx context.Context) (Principal, error) { return a.byToken(ctx, bearer) })
	case isJWT(bearer):
		err := store.Errorf(store.Unauthorized, "an OIDC token is good for one exchange only")
		return Principal{}, store.Hint(err, "POST %s with it, and use the token of the answer", PathToken)
	case a.Forge != nil && isGitHubs(bearer):
		return a.guards.check(r.Context(), string(hash(bearer)),
			func(ctx context.Context) (Principal, error) { return a.byForge(ctx, bearer) })
	}
	return Principal{}, badToken("the token is not known")
}

// maxBearer is the max length of a token in bytes. OIDC tokens have about 2 kB.
const maxBearer = 16 << 10

// bearer returns the token of a request, or "" for none. The error is unauthorized for several Authorization headers,
// or for a header without a bearer token.
func bearer(r *http.Request) (string, error) {
	headers := r.Header.Values("Authorization")
	if len(headers) == 0 {
		return "", nil
	}
	scheme, token, _ := strings.Cut(headers[0], " ")
	token = strings.TrimSpace(token)
	if len(headers) > 1 || !strings.EqualFold(scheme, "bearer") || token == "" || len(token) > maxBearer ||
		strings.ContainsFunc(token, notOfToken) {
		return "", badToken("the header Authorization is not of the form: Bearer TOKEN")
	}
	return token, nil
}

func notOfToken(c rune) bool { return c <= ' ' || c > '~' }

// badToken returns an unauthorized error. The message must not reveal more than the caller knows.
func badToken(format string, args ...any) error {
	return store.Hint(store.Errorf(store.Unauthorized, format, args...), "%s", howToShow)
}

func isJWT(s string) bool { return strings.HasPrefix(s, "ey") && strings.Count(s, ".") >= 2 }
