package postgres

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/blq-ci/blq/store"
)

var _ store.Notes = (*Store)(nil)

// noting is the hash seed of the advisory lock that serializes changes to the notes of a repository.
const noting = maintenance + 4

func scanNote(scan func(...any) error) (store.Note, error) {
	var n store.Note
	var body, posted string
	var at time.Time
	if err := scan(&n.Repo, &n.PR, &n.Author, &n.Rev, &body, &posted, &at); err != nil {
		return n, err
	}
	decodeAll(&n.Repo, &n.Author, &body, &posted)
	n.At = at.UTC()
	return n, n.ReadBodies(body, posted)
}

const selectNotes = `SELECT repo, pr, author, rev, body, posted, at FROM notes WHERE repo = $1 AND pr = $2`

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
	err = s.write(ctx, func(tx pgx.Tx) error {
		repo := encode(n.Repo)
		if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock(hashtextextended($1, $2))`, repo, noting); err != nil {
			return err
		}
		known, err := query(ctx, tx, scanNote, selectNotes+` AND author = $3`, repo, n.PR, encode(n.Author))
		if err != nil {
			return err
		}
		if len(known) > 0 && known[0].Stays(n) {
			n = known[0]
			return nil
		}
		n.Posted = store.Posting{}
		if err := tx.QueryRow(ctx, `
			INSERT INTO notes (repo, pr, author, rev, body, posted, at)
			SELECT $1, $2, $3, coalesce(max(rev), 0) + 1, $4, '{}', $5 FROM notes WHERE repo = $1 AND pr = $2
			ON CONFLICT (repo, pr, author) DO UPDATE SET rev = excluded.rev, body = excluded.body, posted = excluded.posted,
				at = excluded.at
			RETURNING rev`, repo, n.PR, encode(n.Author), encode(body), n.At).Scan(&n.Rev); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `
			DELETE FROM notes
			WHERE repo = $1 AND ((pr, author) IN (
				SELECT pr, author FROM notes WHERE repo = $1 AND pr = $2 ORDER BY rev DESC OFFSET $3)
				OR (pr, author) IN (
				SELECT pr, author FROM notes WHERE repo = $1 ORDER BY at DESC, pr, author OFFSET $4))`,
			repo, n.PR, store.MaxPullNotes, store.MaxNotes)
		return err
	})
	if err != nil {
		return n, fmt.Errorf("put a note: %w", failure(ctx, err))
	}
	return n, nil
}

// Notes implements store.Notes.
func (s *Store) Notes(ctx context.Context, sc store.Scope, repo string, pr int) ([]store.Note, error) {
	if !sc.Has(repo) {
		return nil, nil
	}
	list, err := query(ctx, s.pool, scanNote, selectNotes+` ORDER BY rev`, encode(repo), pr)
	if err != nil {
		return nil, fmt.Errorf("list notes: %w", failure(ctx, err))
	}
	return list, nil
}

// MarkNotes implements store.Notes.
func (s *Store) MarkNotes(ctx context.Context, repo string, pr int, rev int64, p store.Posting) error {
	text, err := json.Marshal(p)
	if err != nil {
		return err
	}
	err = s.write(ctx, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `UPDATE notes SET posted = $1 WHERE repo = $2 AND pr = $3 AND rev <= $4`, encode(string(text)),
			encode(repo), pr, rev)
		return err
	})
	if err != nil {
		return fmt.Errorf("mark notes: %w", failure(ctx, err))
	}
	return nil
}
