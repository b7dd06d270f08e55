package auth

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/blq-ci/blq/store"
)

// byToken returns the caller for a token that blqd made. The error is unauthorized if the token is unknown, expired or
// revoked.
func (a *Authenticator) byToken(ctx context.Context, secret string) (Principal, error) {
	if !isOurs(secret) {
		return Principal{}, badToken("the token is not known")
	}
	want := hash(secret)
	t, known, err := a.Directory.TokenByHash(ctx, want)
	switch {
	case store.CodeOf(err) == store.NotFound, err == nil && subtle.ConstantTimeCompare(t.Hash, want) != 1:
		return Principal{}, useless(secret, "not known")
	case err != nil:
		return Principal{}, fmt.Errorf("look up token: %w", err)
	}
	if why := t.Ended(a.Now()); why != "" {
		return Principal{}, useless(secret, why)
	}
	if t.Job != "" {
		return a.job(ctx, t)
	}
	return somebody(t, known), nil
}

// useless returns an unauthorized error for a token that is not accepted. The hint says how to get another token.
func useless(secret, why string) error {
	if strings.HasPrefix(secret, prefixJob) {
		return store.Hint(store.Errorf(store.Unauthorized, "the token is %s", why),
			"POST %s with a new OIDC token of the job", PathToken)
	}
	return badToken("the token is %s", why)
}

// job returns the caller for a token of a CI job. The job may send runs of one repository and ask questions about it,
// as long as the repository is enrolled under the same name.
func (a *Authenticator) job(ctx context.Context, t store.Token) (Principal, error) {
	var f Facts
	if err := json.Unmarshal([]byte(t.Job), &f); err != nil {
		return Principal{}, fmt.Errorf("read token %s: %w", t.ID, err)
	}
	repo, err := a.Directory.EnrolledRepo(ctx, f.Host, f.RepoID)
	if err != nil {
		return Principal{}, a.enrolment(err, f)
	}
	if repo.Name != f.Repo {
		return Principal{}, useless(prefixJob, "of before the repository was renamed")
	}
	return Principal{
		Kind: KindJob, ID: "job:" + f.Repo, Scopes: t.Scopes,
		Read: store.Repos(f.Repo), Write: store.Repos(f.Repo), Repo: f.Repo, Facts: &f,
	}, nil
}

// somebody returns the caller for a token that an operator made. ofOwners holds the repositories of the token's owners.
func somebody(t store.Token, ofOwners []string) Principal {
	p := Principal{Kind: KindToken, ID: "token:" + t.ID, Scopes: t.Scopes}
	if slices.Contains(t.Owners, store.EveryOwner) {
		p.Read, p.Write, p.Start = store.Everything(), store.Everything(), store.Everything()
		return p
	}
	p.Write, p.WriteOwners = store.Repos(t.Repos...), t.Owners
	if p.may(store.ScopeDocsRead) { // the scope docs:read, or one that includes it
		p.Read = store.Repos(distinct(slices.Concat(t.Repos, ofOwners))...)
		p.Start = p.Read
	}
	if len(t.Repos) == 1 && len(t.Owners) == 0 {
		p.Repo = t.Repos[0]
	}
	return p
}

func distinct(names []string) []string {
	slices.Sort(names)
	return slices.Compact(names)
}
