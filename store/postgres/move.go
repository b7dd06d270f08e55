package postgres

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
)

// enrolTx implements store.EnrolTx for store.GiveName.
type enrolTx struct{ tx pgx.Tx }

// Exec implements store.EnrolTx.
func (t enrolTx) Exec(ctx context.Context, text string, args ...any) error {
	_, err := t.tx.Exec(ctx, text, encoded(args)...)
	return err
}

// Row implements store.EnrolTx.
func (t enrolTx) Row(ctx context.Context, text string, args []any, into ...any) (bool, error) {
	err := t.tx.QueryRow(ctx, text, encoded(args)...).Scan(into...)
	if errors.Is(err, pgx.ErrNoRows) {
		return false, nil
	}
	for _, v := range into {
		if s, ok := v.(*string); ok {
			*s = decode(*s)
		}
	}
	return err == nil, err
}

// encoded returns arguments with their texts encoded for PostgreSQL.
func encoded(args []any) []any {
	list := make([]any, len(args))
	for i, arg := range args {
		if s, ok := arg.(string); ok {
			arg = encode(s)
		}
		list[i] = arg
	}
	return list
}

// ForUpdate implements store.EnrolTx.
func (enrolTx) ForUpdate() string { return " FOR UPDATE" }

// Lock implements store.EnrolTx.
func (t enrolTx) Lock(ctx context.Context, names ...string) error {
	_, err := t.tx.Exec(ctx, `SELECT 1 FROM repos WHERE name = ANY($1) ORDER BY name FOR UPDATE`, encodeAll(names))
	return err
}

// MoveTokens implements store.EnrolTx.
func (t enrolTx) MoveTokens(ctx context.Context, from, to string) error {
	return t.Exec(ctx, `
		UPDATE directory_tokens SET repos = array_replace(repos, $1::text, $2) WHERE job = '' AND $1 = ANY(repos)`, from, to)
}

// MoveUsage implements store.EnrolTx. If the owner changes, it also changes the totals of the old and the new owner.
// The usage of a name is the sum of several rows, called shards. Corrections are added to shard 17.
func (t enrolTx) MoveUsage(ctx context.Context, from, to string) error {
	if err := t.Exec(ctx, `DELETE FROM usage WHERE owner = usage_owner($1) AND repo = $1`, to); err != nil {
		return err
	}
	err := t.Exec(ctx, `
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
	return t.Exec(ctx, `
		UPDATE usage SET owner = usage_owner($2), repo = $2 WHERE owner = usage_owner($1) AND repo = $1`, from, to)
}
