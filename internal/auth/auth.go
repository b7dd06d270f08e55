// Package auth identifies the callers of the service and decides what the callers may do. It has one middleware and
// one table of decisions. The package may import store, internal/fair, internal/github, internal/github/event,
// internal/httpserver, internal/lazyregexp, ingest/api for the messages, and libraries for tokens.
//
// Callers send a bearer token of one of three kinds:
//
//   - a token of blqd, made by an operator or given to a CI job in exchange for its OIDC token (see
//     Authenticator.exchange); blqd stores only its hash;
//   - a GitHub token of a person or an app; blqd asks GitHub about it;
//   - an OIDC token of a CI job, which can only be exchanged, and only once.
package auth

import (
	"context"
	"slices"
	"strings"

	"github.com/blq-ci/blq/store"
)

// Kind is the way in which a caller is identified.
type Kind string

// These are the kinds of callers.
const (
	KindNobody   Kind = "nobody"   // without credentials
	KindOperator Kind = "operator" // the caller of a service without authentication
	KindJob      Kind = "job"      // a CI job that exchanged its OIDC token
	KindToken    Kind = "token"    // a token of blqd made by an operator
	KindUser     Kind = "user"     // a GitHub token of a person or an app, or a person who signed in
	KindVisitor  Kind = "visitor"  // somebody who looks at public pages
)

// kinds lists the constants of type Kind.
var kinds = []Kind{KindNobody, KindOperator, KindJob, KindToken, KindUser, KindVisitor}

// Principal is a caller, with the repositories that the caller may use.
type Principal struct {
	Kind        Kind
	ID          string             // for logs and limits: job:owner/name, token:ID, user:login
	Scopes      []store.TokenScope // allowed scopes
	Read        store.Scope        // repositories with visible runs
	Write       store.Scope        // repositories that accept runs from the caller
	Start       store.Scope        // repositories with configured commands that the caller may start
	WriteOwners []string           // owners of repositories that accept runs, besides Write
	Repo        string             // the only accessible repository, "" for several
	Facts       *Facts             // facts in the token of a job, nil for other callers
}

// Tenant returns the tenant for the limits of the service. For a token or a job whose repositories have a single
// owner, this is the owner. Otherwise it is the caller itself.
func (p Principal) Tenant() string {
	owners := map[string]bool{}
	for _, repo := range slices.Concat(p.Read.Names(), p.Write.Names()) {
		owners[TenantOf(repo)] = true
	}
	for _, owner := range p.WriteOwners {
		owners[TenantOf(owner)] = true
	}
	if len(owners) != 1 || p.Kind == KindUser || p.Kind == KindVisitor {
		return p.ID
	}
	for owner := range owners {
		return owner
	}
	return p.ID
}

// TenantOf returns the tenant for work on a repository: the owner of the repository.
func TenantOf(repo string) string { return "owner:" + store.OwnerOf(repo) }

// MayWrite reports whether the caller may send runs of a repository.
func (p Principal) MayWrite(repo string) bool {
	owner, _, named := strings.Cut(repo, "/")
	return p.Write.Has(repo) || named && slices.Contains(p.WriteOwners, owner)
}

// MayWriteRun reports whether the caller may add to a run. A job may add only to runs that it
// started.
func (p Principal) MayWriteRun(r store.Run) bool {
	return p.MayWrite(r.Repo) && (p.Facts == nil || p.Facts.started(r))
}

// MayRead reports whether the caller may see runs of a repository.
func (p Principal) MayRead(repo string) bool {
	return p.Read.Has(repo)
}

// MayStart reports whether the caller may start configured commands of a repository.
func (p Principal) MayStart(repo string) bool {
	return p.may(store.ScopeRun) && p.Start.Has(repo) && p.Read.Has(repo)
}

// may reports whether the caller has a scope. The scopes for SQL, for starting commands, for changing the graph and for
// writing comments include the scope for reading. The scopes for reading and for adding documentation include the scope
// for reading documentation.
func (p Principal) may(scope store.TokenScope) bool {
	return slices.Contains(p.Scopes, scope) ||
		scope == store.ScopeDocsRead && (slices.Contains(p.Scopes, store.ScopeDocsWrite) || p.may(store.ScopeRead)) ||
		scope == store.ScopeRead && slices.ContainsFunc(p.Scopes, func(s store.TokenScope) bool {
			return s == store.ScopeQuery || s == store.ScopeRun || s == store.ScopeGraphWrite ||
				s == store.ScopeSummaryWrite
		})
}

// Operator returns the caller of a service without authentication.
func Operator() Principal {
	return Principal{
		Kind: KindOperator, ID: "operator", Scopes: store.TokenScopes,
		Read: store.Everything(), Write: store.Everything(), Start: store.Everything(),
	}
}

type key struct{}

// With returns a context with a caller.
func With(ctx context.Context, p Principal) context.Context {
	return context.WithValue(ctx, key{}, p)
}

// From returns the caller in a context, or a principal of KindNobody if there is none.
func From(ctx context.Context) Principal {
	if p, ok := ctx.Value(key{}).(Principal); ok {
		return p
	}
	return Principal{Kind: KindNobody}
}
