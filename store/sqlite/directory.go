package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/blq-ci/blq/store"
)

var _ store.Directory = (*Store)(nil)

func scanEnrolled(scan func(...any) error) (store.EnrolledRepo, error) {
	var r store.EnrolledRepo
	var enrolled int64
	err := scan(r.Columns(&enrolled)...)
	r.EnrolledAt = fromMicros(enrolled)
	return r, err
}

// EnrolRepo implements store.Directory.
func (s *Store) EnrolRepo(ctx context.Context, r store.EnrolledRepo) (store.EnrolledRepo, error) {
	r, err := r.Checked()
	if err != nil {
		return store.EnrolledRepo{}, err
	}
	var kept store.EnrolledRepo
	err = s.write(ctx, func(tx *sql.Tx) error {
		if err := store.GiveName(ctx, enrolTx{tx}, r); err != nil {
			return err
		}
		kept, err = scanEnrolled(tx.QueryRowContext(ctx, `
			INSERT INTO directory_repos (`+store.EnrolledSQL+`) VALUES (?, ?, ?, ?, ?, ?)
			ON CONFLICT (host, id) DO UPDATE
			SET name = excluded.name, default_branch = excluded.default_branch, public = excluded.public
			RETURNING `+store.EnrolledSQL,
			r.Host, r.ID, r.Name, r.DefaultBranch, r.Public, micros(r.EnrolledAt)).Scan)
		return err
	})
	if isTaken(err) {
		return store.EnrolledRepo{}, store.NameEnrolled(r.Name)
	}
	if err != nil {
		return store.EnrolledRepo{}, fmt.Errorf("enrol repository: %w", err)
	}
	return kept, nil
}

// WithdrawRepo implements store.Directory.
func (s *Store) WithdrawRepo(ctx context.Context, host string, id int64) error {
	err := s.write(ctx, func(tx *sql.Tx) error {
		var name string
		err := tx.QueryRowContext(ctx, `DELETE FROM directory_repos WHERE host = ? AND id = ? RETURNING name`, host, id).
			Scan(&name)
		if errors.Is(err, sql.ErrNoRows) {
			return store.NotEnrolled(host, id)
		}
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO directory_past (host, id, name) VALUES (?, ?, ?)`, host, id, name)
		return err
	})
	if err != nil {
		return fmt.Errorf("withdraw repository: %w", err)
	}
	return nil
}

// Handovers implements store.Directory.
func (s *Store) Handovers(ctx context.Context) (int64, error) {
	db, leave, err := s.read(ctx)
	if err != nil {
		return 0, err
	}
	defer leave()
	var n int64
	if err := db.QueryRowContext(ctx, `SELECT n FROM directory_handovers`).Scan(&n); err != nil {
		return 0, fmt.Errorf("look up handovers: %w", busyError(err))
	}
	return n, nil
}

// EnrolledRepo implements store.Directory.
func (s *Store) EnrolledRepo(ctx context.Context, host string, id int64) (store.EnrolledRepo, error) {
	db, leave, err := s.read(ctx)
	if err != nil {
		return store.EnrolledRepo{}, err
	}
	defer leave()
	r, err := scanEnrolled(db.QueryRowContext(ctx, `
		SELECT `+store.EnrolledSQL+`
		FROM directory_repos
		WHERE host = ? AND id = ?`, host, id).Scan)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return store.EnrolledRepo{}, store.NotEnrolled(host, id)
	case err != nil:
		return store.EnrolledRepo{}, fmt.Errorf("look up repository: %w", busyError(err))
	}
	return r, nil
}

// EnrolledRepos implements store.Directory.
func (s *Store) EnrolledRepos(ctx context.Context) ([]store.EnrolledRepo, error) {
	list, err := query(ctx, s.reader, scanEnrolled, `
		SELECT `+store.EnrolledSQL+`
		FROM directory_repos
		ORDER BY name COLLATE BINARY`)
	if err != nil {
		return nil, fmt.Errorf("list repositories: %w", err)
	}
	return list, nil
}

// UseOnce implements store.Directory.
func (s *Store) UseOnce(ctx context.Context, value string, until time.Time) error {
	err := s.write(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO directory_used (value, until) VALUES (?, ?)`, value, micros(until))
		return err
	})
	if isTaken(err) {
		return store.UsedBefore()
	}
	if err != nil {
		return fmt.Errorf("note a use: %w", err)
	}
	return nil
}

// ForgetUsed implements store.Directory.
func (s *Store) ForgetUsed(ctx context.Context, before time.Time) (int, error) {
	forgotten := 0
	err := s.write(ctx, func(tx *sql.Tx) error {
		for _, q := range []string{
			`DELETE FROM directory_used WHERE until < ?`,
			`DELETE FROM directory_tokens WHERE job <> '' AND expires_at < ?`,
			`DELETE FROM directory_sign_ins WHERE expires_at < ?`,
		} {
			res, err := tx.ExecContext(ctx, q, micros(before))
			if err != nil {
				return err
			}
			n, err := res.RowsAffected()
			if err != nil {
				return err
			}
			forgotten += int(n)
		}
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("forget used values: %w", err)
	}
	return forgotten, nil
}
