package store

import (
	"context"
	"time"
)

// SignIns stores the browsers in which people have signed in.
type SignIns interface {
	// AddSignIn stores a sign-in. Conflict: there is a sign-in with the same hash.
	AddSignIn(ctx context.Context, s SignIn) error

	// SignIn returns a sign-in by the hash of its secret, even if it has expired. NotFound: there is no such sign-in.
	SignIn(ctx context.Context, hash []byte) (SignIn, error)

	// EndSignIn removes a sign-in. It returns no error if the sign-in does not exist.
	EndSignIn(ctx context.Context, hash []byte) error
}

// SignIn is a browser in which a person has signed in.
type SignIn struct {
	Hash      []byte // hash of the browser's secret
	Person    string // login name at the forge
	Sealed    []byte // the person's token for the forge, encrypted with the browser's secret
	CreatedAt time.Time
	ExpiresAt time.Time
}

// NoSignIn returns the NotFound error for a sign-in that does not exist.
func NoSignIn() error { return Errorf(NotFound, "nobody has signed in with this secret") }

// SignInTaken returns the Conflict error for a hash that is in use.
func SignInTaken() error { return Errorf(Conflict, "there is a sign-in with this hash already") }
