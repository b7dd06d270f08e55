package postgres

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"github.com/blq-ci/blq/store"
)

// move gives what is stored of an enrolled repository its new name, see store.Moves. It is called before the
// directory has that name.
func move(ctx context.Context, tx pgx.Tx, r store.EnrolledRepo) error {
	var from string
	err := tx.QueryRow(ctx, `SELECT name FROM directory_repos WHERE host = $1 AND id = $2 FOR UPDATE`, encode(r.Host),
		r.ID).Scan(&from)
	to := encode(r.Name)
	if errors.Is(err, pgx.ErrNoRows) || err == nil && from == to {
		return nil
	}
	if err != nil {
		return err
	}
	// Whoever starts a run of either name waits.
	if _, err := tx.Exec(ctx, `SELECT 1 FROM repos WHERE name = ANY($1) ORDER BY name FOR UPDATE`,
		[]string{from, to}); err != nil {
		return err
	}
	var free bool
	if err := tx.QueryRow(ctx, store.IsFree(), to).Scan(&free); err != nil || !free {
		return err
	}
	for _, text := range store.Moves() {
		if _, err := tx.Exec(ctx, text, from, to); err != nil {
			return err
		}
	}
	return moveUsage(ctx, tx, from, to)
}

// moveUsage moves what is counted: to the sum of another owner, too. Shard 17 is that of corrections.
func moveUsage(ctx context.Context, tx pgx.Tx, from, to string) error {
	if _, err := tx.Exec(ctx, `DELETE FROM usage WHERE owner = usage_owner($1) AND repo = $1`, to); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, `
		INSERT INTO usage AS u (owner, repo, shard, day, day_runs, day_events, runs, events, bytes)
		SELECT o.owner, '/', 17, usage_day(), 0, 0, o.sign * sum(runs), o.sign * sum(events), o.sign * sum(bytes)
		FROM usage
		CROSS JOIN (VALUES (usage_owner($1), -1), (usage_owner($2), 1)) AS o (owner, sign)
		WHERE usage.owner = usage_owner($1) AND repo = $1 AND usage_owner($1) <> usage_owner($2)
		GROUP BY o.owner, o.sign
		ORDER BY o.owner
		ON CONFLICT (owner, repo, shard) DO UPDATE
		SET runs = u.runs + excluded.runs, events = u.events + excluded.events, bytes = u.bytes + excluded.bytes`, from, to)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `
		UPDATE usage SET owner = usage_owner($2), repo = $2 WHERE owner = usage_owner($1) AND repo = $1`, from, to)
	return err
}
