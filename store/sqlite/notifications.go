package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/blq-ci/blq/store"
)

// newsOf is a repository with the number of its news; see store.Notifications.RealmNews.
type newsOf struct {
	repo string
	n    int
}

// RealmNews implements store.Store.
func (s *Store) RealmNews(ctx context.Context) (map[string]int, error) {
	list, err := query(ctx, s.reader, func(scan func(...any) error) (n newsOf, err error) {
		err = scan(&n.repo, &n.n)
		return n, err
	}, `SELECT repo, n FROM realm_news`)
	if err != nil {
		return nil, fmt.Errorf("list news of realms: %w", err)
	}
	all := map[string]int{}
	for _, n := range list {
		all[n.repo] = n.n
	}
	return all, nil
}

// RealmState implements store.Store.
func (s *Store) RealmState(ctx context.Context, realm string) (store.RealmState, error) {
	var state store.RealmState
	var heads string
	err := s.reader.QueryRowContext(ctx, `SELECT heads, version FROM realm_states WHERE realm = ?`, realm).Scan(&heads,
		&state.Version)
	if errors.Is(err, sql.ErrNoRows) {
		return state, nil
	}
	if err == nil {
		err = json.Unmarshal([]byte(heads), &state.Heads)
	}
	if err != nil {
		return state, fmt.Errorf("look up the realm %s: %w", realm, err)
	}
	return state, nil
}

// Announce implements store.Store.
func (s *Store) Announce(ctx context.Context, a store.Announcement) (added int, err error) {
	heads, err := json.Marshal(a.Heads)
	if err != nil {
		return 0, err
	}
	err = s.write(ctx, func(tx *sql.Tx) error {
		added = 0
		if a.Realm != "" {
			r, err := tx.ExecContext(ctx, `
				INSERT INTO realm_states (realm, heads, version) SELECT ?1, ?2, 1 WHERE ?3 = 0
				ON CONFLICT (realm) DO NOTHING`, a.Realm, string(heads), a.Version)
			if err == nil && a.Version > 0 {
				r, err = tx.ExecContext(ctx, `UPDATE realm_states SET heads = ?, version = version + 1
					WHERE realm = ? AND version = ?`, string(heads), a.Realm, a.Version)
			}
			if err != nil {
				return err
			}
			if n, err := r.RowsAffected(); err != nil || n == 0 {
				return errors.Join(err, a.Stale())
			}
		}
		for _, t := range a.Told {
			isNew, err := tell(ctx, tx, a.Realm, t)
			if err != nil {
				return err
			}
			added += isNew
		}
		for repo, n := range a.News {
			if _, err := tx.ExecContext(ctx, `DELETE FROM realm_news WHERE repo = ? AND n = ?`, repo, n); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("announce changes of contracts: %w", err)
	}
	return added, nil
}

// tell adds a notification of a realm, and returns 1 if the notification is new.
func tell(ctx context.Context, tx *sql.Tx, realm string, t store.Told) (int, error) {
	body, err := t.Body()
	if err != nil {
		return 0, err
	}
	r, err := tx.ExecContext(ctx, `
		INSERT INTO notifications (id, key, realm, subject, body, supersedes, created_at)
		SELECT ?1, ?2, ?3, ?4, ?5, coalesce((
			SELECT id FROM notifications WHERE realm = ?3 AND subject = ?4 ORDER BY created_at DESC, id DESC LIMIT 1), ''), ?6
		WHERE true
		ON CONFLICT (key) DO NOTHING`, t.ID, t.Key, realm, t.Subject(), body, micros(t.CreatedAt))
	if err != nil {
		return 0, err
	}
	if n, err := r.RowsAffected(); err != nil || n == 0 {
		return 0, err
	}
	_, err = tx.ExecContext(ctx, `
		INSERT OR IGNORE INTO notification_recipients (repo, notification) SELECT value, ? FROM json_each(?)`, t.ID,
		jsonList(t.To))
	return 1, err
}

// Notifications implements store.Store.
func (s *Store) Notifications(ctx context.Context, sc store.Scope, repo, reader string) ([]store.Notification, error) {
	if !sc.Has(repo) {
		return nil, nil
	}
	list, err := query(ctx, s.reader, func(scan func(...any) error) (n store.Notification, err error) {
		var body string
		var created, seen, expired int64
		if err = scan(&n.ID, &n.Key, &body, &n.Supersedes, &created, &seen, &expired); err == nil {
			err = n.ReadBody(body)
		}
		n.CreatedAt, n.SeenAt, n.ExpiredAt = fromMicros(created), fromMicros(seen), fromMicros(expired)
		return n, err
	}, `
		SELECT n.id, n.key, n.body, n.supersedes, n.created_at, coalesce(r.seen_at, 0), coalesce(r.expired_at, 0)
		FROM (SELECT notification FROM notification_recipients WHERE repo = ?1 ORDER BY notification DESC LIMIT ?3) t
		JOIN notifications n ON n.id = t.notification
		LEFT JOIN notification_reads r ON r.notification = n.id AND r.repo = ?1 AND r.reader = ?2
		ORDER BY n.created_at DESC, n.id DESC`, repo, reader, store.MaxNotifications)
	if err != nil {
		return nil, fmt.Errorf("list notifications: %w", err)
	}
	return list, nil
}

// Notified implements store.Store.
func (s *Store) Notified(ctx context.Context, repo, id string) (is bool, err error) {
	err = s.reader.QueryRowContext(ctx, `
		SELECT EXISTS (SELECT 1 FROM notification_recipients WHERE repo = ? AND notification = ?)`, repo, id).Scan(&is)
	if err != nil {
		return false, fmt.Errorf("look up a notification: %w", err)
	}
	return is, nil
}

// MarkNotifications implements store.Store.
func (s *Store) MarkNotifications(ctx context.Context, repo, reader string, seen, expired []string,
	at time.Time) error {
	err := s.write(ctx, func(tx *sql.Tx) error {
		for _, m := range []struct {
			ids    []string
			column string
		}{{seen, "seen_at"}, {expired, "expired_at"}} {
			_, err := tx.ExecContext(ctx, `
				INSERT INTO notification_reads (notification, repo, reader, seen_at, expired_at)
				SELECT t.notification, t.repo, ?2, iif(?5 = 'seen_at', ?4, 0), iif(?5 = 'expired_at', ?4, 0)
				FROM notification_recipients t
				WHERE t.repo = ?1 AND t.notification IN (SELECT value FROM json_each(?3))
				ON CONFLICT DO UPDATE SET `+m.column+` = excluded.`+m.column+` WHERE `+m.column+` = 0`,
				repo, reader, jsonList(m.ids), micros(at), m.column)
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("mark notifications: %w", err)
	}
	return nil
}

// DropNotifications implements store.Store.
func (s *Store) DropNotifications(ctx context.Context, before time.Time) (n int, err error) {
	err = s.write(ctx, func(tx *sql.Tx) error {
		gone, err := query(ctx, tx, store.ScanOne[string], `DELETE FROM notifications WHERE created_at < ? RETURNING id`,
			micros(before))
		if n = len(gone); err != nil || n == 0 {
			return err
		}
		for _, table := range []string{"notification_recipients", "notification_reads"} {
			_, err := tx.ExecContext(ctx, `DELETE FROM `+table+` WHERE notification IN (SELECT value FROM json_each(?))`,
				jsonList(gone))
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("drop notifications: %w", err)
	}
	return n, nil
}
