// Package auth finds out who calls the service, and says what they may do: one
// middleware, one table of decisions. It may import store, and libraries of
// tokens and forges.
package auth

import (
	"context"

	"github.com/blq-ci/blq/store"
)

// Kind is how a caller proved who they are.
type Kind string

// The kinds.
const (
	KindNobody   Kind = "nobody"   // no credentials
	KindOperator Kind = "operator" // whoever started a service without authentication
	KindJob      Kind = "job"      // an OIDC token of a CI job
	KindToken    Kind = "token"    // a token of ours
	KindUser     Kind = "user"     // a GitHub token of a person or an app
)

// Principal is a caller: who, and what of the store is theirs.
type Principal struct {
	Kind   Kind
	ID     string             // for logs and limits: job:owner/name, token:ID, user:login
	Scopes []store.TokenScope // what they may do
	Read   store.Scope        // repositories whose runs they may see
	Write  store.Scope        // repositories that they may send runs for
	Repo   string             // the one repository that they are about, "" for none
	Facts  *Facts             // what a job's token says, nil for others
}

// Facts are what the token of a CI job says of it: they overrule what the
// client says.
type Facts struct {
	Repo       string // owner/name
	RepoID     int64
	RunID      string
	RunAttempt int
	CheckRunID string
	Workflow   string
	EventName  string
	Actor      string
	Ref        string
	BaseRef    string
	HeadRef    string
	SHA        string
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
