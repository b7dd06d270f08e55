// Package auth finds out who calls the service, and says what they may do: one
// middleware, one table of decisions. It may import store, ingest/api for the
// messages, and libraries of tokens.
//
// Callers show a bearer token, which is one of three:
//
//   - a token of ours, made by an operator or given to a CI job in exchange for
//     its OIDC token (see Authenticator.exchange), kept as a hash;
//   - a GitHub token of a person or an app, which GitHub is asked about;
//   - an OIDC token of a CI job, good for one thing only: one exchange.
package auth

import (
	"context"
	"slices"
	"strings"

	"github.com/blq-ci/blq/store"
)

// Kind is how a caller proved who they are.
type Kind string

// The kinds.
const (
	KindNobody   Kind = "nobody"   // no credentials
	KindOperator Kind = "operator" // whoever started a service without authentication
	KindJob      Kind = "job"      // a CI job that exchanged its OIDC token
	KindToken    Kind = "token"    // a token of ours that somebody made
	KindUser     Kind = "user"     // a GitHub token of a person or an app
)

// Kinds are all kinds.
var Kinds = []Kind{KindNobody, KindOperator, KindJob, KindToken, KindUser}

// Principal is a caller: who, and what of the store is theirs.
type Principal struct {
	Kind        Kind
	ID          string             // for logs and limits: job:owner/name, token:ID, user:login
	Scopes      []store.TokenScope // what they may do
	Read        store.Scope        // repositories whose runs they may see
	Write       store.Scope        // repositories that they may send runs for
	Start       store.Scope        // repositories whose configured commands they may start
	WriteOwners []string           // owners whose repositories they may send runs for, beside Write
	Repo        string             // the one repository that they are about, "" for none
	Facts       *Facts             // what a job's token says, nil for others
}

// MayWrite says whether the caller may send runs for a repository.
func (p Principal) MayWrite(repo string) bool {
	owner, _, named := strings.Cut(repo, "/")
	return p.Write.Has(repo) || named && slices.Contains(p.WriteOwners, owner)
}

// MayWriteRun says whether the caller may add to a run: a job only to those
// that it started itself.
func (p Principal) MayWriteRun(r store.Run) bool {
	return p.MayWrite(r.Repo) && (p.Facts == nil || p.Facts.started(r))
}

// MayRead says whether the caller may see runs of a repository.
func (p Principal) MayRead(repo string) bool {
	return p.Read.Has(repo)
}

// MayStart says whether the caller may start configured commands of a
// repository.
func (p Principal) MayStart(repo string) bool {
	return p.May(store.ScopeRun) && p.Start.Has(repo) && p.Read.Has(repo)
}

// May says whether the caller has a scope. Who may ask in SQL, or start
// commands, may ask.
func (p Principal) May(scope store.TokenScope) bool {
	return slices.Contains(p.Scopes, scope) ||
		scope == store.ScopeRead && (slices.Contains(p.Scopes, store.ScopeQuery) || slices.Contains(p.Scopes, store.ScopeRun))
}

// Operator is the caller of a service without authentication.
func Operator() Principal {
	return Principal{
		Kind: KindOperator, ID: "operator", Scopes: store.TokenScopes,
		Read: store.Everything(), Write: store.Everything(), Start: store.Everything(),
	}
}

type key struct{}

// With returns a context that knows its caller.
func With(ctx context.Context, p Principal) context.Context {
	return context.WithValue(ctx, key{}, p)
}

// From returns the caller of a context, nobody where there is none.
func From(ctx context.Context) Principal {
	if p, ok := ctx.Value(key{}).(Principal); ok {
		return p
	}
	return Principal{Kind: KindNobody}
}
