//go:build !job

package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"

	"github.com/blq-ci/blq/store"
)

var _ store.Notes = (*Store)(nil)

func scanNote(scan func(...any) error) (store.Note, error) {
	var n store.Note
	var body, posted string
	var at int64
	if err := scan(&n.Repo, &n.PR, &n.Author, &n.Rev, &body, &posted, &at); err != nil {
		return n, err
	}
	n.At = fromMicros(at)
	return n, n.ReadBodies(body, posted)
}

const selectNotes = `SELECT repo, pr, author, rev, body, posted, at FROM notes WHERE repo = ? AND pr = ?`

// PutNote implements store.Notes.
func (s *Store) PutNote(ctx context.Context, n store.Note) (store.Note, error) {
	n, err := n.Checked()
	if err != nil {
		return n, err
	}
	body, err := n.Body()
	if err != nil {
		return n, err
	}
	err = s.write(ctx, func(tx *sql.Tx) error {
		known, err := query(ctx, tx, scanNote, selectNotes+` AND author = ?`, n.Repo, n.PR, n.Author)
		if err != nil {
			return err
		}
		if len(known) > 0 && known[0].Stays(n) {
			n = known[0]
			return nil
		}
		n.Posted = store.Posting{}
		if err := tx.QueryRowContext(ctx, `
			INSERT INTO notes (repo, pr, author, rev, body, posted, at)
			SELECT ?1, ?2, ?3, coalesce(max(rev), 0) + 1, ?4, '{}', ?5 FROM notes WHERE repo = ?1 AND pr = ?2
			ON CONFLICT DO UPDATE SET rev = excluded.rev, body = excluded.body, posted = excluded.posted, at = excluded.at
			RETURNING rev`, n.Repo, n.PR, n.Author, body, micros(n.At)).Scan(&n.Rev); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `
			DELETE FROM notes
			WHERE repo = ?1 AND ((pr, author) IN (
				SELECT pr, author FROM notes WHERE repo = ?1 AND pr = ?2 ORDER BY rev DESC LIMIT -1 OFFSET ?3)
				OR (pr, author) IN (
				SELECT pr, author FROM notes WHERE repo = ?1 ORDER BY at DESC, pr, author LIMIT -1 OFFSET ?4))`,
			n.Repo, n.PR, store.MaxPullNotes, store.MaxNotes)
		return err
	})
	if err != nil {
		return n, fmt.Errorf("put a note: %w", err)
	}
	return n, nil
}

// Notes implements store.Notes.
func (s *Store) Notes(ctx context.Context, sc store.Scope, repo string, pr int) ([]store.Note, error) {
	if !sc.Has(repo) {
		return nil, nil
	}
	list, err := query(ctx, s.reader, scanNote, selectNotes+` ORDER BY rev`, repo, pr)
	if err != nil {
		return nil, fmt.Errorf("list notes: %w", err)
	}
	return list, nil
}

// MarkNotes implements store.Notes.
func (s *Store) MarkNotes(ctx context.Context, repo string, pr int, rev int64, p store.Posting) error {
	text, err := json.Marshal(p)
	if err != nil {
		return err
	}
	err = s.write(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE notes SET posted = ? WHERE repo = ? AND pr = ? AND rev <= ?`, string(text),
			repo, pr, rev)
		return err
	})
	if err != nil {
		return fmt.Errorf("mark notes: %w", err)
	}
	return nil
}
