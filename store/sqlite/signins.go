package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/blq-ci/blq/store"
)

func scanSignIn(scan func(...any) error) (store.SignIn, error) {
	var i store.SignIn
	var created, expires int64
	err := scan(&i.Hash, &i.Person, &i.Sealed, &created, &expires)
	i.CreatedAt, i.ExpiresAt = fromMicros(created), fromMicros(expires)
	return i, err
}

// AddSignIn implements store.Directory.
func (s *Store) AddSignIn(ctx context.Context, i store.SignIn) error {
	err := s.write(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `
			INSERT INTO directory_sign_ins (hash, person, sealed, created_at, expires_at) VALUES (?, ?, ?, ?, ?)`,
			i.Hash, i.Person, i.Sealed, micros(i.CreatedAt), micros(i.ExpiresAt))
		return err
	})
	if isTaken(err) {
		return store.SignInTaken()
	}
	if err != nil {
		return fmt.Errorf("store sign-in: %w", err)
	}
	return nil
}

// SignIn implements store.Directory.
func (s *Store) SignIn(ctx context.Context, hash []byte) (store.SignIn, error) {
	db, leave, err := s.read(ctx)
	if err != nil {
		return store.SignIn{}, err
	}
	defer leave()
	i, err := scanSignIn(db.QueryRowContext(ctx, `
		SELECT hash, person, sealed, created_at, expires_at
		FROM directory_sign_ins
		WHERE hash = ?`, hash).Scan)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return store.SignIn{}, store.NoSignIn()
	case err != nil:
		return store.SignIn{}, fmt.Errorf("look up sign-in: %w", busyError(err))
	}
	return i, nil
}

// EndSignIn implements store.Directory.
func (s *Store) EndSignIn(ctx context.Context, hash []byte) error {
	err := s.write(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `DELETE FROM directory_sign_ins WHERE hash = ?`, hash)
		return err
	})
	if err != nil {
		return fmt.Errorf("end sign-in: %w", err)
	}
	return nil
}
