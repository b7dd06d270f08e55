package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Enter waits until the call that ctx belongs to may take a connection. The caller calls leave when
// the connection is free again.
type Enter func(ctx context.Context) (leave func(), err error)

// gated is a pool whose connections are taken in the order that enter decides.
type gated struct {
	*pgxpool.Pool
	enter Enter
}

// Exec executes a statement.
func (g *gated) Exec(ctx context.Context, q string, args ...any) (pgconn.CommandTag, error) {
	leave, err := g.enter(ctx)
	if err != nil {
		return pgconn.CommandTag{}, err
	}
	defer leave()
	return g.Pool.Exec(ctx, q, args...)
}

// Query begins to read rows. The caller closes them.
func (g *gated) Query(ctx context.Context, q string, args ...any) (pgx.Rows, error) {
	leave, err := g.enter(ctx)
	if err != nil {
		return nil, err
	}
	rows, err := g.Pool.Query(ctx, q, args...)
	if err != nil {
		leave()
		return nil, err
	}
	return &gatedRows{rows, leave}, nil
}

// QueryRow returns a row that is asked for when it is scanned.
func (g *gated) QueryRow(ctx context.Context, q string, args ...any) pgx.Row {
	return gatedRow{func(into ...any) error {
		leave, err := g.enter(ctx)
		if err != nil {
			return err
		}
		defer leave()
		return g.Pool.QueryRow(ctx, q, args...).Scan(into...)
	}}
}

type gatedRow struct{ scan func(into ...any) error }

func (r gatedRow) Scan(into ...any) error { return r.scan(into...) }

// gatedRows give up their place at the gate when they are closed.
type gatedRows struct {
	pgx.Rows
	leave func()
}

func (r *gatedRows) Close() {
	r.Rows.Close()
	r.leave()
}
