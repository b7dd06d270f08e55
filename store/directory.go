package store

import (
	"context"
	"time"
)

// Directory keeps who may write and read in a store that many share: enrolled
// repositories, and tokens.
type Directory interface {
	// EnrolRepo enrols a repository, or takes up the new name and facts of the
	// one that has its ID. Invalid: no ID, or a bad name. Conflict: another
	// repository is enrolled under the name.
	EnrolRepo(ctx context.Context, r EnrolledRepo) (EnrolledRepo, error)

	// EnrolledRepo returns the repository that has an ID at its forge. NotFound:
	// it is not enrolled.
	EnrolledRepo(ctx context.Context, id int64) (EnrolledRepo, error)

	// EnrolledRepos returns all enrolled repositories, by name.
	EnrolledRepos(ctx context.Context) ([]EnrolledRepo, error)

	// CreateToken stores a token. Conflict: its ID or hash is taken.
	CreateToken(ctx context.Context, t Token) error

	// TokenByHash returns the token whose secret has a hash, also an expired or
	// revoked one. NotFound: there is none.
	TokenByHash(ctx context.Context, hash []byte) (Token, error)

	// Tokens returns all tokens, newest first.
	Tokens(ctx context.Context) ([]Token, error)

	// RevokeToken makes a token useless from a time on; a revoked one stays as it
	// is. NotFound: there is none of that ID.
	RevokeToken(ctx context.Context, id string, at time.Time) error

	// UseOnce notes that a value was used, such as the ID of a token that is
	// good for one use until a time. Conflict: it was used before.
	UseOnce(ctx context.Context, value string, until time.Time) error
}

// EnrolledRepo is a repository whose jobs may send runs.
type EnrolledRepo struct {
	ID            int64  // at its forge, where it stays the same when the repository is renamed
	Name          string // owner/name
	DefaultBranch string // "" when it is not known
	Public        bool   // everybody may read it at its forge
	EnrolledAt    time.Time
}

// TokenScope is what a token allows.
type TokenScope string

// The scopes.
const (
	ScopeIngest TokenScope = "ingest" // send runs
	ScopeRead   TokenScope = "read"   // ask about runs
	ScopeQuery  TokenScope = "query"  // ask in SQL
	ScopeAdmin  TokenScope = "admin"  // enrol repositories, prune
)

// Token is what is kept of a token: never its secret.
type Token struct {
	ID        string // short, shown in lists and logs
	Name      string // what it is for
	Hash      []byte // SHA-256 of the secret
	Scopes    []TokenScope
	Repos     []string // owner/name that it is good for
	Owners    []string // owners whose repositories it is good for
	CreatedAt time.Time
	ExpiresAt time.Time // zero for never
	RevokedAt time.Time // zero for not
}
