package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/blq-ci/blq/store"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// querier runs queries. Transactions and the pool implement it.
type querier interface {
	Exec(ctx context.Context, q string, args ...any) (pgconn.CommandTag, error)
	Query(ctx context.Context, q string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, q string, args ...any) pgx.Row
}

// query returns the results of scan for all rows.
func query[T any](ctx context.Context, db querier, scan func(scan func(...any) error) (T, error),
	q string, args ...any) ([]T, error) {
	rows, err := db.Query(ctx, q, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	return store.ScanRows(ctx, rows, scan)
}

// first returns the result of scan for the first row. If there is no row, the error is the parameter missing. The
// parameter row describes the row in other errors.
func first[T any](ctx context.Context, db querier, scan func(scan func(...any) error) (T, error), missing error,
	row, q string, args ...any) (T, error) {
	v, err := scan(db.QueryRow(ctx, q, args...).Scan)
	var none T
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return none, missing
	case err != nil:
		return none, fmt.Errorf("look up %s: %w", row, failure(ctx, err))
	}
	return v, nil
}

// retries is the max number of attempts to run a transaction that conflicts with other transactions.
const retries = 4

// write runs f in a transaction. After a conflict with another transaction, it runs f again. Each statement in f sees
// the data that was committed before the statement began. So f must lock the rows on which its result depends.
func (s *Store) write(ctx context.Context, f func(tx pgx.Tx) error) error {
	var err error
	for range retries {
		err = s.transact(ctx, pgx.TxOptions{}, f)
		if state := stateOf(err); state != serialization && state != deadlock {
			break
		}
	}
	return failure(ctx, err)
}

// read runs f in a transaction. All statements in f see the same data.
func (s *Store) read(ctx context.Context, f func(tx pgx.Tx) error) error {
	return failure(ctx, s.transact(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, f))
}

func (s *Store) transact(ctx context.Context, o pgx.TxOptions, f func(tx pgx.Tx) error) error {
	leave, err := s.pool.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	tx, err := s.pool.BeginTx(ctx, o)
	if err != nil {
		return err
	}
	if err := f(tx); err != nil {
		if also := rollback(ctx, tx); also != nil {
			return fmt.Errorf("%w (and then: %w)", err, also)
		}
		return err
	}
	return tx.Commit(ctx)
}

// rollback rolls back a transaction, even if ctx has ended. It returns no error if the transaction has already ended,
// or if the connection is lost.
func rollback(ctx context.Context, tx pgx.Tx) error {
	if err := tx.Rollback(context.WithoutCancel(ctx)); err != nil && !tx.Conn().IsClosed() &&
		!errors.Is(err, pgx.ErrTxClosed) {
		return err
	}
	return nil
}
