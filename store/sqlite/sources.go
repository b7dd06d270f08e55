package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/blq-ci/blq/store"
)

const sourceColumns = store.SourceSQL + `, fetched_at, checked_at`

func scanSource(scan func(...any) error) (store.SourceVersion, error) {
	var v store.SourceVersion
	var fetched, checked int64
	err := scan(append(v.Columns(), &fetched, &checked)...)
	v.FetchedAt, v.CheckedAt = fromMicros(fetched), fromMicros(checked)
	return v, err
}

// Sources implements store.Store.
func (s *Store) Sources(ctx context.Context, sc store.Scope, repo string) ([]store.SourceVersion, error) {
	if !sc.Has(repo) {
		return nil, nil
	}
	list, err := readList(ctx, s, scanSource, `
		SELECT `+sourceColumns+`
		FROM doc_sources
		WHERE id IN (SELECT max(id) FROM doc_sources WHERE repo = ? GROUP BY alias)
		ORDER BY alias`, repo)
	if err != nil {
		return nil, fmt.Errorf("list sources: %w", err)
	}
	return list, nil
}

// SourceVersions implements store.Store.
func (s *Store) SourceVersions(ctx context.Context, sc store.Scope, repo, alias string) ([]store.SourceVersion, error) {
	if !sc.Has(repo) {
		return nil, store.NoSource(alias)
	}
	list, err := readList(ctx, s, scanSource, `
		SELECT `+sourceColumns+`
		FROM doc_sources
		WHERE repo = ? AND alias = ?
		ORDER BY id DESC`, repo, alias)
	if err != nil {
		return nil, fmt.Errorf("list versions of %s: %w", alias, err)
	}
	if len(list) == 0 {
		return nil, store.NoSource(alias)
	}
	return list, nil
}

// AddSourceVersion implements store.Store.
func (s *Store) AddSourceVersion(ctx context.Context, v store.SourceVersion, fresh bool) (store.SourceVersion, error) {
	v, err := v.Checked()
	if err != nil {
		return v, err
	}
	var added store.SourceVersion
	err = s.write(ctx, func(tx *sql.Tx) error {
		added = v
		newest, err := scanSource(tx.QueryRowContext(ctx, `
			SELECT `+sourceColumns+` FROM doc_sources WHERE repo = ? AND alias = ? ORDER BY id DESC LIMIT 1`,
			v.Repo, v.Alias).Scan)
		switch {
		case errors.Is(err, sql.ErrNoRows):
			if err := roomForSource(ctx, tx, v.Repo); err != nil {
				return err
			}
		case err != nil:
			return err
		case fresh:
			return store.SourceTaken(v.Alias)
		case newest.Digest == v.Digest:
			added.Key, added.FetchedAt = newest.Key, newest.FetchedAt
		}
		// A stored version with the same text keeps its object.
		if err := tx.QueryRowContext(ctx, `
			DELETE FROM doc_sources WHERE repo = ? AND alias = ? AND digest = ? RETURNING key`,
			v.Repo, v.Alias, v.Digest).Scan(&added.Key); err != nil && !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		if err := insertSource(ctx, tx, added); err != nil {
			return err
		}
		_, err = dropSources(ctx, tx, `id IN (
			SELECT id FROM doc_sources WHERE repo = ? AND alias = ? ORDER BY id DESC LIMIT -1 OFFSET ?)`,
			v.Repo, v.Alias, store.MaxSourceVersions)
		return err
	})
	if err != nil {
		return store.SourceVersion{}, fmt.Errorf("add source: %w", err)
	}
	return added, nil
}

// roomForSource returns a TooLarge error if a repository may not add another source.
func roomForSource(ctx context.Context, tx *sql.Tx, repo string) error {
	var n int
	err := tx.QueryRowContext(ctx, `SELECT count(DISTINCT alias) FROM doc_sources WHERE repo = ?`, repo).Scan(&n)
	if err == nil && n >= store.MaxSources {
		err = store.TooManySources()
	}
	return err
}

func insertSource(ctx context.Context, tx *sql.Tx, v store.SourceVersion) error {
	_, err := tx.ExecContext(ctx, `
		INSERT INTO doc_sources (`+sourceColumns+`) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		v.Repo, v.Alias, v.Digest, v.Key, v.Bytes, v.Lines, v.Headings, v.Title, v.URL, v.FinalURL, v.ETag, v.LastModified,
		int64(v.Took), micros(v.FetchedAt), micros(v.CheckedAt))
	return err
}

// dropSources removes the versions of sources that match a condition, and returns the number of versions.
func dropSources(ctx context.Context, tx *sql.Tx, condition string, args ...any) (int, error) {
	keys, err := query(ctx, tx, store.ScanOne[string],
		`DELETE FROM doc_sources WHERE `+condition+` RETURNING key`, args...)
	if err == nil && len(keys) > 0 {
		_, err = tx.ExecContext(ctx, `INSERT OR IGNORE INTO garbage (key) SELECT value FROM json_each(?)`, jsonList(keys))
	}
	return len(keys), err
}

// RemoveSource implements store.Store.
func (s *Store) RemoveSource(ctx context.Context, repo, alias string) (int, error) {
	n := 0
	err := s.write(ctx, func(tx *sql.Tx) (err error) {
		n, err = dropSources(ctx, tx, `repo = ? AND alias = ?`, repo, alias)
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
