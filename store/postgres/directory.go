package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/blq-ci/blq/store"
)

var _ store.Directory = (*Store)(nil)

func scanEnrolled(scan func(...any) error) (store.EnrolledRepo, error) {
	var r store.EnrolledRepo
	var enrolled *time.Time
	err := scan(r.Columns(&enrolled)...)
	r.Name, r.DefaultBranch, r.EnrolledAt = decode(r.Name), decode(r.DefaultBranch), fromTime(enrolled)
	return r, err
}

// EnrolRepo implements store.Directory.
func (s *Store) EnrolRepo(ctx context.Context, r store.EnrolledRepo) (store.EnrolledRepo, error) {
	r, err := r.Checked()
	if err != nil {
		return store.EnrolledRepo{}, err
	}
	if len(encode(r.Name)) > maxName || len(encode(r.Host)) > maxName {
		return store.EnrolledRepo{}, store.Errorf(store.Invalid, "the repository's name is longer than %d bytes", maxName)
	}
	var kept store.EnrolledRepo
	err = s.write(ctx, func(tx pgx.Tx) error {
		if err := store.GiveName(ctx, enrolTx{tx}, r); err != nil {
			return err
		}
		kept, err = scanEnrolled(tx.QueryRow(ctx, `
			INSERT INTO directory_repos (`+store.EnrolledSQL+`) VALUES ($1, $2, $3, $4, $5, $6)
			ON CONFLICT (host, id) DO UPDATE
			SET name = excluded.name, default_branch = excluded.default_branch, public = excluded.public
			RETURNING `+store.EnrolledSQL,
			encode(r.Host), r.ID, encode(r.Name), encode(r.DefaultBranch), r.Public, timeOf(r.EnrolledAt)).Scan)
		return err
	})
	if stateOf(err) == uniqueViolation {
		return store.EnrolledRepo{}, store.NameEnrolled(r.Name)
	}
	if err != nil {
		return store.EnrolledRepo{}, fmt.Errorf("enrol repository: %w", failure(ctx, err))
	}
	return kept, nil
}

// WithdrawRepo implements store.Directory.
func (s *Store) WithdrawRepo(ctx context.Context, host string, id int64) error {
	err := s.write(ctx, func(tx pgx.Tx) error {
		done, err := tx.Exec(ctx, `
			WITH gone AS (
				DELETE FROM directory_repos
				WHERE host = $1 AND id = $2
				RETURNING host, id, name
			)
			INSERT INTO directory_past (host, id, name)
			SELECT host, id, name FROM gone`, encode(host), id)
		if err == nil && done.RowsAffected() == 0 {
			return store.NotEnrolled(host, id)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("withdraw repository: %w", err)
	}
	return nil
}

// Handovers implements store.Directory.
func (s *Store) Handovers(ctx context.Context) (int64, error) {
	var n int64
	if err := s.pool.QueryRow(ctx, `SELECT n FROM directory_handovers`).Scan(&n); err != nil {
		return 0, fmt.Errorf("look up handovers: %w", failure(ctx, err))
	}
	return n, nil
}

// EnrolledRepo implements store.Directory.
func (s *Store) EnrolledRepo(ctx context.Context, host string, id int64) (store.EnrolledRepo, error) {
	return first(ctx, s.pool, scanEnrolled, store.NotEnrolled(host, id), "repository", `
		SELECT `+store.EnrolledSQL+`
		FROM directory_repos
		WHERE host = $1 AND id = $2`, encode(host), id)
}

// EnrolledRepos implements store.Directory.
func (s *Store) EnrolledRepos(ctx context.Context) ([]store.EnrolledRepo, error) {
	list, err := query(ctx, s.pool, scanEnrolled, `
		SELECT `+store.EnrolledSQL+`
		FROM directory_repos
		ORDER BY name`)
	if err != nil {
		return nil, fmt.Errorf("list repositories: %w", failure(ctx, err))
	}
	return list, nil
}

// UseOnce implements store.Directory.
func (s *Store) UseOnce(ctx context.Context, value string, until time.Time) error {
	done, err := s.pool.Exec(ctx, `
		INSERT INTO directory_used (value, until) VALUES ($1, $2)
		ON CONFLICT DO NOTHING`, encode(value), until)
	switch {
	case err != nil:
		return fmt.Errorf("note a use: %w", failure(ctx, err))
	case done.RowsAffected() == 0:
		return store.UsedBefore()
	}
	return nil
}

// ForgetUsed implements store.Directory.
func (s *Store) ForgetUsed(ctx context.Context, before time.Time) (int, error) {
	forgotten := 0
	for _, q := range []string{
		`DELETE FROM directory_used WHERE until < $1`,
		`DELETE FROM directory_tokens WHERE job <> '' AND expires_at < $1`,
		`DELETE FROM directory_sign_ins WHERE expires_at < $1`,
	} {
		done, err := s.pool.Exec(ctx, q, before)
		if err != nil {
			return 0, fmt.Errorf("forget used values: %w", failure(ctx, err))
		}
		forgotten += int(done.RowsAffected())
	}
	return forgotten, nil
}
