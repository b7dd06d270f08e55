package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"strings"

	"github.com/blq-ci/blq/store"
)

// move gives what is stored of an enrolled repository its new name, see store.Moves. It is called before the
// directory has that name.
func move(ctx context.Context, tx *sql.Tx, r store.EnrolledRepo) error {
	var from string
	err := tx.QueryRowContext(ctx, `SELECT name FROM directory_repos WHERE host = ? AND id = ?`, r.Host, r.ID).Scan(&from)
	if errors.Is(err, sql.ErrNoRows) || err == nil && from == r.Name {
		return nil
	}
	if err != nil {
		return err
	}
	var free bool
	if err := tx.QueryRowContext(ctx, positional(store.IsFree()), r.Name).Scan(&free); err != nil || !free {
		return err
	}
	for _, text := range append(store.Moves(), movesOfUsage...) {
		if _, err := tx.ExecContext(ctx, positional(text), from, r.Name); err != nil {
			return err
		}
	}
	return nil
}

// positional returns a statement with SQLite's parameters: $1 is ?1.
func positional(text string) string { return strings.ReplaceAll(text, "$", "?") }

// movesOfUsage move what is counted: to the sum of another owner, too.
var movesOfUsage = []string{
	`DELETE FROM usage WHERE repo = ?2 AND ?1 <> ?2`, `
	INSERT INTO usage (owner, repo, day, day_runs, day_events, runs, events, bytes)
	SELECT o.owner, '/', 0, 0, 0, o.sign * u.runs, o.sign * u.events, o.sign * u.bytes
	FROM usage u
	CROSS JOIN (
		SELECT lower(substr(?1, 1, instr(?1 || '/', '/') - 1)) AS owner, -1 AS sign
		UNION ALL
		SELECT lower(substr(?2, 1, instr(?2 || '/', '/') - 1)), 1
	) o
	WHERE u.repo = ?1 AND lower(substr(?1, 1, instr(?1, '/'))) <> lower(substr(?2, 1, instr(?2, '/')))
	ON CONFLICT (owner, repo) DO UPDATE
	SET runs = runs + excluded.runs, events = events + excluded.events, bytes = bytes + excluded.bytes`, `
	UPDATE usage SET owner = lower(substr(?2, 1, instr(?2 || '/', '/') - 1)), repo = ?2 WHERE repo = ?1`,
}
