package postgres

import (
	"context"
	"fmt"

	"github.com/blq-ci/blq/store"
)

func scanSignIn(scan func(...any) error) (store.SignIn, error) {
	var i store.SignIn
	err := scan(&i.Hash, &i.Person, &i.Sealed, &i.CreatedAt, &i.ExpiresAt)
	i.Person, i.CreatedAt, i.ExpiresAt = decode(i.Person), fromTime(&i.CreatedAt), fromTime(&i.ExpiresAt)
	return i, err
}

// AddSignIn implements store.Directory.
func (s *Store) AddSignIn(ctx context.Context, i store.SignIn) error {
	_, err := s.pool.Exec(ctx, `
		INSERT INTO directory_sign_ins (hash, person, sealed, created_at, expires_at) VALUES ($1, $2, $3, $4, $5)`,
		i.Hash, encode(i.Person), i.Sealed, i.CreatedAt, i.ExpiresAt)
	if stateOf(err) == uniqueViolation {
		return store.SignInTaken()
	}
	if err != nil {
		return fmt.Errorf("store sign-in: %w", failure(ctx, err))
	}
	return nil
}

// SignIn implements store.Directory.
func (s *Store) SignIn(ctx context.Context, hash []byte) (store.SignIn, error) {
	return first(ctx, s.pool, scanSignIn, store.NoSignIn(), "sign-in", `
		SELECT hash, person, sealed, created_at, expires_at
		FROM directory_sign_ins
		WHERE hash = $1`, hash)
}

// EndSignIn implements store.Directory.
func (s *Store) EndSignIn(ctx context.Context, hash []byte) error {
	if _, err := s.pool.Exec(ctx, `DELETE FROM directory_sign_ins WHERE hash = $1`, hash); err != nil {
		return fmt.Errorf("end sign-in: %w", failure(ctx, err))
	}
	return nil
}
