package store

import (
	"context"
	"time"
)

// SignIns keeps the browsers in which people have signed in.
type SignIns interface {
	// AddSignIn stores a sign-in. Conflict: its hash is taken.
	AddSignIn(ctx context.Context, s SignIn) error

	// SignIn returns the sign-in whose secret has a hash, also an expired one. NotFound: there is none.
	SignIn(ctx context.Context, hash []byte) (SignIn, error)

	// EndSignIn removes a sign-in. It is not an error if there is none.
	EndSignIn(ctx context.Context, hash []byte) error
}

// SignIn is a browser in which a person has signed in.
type SignIn struct {
	Hash      []byte // of the secret that the browser keeps
	Person    string // login name at the forge
	Sealed    []byte // the person's token for the forge, encrypted with the browser's secret
	CreatedAt time.Time
	ExpiresAt time.Time
}

// NoSignIn returns the NotFound of a sign-in that is not there.
func NoSignIn() error { return Errorf(NotFound, "nobody has signed in with this secret") }

// SignInTaken returns the Conflict of a hash that is taken.
func SignInTaken() error { return Errorf(Conflict, "there is a sign-in with this hash already") }
