package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/blq-ci/blq/store"
)

const sourceColumns = store.SourceSQL + `, fetched_at, checked_at`

func scanSource(scan func(...any) error) (store.SourceVersion, error) {
	var v store.SourceVersion
	var fetched, checked time.Time
	err := scan(append(v.Columns(), &fetched, &checked)...)
	decodeAll(&v.Repo, &v.Alias, &v.Key, &v.Title, &v.URL, &v.FinalURL, &v.ETag, &v.LastModified)
	v.FetchedAt, v.CheckedAt = fetched.UTC(), checked.UTC()
	return v, err
}

// Sources implements store.Store.
func (s *Store) Sources(ctx context.Context, sc store.Scope, repo string) ([]store.SourceVersion, error) {
	if !sc.Has(repo) {
		return nil, nil
	}
	list, err := query(ctx, s.pool, scanSource, `
		SELECT `+sourceColumns+`
		FROM doc_sources
		WHERE id IN (SELECT max(id) FROM doc_sources WHERE repo = $1 GROUP BY alias)
		ORDER BY alias`, encode(repo))
	if err != nil {
		return nil, fmt.Errorf("list sources: %w", failure(ctx, err))
	}
	return list, nil
}

// SourceVersions implements store.Store.
func (s *Store) SourceVersions(ctx context.Context, sc store.Scope, repo, alias string) ([]store.SourceVersion, error) {
	if !sc.Has(repo) {
		return nil, store.NoSource(alias)
	}
	list, err := query(ctx, s.pool, scanSource, `
		SELECT `+sourceColumns+`
		FROM doc_sources
		WHERE repo = $1 AND alias = $2
		ORDER BY id DESC`, encode(repo), encode(alias))
	if err != nil {
		return nil, fmt.Errorf("list versions of %s: %w", alias, failure(ctx, err))
	}
	if len(list) == 0 {
		return nil, store.NoSource(alias)
	}
	return list, nil
}

// fetching is the hash seed of a repository's advisory lock for adding versions of sources and attestations.
const fetching = maintenance + 3

// AddSourceVersion implements store.Store. Calls for the same repository run one at a time.
func (s *Store) AddSourceVersion(ctx context.Context, v store.SourceVersion, fresh bool) (store.SourceVersion, error) {
	v, err := v.Checked()
	if err != nil {
		return v, err
	}
	var added store.SourceVersion
	err = s.write(ctx, func(tx pgx.Tx) error {
		added = v
		if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock(hashtextextended($1, $2))`, encode(v.Repo),
			fetching); err != nil {
			return err
		}
		newest, err := scanSource(tx.QueryRow(ctx, `
			SELECT `+sourceColumns+` FROM doc_sources WHERE repo = $1 AND alias = $2 ORDER BY id DESC LIMIT 1`,
			encode(v.Repo), encode(v.Alias)).Scan)
		switch {
		case errors.Is(err, pgx.ErrNoRows):
			if err := roomForSource(ctx, tx, v.Repo); err != nil {
				return err
			}
		case err != nil:
			return err
		case fresh:
			return store.SourceTaken(v.Alias)
		case newest.Digest == v.Digest:
			added.FetchedAt = newest.FetchedAt
		}
		var key string
		err = tx.QueryRow(ctx, `
			DELETE FROM doc_sources WHERE repo = $1 AND alias = $2 AND digest = $3 RETURNING key`,
			encode(v.Repo), encode(v.Alias), v.Digest).Scan(&key)
		if err == nil { // the source already has a version with this text, which keeps its object
			added.Key = decode(key)
		} else if !errors.Is(err, pgx.ErrNoRows) {
			return err
		}
		if err := insertSource(ctx, tx, added); err != nil {
			return err
		}
		_, err = dropSources(ctx, tx, `id IN (
			SELECT id FROM doc_sources WHERE repo = $1 AND alias = $2 ORDER BY id DESC OFFSET $3)`,
			encode(v.Repo), encode(v.Alias), store.MaxSourceVersions)
		return err
	})
	if err != nil {
		return store.SourceVersion{}, fmt.Errorf("add source: %w", err)
	}
	return added, nil
}

// roomForSource returns a TooLarge error if a repository has as many sources as it may have.
func roomForSource(ctx context.Context, tx pgx.Tx, repo string) error {
	var n int
	err := tx.QueryRow(ctx, `SELECT count(DISTINCT alias) FROM doc_sources WHERE repo = $1`, encode(repo)).Scan(&n)
	if err == nil && n >= store.MaxSources {
		err = store.TooManySources()
	}
	return err
}

func insertSource(ctx context.Context, tx pgx.Tx, v store.SourceVersion) error {
	if err := knowRepo(ctx, tx, v.Repo); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, `
		INSERT INTO doc_sources (`+sourceColumns+`)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)`,
		encode(v.Repo), encode(v.Alias), v.Digest, encode(v.Key), v.Bytes, v.Lines, v.Headings, encode(v.Title),
		encode(v.URL), encode(v.FinalURL), encode(v.ETag), encode(v.LastModified), int64(v.Took), v.FetchedAt, v.CheckedAt)
	return err
}

// dropSources removes the versions that match a condition, and adds their texts to the garbage. It returns the number
// of removed versions.
func dropSources(ctx context.Context, tx pgx.Tx, condition string, args ...any) (int, error) {
	tag, err := tx.Exec(ctx, `
		WITH gone AS (DELETE FROM doc_sources WHERE `+condition+` RETURNING key)
		INSERT INTO garbage (key) SELECT key FROM gone ON CONFLICT DO NOTHING`, args...)
	return int(tag.RowsAffected()), err
}

// RemoveSource implements store.Store.
func (s *Store) RemoveSource(ctx context.Context, repo, alias string) (int, error) {
	n := 0
	err := s.write(ctx, func(tx pgx.Tx) (err error) {
		n, err = dropSources(ctx, tx, `repo = $1 AND alias = $2`, encode(repo), encode(alias))
		if err == nil && n == 0 {
			err = store.NoSource(alias)
		}
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("remove source: %w", err)
	}
	return n, nil
}
