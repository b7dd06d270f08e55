package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/blq-ci/blq/store"
)

// OpenSession implements store.Store.
func (s *Store) OpenSession(ctx context.Context, n store.Session) (open store.Session, added bool, err error) {
	body, err := n.Body()
	if err != nil {
		return n, false, err
	}
	err = s.write(ctx, func(tx *sql.Tx) error {
		r, err := tx.ExecContext(ctx, `
			INSERT INTO realm_sessions (repo, reader, id, body, started_at, active_at) VALUES (?, ?, ?, ?, ?5, ?5)
			ON CONFLICT DO UPDATE SET id = excluded.id, body = excluded.body, started_at = excluded.started_at,
				active_at = excluded.active_at
			WHERE active_at <= ?6`, n.Repo, n.Reader, n.ID, body, micros(n.StartedAt),
			micros(n.StartedAt.Add(-store.SessionIdle)))
		if err != nil {
			return err
		}
		changed, err := r.RowsAffected()
		if err != nil {
			return err
		}
		added = changed > 0
		open, err = session(ctx, tx, n.Repo, n.Reader)
		return err
	})
	if err != nil {
		return n, false, fmt.Errorf("open a session: %w", err)
	}
	return open, added, nil
}

// session returns the session of a reader.
func session(ctx context.Context, from interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}, repo, reader string) (store.Session, error) {
	n := store.Session{Repo: repo, Reader: reader}
	var body string
	var started, active int64
	err := from.QueryRowContext(ctx, `
		SELECT body, started_at, active_at FROM realm_sessions WHERE repo = ? AND reader = ?`, repo, reader).Scan(&body,
		&started, &active)
	if errors.Is(err, sql.ErrNoRows) {
		return n, store.NoSession()
	}
	if err == nil {
		err = n.ReadBody(body)
	}
	n.StartedAt, n.ActiveAt = fromMicros(started), fromMicros(active)
	return n, err
}

// Session implements store.Store.
func (s *Store) Session(ctx context.Context, repo, reader string) (store.Session, error) {
	n, err := session(ctx, s.reader, repo, reader)
	if err != nil && store.CodeOf(err) == "" {
		err = fmt.Errorf("look up a session: %w", err)
	}
	return n, err
}

// TouchSession implements store.Store.
func (s *Store) TouchSession(ctx context.Context, n store.Session, at time.Time) error {
	err := s.write(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `
			UPDATE realm_sessions SET active_at = max(active_at, ?) WHERE repo = ? AND reader = ? AND id = ?`, micros(at), n.Repo,
			n.Reader, n.ID)
		return err
	})
	if err != nil {
		return fmt.Errorf("touch a session: %w", err)
	}
	return nil
}

// EndSession implements store.Store.
func (s *Store) EndSession(ctx context.Context, n store.Session) error {
	gone := 0
	err := s.write(ctx, func(tx *sql.Tx) error {
		ids, err := query(ctx, tx, store.ScanOne[string], `
			DELETE FROM realm_sessions WHERE repo = ? AND reader = ? AND id = ? RETURNING id`, n.Repo, n.Reader, n.ID)
		gone = len(ids)
		return err
	})
	if err != nil {
		return fmt.Errorf("end a session: %w", err)
	}
	if gone == 0 {
		return store.NoSession()
	}
	return nil
}

// DropSessions implements store.Store.
func (s *Store) DropSessions(ctx context.Context, before time.Time) (n int, err error) {
	err = s.write(ctx, func(tx *sql.Tx) error {
		gone, err := query(ctx, tx, store.ScanOne[string], `DELETE FROM realm_sessions WHERE active_at < ? RETURNING id`,
			micros(before))
		n = len(gone)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("drop sessions: %w", err)
	}
	return n, nil
}
