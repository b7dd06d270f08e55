package store

import (
	"crypto/sha256"
	"slices"
	"time"
)

// TokenScope is something that a token allows.
type TokenScope string

// These are the scopes.
const (
	ScopeIngest TokenScope = "ingest" // send runs
	ScopeRead   TokenScope = "read"   // ask about runs
	ScopeQuery  TokenScope = "query"  // ask in SQL
	ScopeRun    TokenScope = "run"    // start configured commands
	ScopeAdmin  TokenScope = "admin"  // enrol repositories, prune

	ScopeDocsRead  TokenScope = "docs:read"  // ask about documentation; a token that may read runs may do that, too
	ScopeDocsWrite TokenScope = "docs:write" // add documentation from outside

	ScopeGraphWrite TokenScope = "graph:write" // open pull requests that change the graph

	ScopeSummaryWrite TokenScope = "summary:write" // write the comments on pull requests
)

// TokenScopes are all scopes.
var TokenScopes = []TokenScope{ScopeIngest, ScopeRead, ScopeQuery, ScopeRun, ScopeAdmin, ScopeDocsRead,
	ScopeDocsWrite, ScopeGraphWrite, ScopeSummaryWrite}

// EveryOwner among a token's owners means all repositories.
const EveryOwner = "*"

// Token holds the facts of a token, but never its secret.
type Token struct {
	ID        string // short, shown in lists and logs
	Name      string // what it is for
	Hash      []byte // SHA-256 of the secret
	Scopes    []TokenScope
	Repos     []string // repositories that it is for, owner/name
	Owners    []string // owners whose repositories it is for, or EveryOwner
	Job       string   // facts of the CI job that it was made for, as JSON; "" for a token that a person made
	CreatedAt time.Time
	ExpiresAt time.Time // zero means never
	RevokedAt time.Time // zero means not revoked
}

// Check checks a token before it is stored. Invalid: no ID, hash or scope, a scope that does not exist, or a bad
// name of a repository.
func (t Token) Check() error {
	switch {
	case t.ID == "":
		return Errorf(Invalid, "the token has no ID")
	case len(t.Hash) != sha256.Size:
		return Errorf(Invalid, "token %s has no SHA-256 of its secret", t.ID)
	case len(t.Scopes) == 0:
		return Errorf(Invalid, "token %s has no scope; there are %v", t.ID, TokenScopes)
	}
	for _, s := range t.Scopes {
		if !slices.Contains(TokenScopes, s) {
			return Errorf(Invalid, "no scope %q; there are %v", s, TokenScopes)
		}
	}
	for _, r := range t.Repos {
		if !IsRepoName(r) {
			return Errorf(Invalid, "%q is not the name of a repository: owner/name", r)
		}
	}
	return nil
}

// Ended reports why a token is not valid at a time: "expired" or "revoked"; "" for a valid token.
func (t Token) Ended(now time.Time) string {
	switch {
	case !t.RevokedAt.IsZero() && !now.Before(t.RevokedAt):
		return "revoked"
	case !t.ExpiresAt.IsZero() && !now.Before(t.ExpiresAt):
		return "expired"
	}
	return ""
}

// NoSuchToken returns the NotFound of a token that is known only by its secret.
func NoSuchToken() error { return Errorf(NotFound, "no such token") }

// NoToken returns the NotFound of a token's ID.
func NoToken(id string) error { return Errorf(NotFound, "no token %s", id) }

// TokenTaken returns the Conflict of a token whose ID or hash another one has.
func TokenTaken(id string) error { return Errorf(Conflict, "there is a token %s already", id) }
