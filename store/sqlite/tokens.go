package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/blq-ci/blq/store"
)

const tokenColumns = `id, name, hash, scopes, repos, owners, job, created_at, expires_at, revoked_at`

func scanToken(scan func(...any) error) (store.Token, error) {
	var t store.Token
	var scopes, repos, owners string
	var created, expires, revoked int64
	if err := scan(&t.ID, &t.Name, &t.Hash, &scopes, &repos, &owners, &t.Job, &created, &expires, &revoked); err != nil {
		return store.Token{}, err
	}
	t.CreatedAt, t.ExpiresAt, t.RevokedAt = fromMicros(created), fromMicros(expires), fromMicros(revoked)
	err := errors.Join(json.Unmarshal([]byte(scopes), &t.Scopes), json.Unmarshal([]byte(repos), &t.Repos),
		json.Unmarshal([]byte(owners), &t.Owners))
	if err != nil {
		return store.Token{}, fmt.Errorf("read token %s: %w", t.ID, err)
	}
	return t, nil
}

// CreateToken implements store.Directory.
func (s *Store) CreateToken(ctx context.Context, t store.Token) error {
	if err := t.Check(); err != nil {
		return err
	}
	err := s.write(ctx, func(tx *sql.Tx) error {
		lists := make([]string, 3)
		for i, list := range []any{t.Scopes, t.Repos, t.Owners} {
			b, err := json.Marshal(list)
			if err != nil {
				return err
			}
			lists[i] = string(b)
		}
		_, err := tx.ExecContext(ctx, `
			INSERT INTO directory_tokens (`+tokenColumns+`) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			t.ID, t.Name, t.Hash, lists[0], lists[1], lists[2], t.Job, micros(t.CreatedAt), micros(t.ExpiresAt),
			micros(t.RevokedAt))
		return err
	})
	if isTaken(err) {
		return store.TokenTaken(t.ID)
	}
	if err != nil {
		return fmt.Errorf("create token: %w", err)
	}
	return nil
}

// TokenByHash implements store.Directory.
func (s *Store) TokenByHash(ctx context.Context, hash []byte) (t store.Token, known []string, err error) {
	db, leave, err := s.read(ctx)
	if err != nil {
		return t, nil, err
	}
	defer leave()
	t, err = scanToken(db.QueryRowContext(ctx, `
		SELECT `+tokenColumns+`
		FROM directory_tokens
		WHERE hash = ?`, hash).Scan)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return t, nil, store.NoSuchToken()
	case err != nil:
		return t, nil, fmt.Errorf("look up token: %w", busyError(err))
	case len(t.Owners) == 0, slices.Equal(t.Scopes, []store.TokenScope{store.ScopeIngest}):
		return t, nil, nil
	}
	known, err = knownRepos(ctx, db, t.Owners)
	return t, known, err
}

// knownRepos returns the names of the owners' repositories, in order. It returns repositories that are enrolled or have
// had runs.
func knownRepos(ctx context.Context, db *sql.DB, owners []string) (names []string, err error) {
	for _, owner := range owners {
		// The names that begin with owner/ are between owner/ and owner0, because 0 sorts directly after /.
		list, err := query(ctx, db, store.ScanOne[string], `
			SELECT name COLLATE BINARY
			FROM directory_repos
			WHERE name >= ?1 AND name < ?2 AND substr(name, 1, length(?1)) = ?1
			UNION
			SELECT name
			FROM repos
			WHERE name >= ?1 AND name < ?2`, owner+"/", owner+"0")
		if err != nil {
			return nil, fmt.Errorf("list repositories of %s: %w", owner, err)
		}
		names = append(names, list...)
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// Tokens implements store.Directory.
func (s *Store) Tokens(ctx context.Context) ([]store.Token, error) {
	list, err := query(ctx, s.reader, scanToken, `
		SELECT `+tokenColumns+`
		FROM directory_tokens
		WHERE job = ''
		ORDER BY created_at DESC, id`)
	if err != nil {
		return nil, fmt.Errorf("list tokens: %w", err)
	}
	return list, nil
}

// RevokeToken implements store.Directory.
func (s *Store) RevokeToken(ctx context.Context, id string, at time.Time) error {
	err := s.write(ctx, func(tx *sql.Tx) error {
		res, err := tx.ExecContext(ctx, `
			UPDATE directory_tokens
			SET revoked_at = iif(revoked_at = 0, ?, revoked_at)
			WHERE id = ?`, micros(at), id)
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); n > 0 || err != nil {
			return err
		}
		return store.NoToken(id)
	})
	if err != nil {
		return fmt.Errorf("revoke token: %w", err)
	}
	return nil
}
