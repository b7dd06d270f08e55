package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/blq-ci/blq/store"
)

const tokenColumns = `id, name, hash, scopes, repos, owners, job, created_at, expires_at, revoked_at`

// scanToken scans the columns of a token, and further columns.
func scanToken(scan func(...any) error, more ...any) (store.Token, error) {
	var t store.Token
	var scopes []string
	var created, expires, revoked *time.Time
	into := []any{&t.ID, &t.Name, &t.Hash, &scopes, &t.Repos, &t.Owners, &t.Job, &created, &expires, &revoked}
	if err := scan(append(into, more...)...); err != nil {
		return store.Token{}, err
	}
	for _, s := range scopes {
		t.Scopes = append(t.Scopes, store.TokenScope(s))
	}
	for _, list := range [][]string{t.Repos, t.Owners} {
		for i := range list {
			list[i] = decode(list[i])
		}
	}
	t.Name, t.Job = decode(t.Name), decode(t.Job)
	t.CreatedAt, t.ExpiresAt, t.RevokedAt = fromTime(created), fromTime(expires), fromTime(revoked)
	return t, nil
}

// CreateToken implements store.Directory.
func (s *Store) CreateToken(ctx context.Context, t store.Token) error {
	if err := t.Check(); err != nil {
		return err
	}
	var scopes []string
	for _, scope := range t.Scopes {
		scopes = append(scopes, string(scope))
	}
	_, err := s.pool.Exec(ctx, `
		INSERT INTO directory_tokens (`+tokenColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
		encode(t.ID), encode(t.Name), t.Hash, scopes, orNone(t.Repos), orNone(t.Owners), encode(t.Job),
		timeOf(t.CreatedAt), timeOf(t.ExpiresAt), timeOf(t.RevokedAt))
	if stateOf(err) == uniqueViolation {
		return store.TokenTaken(t.ID)
	}
	if err != nil {
		return fmt.Errorf("create token: %w", failure(ctx, err))
	}
	return nil
}

// orNone returns a list with its texts encoded. A nil list stays nil.
func orNone(list []string) []string {
	if list == nil {
		return nil
	}
	return encodeAll(list)
}

// TokenByHash implements store.Directory. It is a single statement, because every request waits for it.
func (s *Store) TokenByHash(ctx context.Context, hash []byte) (t store.Token, known []string, err error) {
	scan := func(scan func(...any) error) (store.Token, error) { return scanToken(scan, &known) }
	// The names that begin with owner/ are between owner/ and owner0, because 0 sorts directly after /.
	t, err = first(ctx, s.pool, scan, store.NoSuchToken(), "token", `
		SELECT `+tokenColumns+`, ARRAY(
			SELECT r.name
			FROM unnest(owners) AS owner, LATERAL (
				SELECT name FROM directory_repos
				WHERE name >= (owner || '/') COLLATE "C" AND name < (owner || '0') COLLATE "C"
				UNION ALL
				SELECT name FROM repos
				WHERE name >= (owner || '/') COLLATE "C" AND name < (owner || '0') COLLATE "C") AS r
			WHERE scopes <> $2
			GROUP BY r.name
			ORDER BY r.name)
		FROM directory_tokens
		WHERE hash = $1`, hash, []string{string(store.ScopeIngest)})
	for i := range known {
		known[i] = decode(known[i])
	}
	return t, known, err
}

// Tokens implements store.Directory.
func (s *Store) Tokens(ctx context.Context) ([]store.Token, error) {
	scan := func(scan func(...any) error) (store.Token, error) { return scanToken(scan) }
	list, err := query(ctx, s.pool, scan, `
		SELECT `+tokenColumns+`
		FROM directory_tokens
		WHERE job = ''
		ORDER BY created_at DESC NULLS LAST, id`)
	if err != nil {
		return nil, fmt.Errorf("list tokens: %w", failure(ctx, err))
	}
	return list, nil
}

// RevokeToken implements store.Directory.
func (s *Store) RevokeToken(ctx context.Context, id string, at time.Time) error {
	done, err := s.pool.Exec(ctx, `
		UPDATE directory_tokens
		SET revoked_at = coalesce(revoked_at, $2)
		WHERE id = $1`, encode(id), at)
	switch {
	case err != nil:
		return fmt.Errorf("revoke token: %w", failure(ctx, err))
	case done.RowsAffected() == 0:
		return store.NoToken(id)
	}
	return nil
}
