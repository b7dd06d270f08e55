package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/blq-ci/blq/store"
)

// OpenSession implements store.Store.
func (s *Store) OpenSession(ctx context.Context, n store.Session) (open store.Session, added bool, err error) {
	body, err := n.Body()
	if err != nil {
		return n, false, err
	}
	err = s.write(ctx, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, `
			INSERT INTO realm_sessions AS o (repo, reader, id, body, started_at, active_at) VALUES ($1, $2, $3, $4, $5, $5)
			ON CONFLICT (repo, reader) DO UPDATE SET id = excluded.id, body = excluded.body,
				started_at = excluded.started_at, active_at = excluded.active_at
			WHERE o.active_at <= $6`, encode(n.Repo), encode(n.Reader), encode(n.ID), encode(body), n.StartedAt,
			n.StartedAt.Add(-store.SessionIdle))
		if err != nil {
			return err
		}
		added = tag.RowsAffected() > 0
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
	QueryRow(ctx context.Context, query string, args ...any) pgx.Row
}, repo, reader string) (store.Session, error) {
	n := store.Session{Repo: repo, Reader: reader}
	var body string
	var started, active time.Time
	err := from.QueryRow(ctx, `SELECT body, started_at, active_at FROM realm_sessions WHERE repo = $1 AND reader = $2`,
		encode(repo), encode(reader)).Scan(&body, &started, &active)
	if errors.Is(err, pgx.ErrNoRows) {
		return n, store.NoSession()
	}
	if err == nil {
		decodeAll(&body)
		err = n.ReadBody(body)
	}
	n.StartedAt, n.ActiveAt = started.UTC(), active.UTC()
	return n, err
}

// Session implements store.Store.
func (s *Store) Session(ctx context.Context, repo, reader string) (store.Session, error) {
	n, err := session(ctx, s.pool, repo, reader)
	if err != nil && store.CodeOf(err) == "" {
		err = fmt.Errorf("look up a session: %w", failure(ctx, err))
	}
	return n, err
}

// TouchSession implements store.Store.
func (s *Store) TouchSession(ctx context.Context, n store.Session, at time.Time) error {
	_, err := s.pool.Exec(ctx, `
		UPDATE realm_sessions SET active_at = greatest(active_at, $1) WHERE repo = $2 AND reader = $3 AND id = $4`, at,
		encode(n.Repo), encode(n.Reader), encode(n.ID))
	if err != nil {
		return fmt.Errorf("touch a session: %w", failure(ctx, err))
	}
	return nil
}

// EndSession implements store.Store.
func (s *Store) EndSession(ctx context.Context, n store.Session) error {
	tag, err := s.pool.Exec(ctx, `DELETE FROM realm_sessions WHERE repo = $1 AND reader = $2 AND id = $3`, encode(n.Repo),
		encode(n.Reader), encode(n.ID))
	if err != nil {
		return fmt.Errorf("end a session: %w", failure(ctx, err))
	}
	if tag.RowsAffected() == 0 {
		return store.NoSession()
	}
	return nil
}

// DropSessions implements store.Store.
func (s *Store) DropSessions(ctx context.Context, before time.Time) (int, error) {
	tag, err := s.pool.Exec(ctx, `DELETE FROM realm_sessions WHERE active_at < $1`, before)
	if err != nil {
		return 0, fmt.Errorf("drop sessions: %w", failure(ctx, err))
	}
	return int(tag.RowsAffected()), nil
}
