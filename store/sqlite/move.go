package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"strings"
)

// enrolTx implements store.EnrolTx for store.GiveName. No other connection can write during the transaction.
type enrolTx struct{ tx *sql.Tx }

// Exec implements store.EnrolTx.
func (t enrolTx) Exec(ctx context.Context, text string, args ...any) error {
	_, err := t.tx.ExecContext(ctx, positional(text), args...)
	return err
}

// Row implements store.EnrolTx.
func (t enrolTx) Row(ctx context.Context, text string, args []any, into ...any) (bool, error) {
	err := t.tx.QueryRowContext(ctx, positional(text), args...).Scan(into...)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
}

// ForUpdate implements store.EnrolTx.
func (enrolTx) ForUpdate() string { return "" }

// Lock implements store.EnrolTx.
func (enrolTx) Lock(context.Context, ...string) error { return nil }

// MoveTokens implements store.EnrolTx.
func (t enrolTx) MoveTokens(ctx context.Context, from, to string) error {
	return t.Exec(ctx, `
		UPDATE directory_tokens
		SET repos = (SELECT json_group_array(CASE value WHEN $1 THEN $2 ELSE value END) FROM json_each(repos))
		WHERE job = '' AND EXISTS (SELECT 1 FROM json_each(repos) WHERE value = $1)`, from, to)
}

// positional returns a statement whose parameters have SQLite's form: ?1 in place of $1.
func positional(text string) string { return strings.ReplaceAll(text, "$", "?") }

// MoveUsage implements store.EnrolTx. If the owner changes, it also changes the totals of the old and the new owner.
func (t enrolTx) MoveUsage(ctx context.Context, from, to string) error {
	for _, text := range movesOfUsage {
		if err := t.Exec(ctx, text, from, to); err != nil {
			return err
		}
	}
	return nil
}

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
