package auth

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"github.com/blq-ci/blq/store"
)

const (
	skew       = time.Minute    // max clock difference
	maxOIDCAge = 24 * time.Hour // max time between iat and exp
)

// claims are the claims of a job's token that are used. The subject is not used, because its form depends on names and
// settings.
type claims struct {
	jwt.Claims
	Repository   text `json:"repository"`
	RepositoryID text `json:"repository_id"`
	RunID        text `json:"run_id"`
	RunAttempt   text `json:"run_attempt"`
	CheckRunID   text `json:"check_run_id"`
	Workflow     text `json:"workflow"`
	EventName    text `json:"event_name"`
	Actor        text `json:"actor"`
	Ref          text `json:"ref"`
	BaseRef      text `json:"base_ref"`
	HeadRef      text `json:"head_ref"`
	SHA          text `json:"sha"`
}

// text is a claim that may be a string or a number.
type text string

func (t *text) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '"' {
		return json.Unmarshal(b, (*string)(t))
	}
	if string(b) == "null" {
		return nil
	}
	if _, err := strconv.ParseUint(string(b), 10, 64); err != nil {
		return errors.New("a claim is neither text nor a number")
	}
	*t = text(b)
	return nil
}

func badOIDC(why string) error {
	return store.Hint(store.Errorf(store.Unauthorized, "the OIDC token is refused: %s", why),
		"ask the runner for a new token with this service's audience; the job needs permissions: id-token: write")
}

// verify checks an OIDC token, and returns the claims and the issuer of the token. Errors: unauthorized when the token
// is not valid, for example because its issuer is unknown, its audience is wrong, or it is expired; unavailable when
// the issuer's keys cannot be fetched.
func (a *Authenticator) verify(ctx context.Context, token string) (claims, Issuer, error) {
	parsed, err := jwt.ParseSigned(token, []jose.SignatureAlgorithm{jose.RS256})
	if err != nil || len(parsed.Headers) != 1 || parsed.Headers[0].KeyID == "" {
		return claims{}, Issuer{}, badOIDC("it is not a token signed with RS256")
	}
	var c claims
	if err := parsed.UnsafeClaimsWithoutVerification(&c); err != nil {
		return claims{}, Issuer{}, badOIDC("its claims cannot be read")
	}
	keys := a.issuers[c.Issuer]
	if keys == nil {
		return claims{}, Issuer{}, badOIDC("its issuer is not one of this service's")
	}
	key, err := keys.key(ctx, parsed.Headers[0].KeyID)
	if err != nil {
		return claims{}, Issuer{}, err
	}
	c = claims{} // the claims are not trusted before this point
	if err := parsed.Claims(key, &c); err != nil {
		return claims{}, Issuer{}, badOIDC("its signature is not the issuer's")
	}
	if why := a.unfit(c, keys.issuer); why != "" {
		return claims{}, Issuer{}, badOIDC(why)
	}
	return c, keys.issuer, nil
}

// unfit returns the reason why the claims of a genuine token are not accepted. It returns "" if they are accepted.
func (a *Authenticator) unfit(c claims, i Issuer) string {
	now := a.Now()
	switch {
	case c.Issuer != i.URL:
		return "its issuer is not one of this service's"
	case !slices.Equal(c.Audience, jwt.Audience{a.Audience}):
		return "its audience is not " + a.Audience
	case c.Expiry == nil || c.IssuedAt == nil || c.ID == "":
		return "it has no jti, exp or iat"
	case !now.Before(c.Expiry.Time().Add(skew)):
		return "it is expired"
	case c.NotBefore != nil && now.Add(skew).Before(c.NotBefore.Time()), now.Add(skew).Before(c.IssuedAt.Time()):
		return "it is not valid yet"
	case c.Expiry.Time().Sub(c.IssuedAt.Time()) > maxOIDCAge:
		return "it lasts too long"
	}
	return ""
}

// facts returns the facts of a job in its claims. It reports false if the repository ID or the run ID is missing or not
// valid.
func (c claims) facts(host string) (Facts, bool) {
	id, err := strconv.ParseInt(string(c.RepositoryID), 10, 64)
	attempt, _ := strconv.Atoi(string(c.RunAttempt)) // 0 if the attempt is missing
	f := Facts{
		Host: host, Repo: string(c.Repository), RepoID: id,
		RunID: string(c.RunID), RunAttempt: attempt, CheckRunID: string(c.CheckRunID),
		Workflow: string(c.Workflow), EventName: string(c.EventName), Actor: string(c.Actor),
		Ref: string(c.Ref), BaseRef: string(c.BaseRef), HeadRef: string(c.HeadRef), SHA: string(c.SHA),
	}
	return f, err == nil && id > 0 && f.RunID != "" && !strings.ContainsAny(f.RunID, "/?#")
}
