package store

import (
	"crypto/sha256"
	"slices"
	"strings"
	"time"
)

// TokenScope is a right that a token gives.
type TokenScope string

// These are the scopes of tokens.
const (
	ScopeIngest TokenScope = "ingest" // permits sending runs
	ScopeRead   TokenScope = "read"   // permits questions about runs
	ScopeQuery  TokenScope = "query"  // permits questions in SQL
	ScopeRun    TokenScope = "run"    // permits starting configured commands
	ScopeAdmin  TokenScope = "admin"  // permits enrolling repositories and pruning

	ScopeDocsRead  TokenScope = "docs:read"  // permits questions about documentation; ScopeRead gives this right, too
	ScopeDocsWrite TokenScope = "docs:write" // permits adding external documentation

	ScopeGraphWrite TokenScope = "graph:write" // permits opening pull requests that change the graph

	ScopeSummaryWrite TokenScope = "summary:write" // permits writing the comments on pull requests
)

// TokenScopes holds all scopes.
var TokenScopes = []TokenScope{ScopeIngest, ScopeRead, ScopeQuery, ScopeRun, ScopeAdmin, ScopeDocsRead,
	ScopeDocsWrite, ScopeGraphWrite, ScopeSummaryWrite}

// scopeNames returns the names of all scopes for a message.
func scopeNames() string {
	names := make([]string, len(TokenScopes))
	for i, s := range TokenScopes {
		names[i] = string(s)
	}
	return strings.Join(names, ", ")
}

// EveryOwner is used as the owner of a token that allows all repositories.
const EveryOwner = "*"

// Token describes a token without its secret.
type Token struct {
	ID        string // short name of the token, shown in lists and logs
	Name      string // purpose of the token
	Hash      []byte // SHA-256 of the secret
	Scopes    []TokenScope
	Repos     []string // allowed repositories, owner/name
	Owners    []string // owners whose repositories are allowed, or EveryOwner
	Job       string   // facts about the token's CI job, as JSON; "" for a token from a person
	CreatedAt time.Time
	ExpiresAt time.Time // zero if the token never expires
	RevokedAt time.Time // zero if the token is not revoked
}

// Check checks a token before the token is stored. Invalid: the ID, hash or scope is missing, a scope does not exist,
// or the name of a repository is not valid.
func (t Token) Check() error {
	switch {
	case t.ID == "":
		return Errorf(Invalid, "the token has no ID")
	case len(t.Hash) != sha256.Size:
		return Errorf(Invalid, "token %s has no SHA-256 of its secret", t.ID)
	case len(t.Scopes) == 0:
		return Errorf(Invalid, "token %s has no scope; there are %s", t.ID, scopeNames())
	}
	for _, s := range t.Scopes {
		if !slices.Contains(TokenScopes, s) {
			return Errorf(Invalid, "no scope %q; there are %s", s, scopeNames())
		}
	}
	for _, r := range t.Repos {
		if !IsRepoName(r) {
			return Errorf(Invalid, "%q is not the name of a repository: owner/name", r)
		}
	}
	return nil
}

// Ended returns why a token is not valid at the given time: "expired" or "revoked". It returns "" for a valid token.
func (t Token) Ended(now time.Time) string {
	switch {
	case !t.RevokedAt.IsZero() && !now.Before(t.RevokedAt):
		return "revoked"
	case !t.ExpiresAt.IsZero() && !now.Before(t.ExpiresAt):
		return "expired"
	}
	return ""
}

// NoSuchToken returns the NotFound error for a secret that belongs to no token.
func NoSuchToken() error { return Errorf(NotFound, "no such token") }

// NoToken returns the NotFound error for an ID that belongs to no token.
func NoToken(id string) error { return Errorf(NotFound, "no token %s", id) }

// TokenTaken returns the Conflict error for a token whose ID or hash is in use.
func TokenTaken(id string) error { return Errorf(Conflict, "there is a token %s already", id) }
