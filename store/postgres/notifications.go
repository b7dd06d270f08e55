package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/blq-ci/blq/store"
)

// newsOf is a repository with new contracts, and its number; see store.Notifications.RealmNews.
type newsOf struct {
	repo string
	n    int
}

// RealmNews implements store.Store.
func (s *Store) RealmNews(ctx context.Context) (map[string]int, error) {
	list, err := query(ctx, s.pool, func(scan func(...any) error) (n newsOf, err error) {
		err = scan(&n.repo, &n.n)
		decodeAll(&n.repo)
		return n, err
	}, `SELECT repo, n FROM realm_news`)
	if err != nil {
		return nil, fmt.Errorf("list news of realms: %w", failure(ctx, err))
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
	err := s.pool.QueryRow(ctx, `SELECT heads, version FROM realm_states WHERE realm = $1`, encode(realm)).Scan(&heads,
		&state.Version)
	if errors.Is(err, pgx.ErrNoRows) {
		return state, nil
	}
	if err == nil {
		err = json.Unmarshal([]byte(heads), &state.Heads)
	}
	if err != nil {
		return state, fmt.Errorf("look up the realm %s: %w", realm, failure(ctx, err))
	}
	return state, nil
}

// Announce implements store.Store.
func (s *Store) Announce(ctx context.Context, a store.Announcement) (added int, err error) {
	heads, err := json.Marshal(a.Heads)
	if err != nil {
		return 0, err
	}
	err = s.write(ctx, func(tx pgx.Tx) error {
		added = 0
		if a.Realm != "" {
			q := `UPDATE realm_states SET heads = $2, version = version + 1 WHERE realm = $1 AND version = $3`
			if a.Version == 0 {
				q = `INSERT INTO realm_states (realm, heads, version) VALUES ($1, $2, $3 + 1) ON CONFLICT DO NOTHING`
			}
			tag, err := tx.Exec(ctx, q, encode(a.Realm), string(heads), int64(a.Version))
			if err != nil {
				return err
			}
			if tag.RowsAffected() == 0 {
				return a.Stale()
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
			if _, err := tx.Exec(ctx, `DELETE FROM realm_news WHERE repo = $1 AND n = $2`, encode(repo), n); err != nil {
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
func tell(ctx context.Context, tx pgx.Tx, realm string, t store.Told) (int, error) {
	body, err := t.Body()
	if err != nil {
		return 0, err
	}
	tag, err := tx.Exec(ctx, `
		INSERT INTO notifications (id, key, realm, subject, body, supersedes, created_at)
		SELECT $1, $2, $3::text, $4::text, $5, coalesce((
			SELECT id FROM notifications WHERE realm = $3 AND subject = $4 ORDER BY created_at DESC, id DESC LIMIT 1), ''),
			$6
		ON CONFLICT (key) DO NOTHING`, t.ID, t.Key, encode(realm), encode(t.Subject()), body, t.CreatedAt)
	if err != nil || tag.RowsAffected() == 0 {
		return 0, err
	}
	_, err = tx.Exec(ctx, `
		INSERT INTO notification_recipients (repo, notification) SELECT unnest($1::text[]), $2 ON CONFLICT DO NOTHING`,
		encodeAll(t.To), t.ID)
	return 1, err
}

// Notifications implements store.Store.
func (s *Store) Notifications(ctx context.Context, sc store.Scope, repo, reader string) ([]store.Notification, error) {
	if !sc.Has(repo) {
		return nil, nil
	}
	list, err := query(ctx, s.pool, func(scan func(...any) error) (n store.Notification, err error) {
		var body string
		var seen, expired *time.Time
		if err = scan(&n.ID, &n.Key, &body, &n.Supersedes, &n.CreatedAt, &seen, &expired); err == nil {
			err = n.ReadBody(body)
		}
		n.CreatedAt = n.CreatedAt.UTC()
		if seen != nil {
			n.SeenAt = seen.UTC()
		}
		if expired != nil {
			n.ExpiredAt = expired.UTC()
		}
		return n, err
	}, `
		SELECT n.id, n.key, n.body, n.supersedes, n.created_at, r.seen_at, r.expired_at
		FROM (SELECT notification FROM notification_recipients WHERE repo = $1 ORDER BY notification DESC LIMIT $3) t
		JOIN notifications n ON n.id = t.notification
		LEFT JOIN notification_reads r ON r.notification = n.id AND r.repo = $1 AND r.reader = $2
		ORDER BY n.created_at DESC, n.id DESC`, encode(repo), encode(reader), store.MaxNotifications)
	if err != nil {
		return nil, fmt.Errorf("list notifications: %w", failure(ctx, err))
	}
	return list, nil
}

// Notified implements store.Store.
func (s *Store) Notified(ctx context.Context, repo, id string) (is bool, err error) {
	err = s.pool.QueryRow(ctx, `
		SELECT EXISTS (SELECT 1 FROM notification_recipients WHERE repo = $1 AND notification = $2)`, encode(repo),
		id).Scan(&is)
	if err != nil {
		return false, fmt.Errorf("look up a notification: %w", failure(ctx, err))
	}
	return is, nil
}

// MarkNotifications implements store.Store.
func (s *Store) MarkNotifications(ctx context.Context, repo, reader string, seen, expired []string,
	at time.Time) error {
	err := s.write(ctx, func(tx pgx.Tx) error {
		for _, m := range []struct {
			ids    []string
			column string
		}{{seen, "seen_at"}, {expired, "expired_at"}} {
			_, err := tx.Exec(ctx, `
				INSERT INTO notification_reads AS r (notification, repo, reader, `+m.column+`)
				SELECT t.notification, t.repo, $2, $4
				FROM notification_recipients t
				WHERE t.repo = $1 AND t.notification = ANY ($3)
				ORDER BY t.notification
				ON CONFLICT (notification, repo, reader) DO UPDATE SET `+m.column+` = excluded.`+m.column+`
				WHERE r.`+m.column+` IS NULL`, encode(repo), encode(reader), m.ids, at)
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
	err = s.write(ctx, func(tx pgx.Tx) error {
		gone, err := query(ctx, tx, store.ScanOne[string], `DELETE FROM notifications WHERE created_at < $1 RETURNING id`,
			before)
		if n = len(gone); err != nil || n == 0 {
			return err
		}
		for _, table := range []string{"notification_recipients", "notification_reads"} {
			if _, err := tx.Exec(ctx, `DELETE FROM `+table+` WHERE notification = ANY ($1)`, gone); err != nil {
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
