package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Enter waits until the caller may take a connection. The caller must call leave after it has returned the connection.
type Enter func(ctx context.Context) (leave func(), err error)

// gated is a connection pool. The function enter decides which caller gets the next connection.
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

// Query returns rows. The caller must close them.
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

// QueryRow returns a row. Scan runs the query.
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

// gatedRows are rows that call leave when they are closed, so that another caller may take the connection.
type gatedRows struct {
	pgx.Rows
	leave func()
}

func (r *gatedRows) Close() {
	r.Rows.Close()
	r.leave()
}
