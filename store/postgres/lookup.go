package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/blq-ci/blq/store"
)

// Run implements store.Store.
func (s *Store) Run(ctx context.Context, sc store.Scope, ref store.Ref) (store.Run, error) {
	r, err := s.lookup(ctx, s.pool, sc, ref)
	return r.Run, err
}

// lookup finds the run that ref names.
func (s *Store) lookup(ctx context.Context, db querier, sc store.Scope, ref store.Ref) (row, error) {
	r, err := find(ctx, db, sc, ref)
	if errors.Is(err, pgx.ErrNoRows) {
		err = notFound(ctx, db, sc, ref)
	}
	if err != nil && store.CodeOf(err) == "" {
		return row{}, fmt.Errorf("find run %s: %w", ref.Run(), failure(ctx, err))
	}
	return r, err
}

// find returns the run that a reference names. The error is pgx.ErrNoRows if there is no such run.
func find(ctx context.Context, db querier, sc store.Scope, ref store.Ref) (row, error) {
	switch {
	case ref.Attempt != "":
		return byName(ctx, db, sc, ref, "r.attempt = ?", encode(ref.Attempt))
	case ref.Serial > 0:
		return bySerial(ctx, db, sc, ref)
	}
	q, err := selectRuns(ctx, db, sc, store.RunFilter{Repo: ref.Repo, Source: ref.Source, Limit: 1})
	if err != nil {
		return row{}, err
	}
	if q.none() {
		return row{}, pgx.ErrNoRows
	}
	q.offset = ref.Back
	text, args := q.sql(runColumns)
	return scanRun(db.QueryRow(ctx, text, args...).Scan)
}

// byName finds a run by a condition that selects at most one run. The error is pgx.ErrNoRows if there is no such run.
func byName(ctx context.Context, db querier, sc store.Scope, ref store.Ref, condition string, arg any) (row, error) {
	var w where
	w.and(condition, arg)
	w.in(sc, ref)
	return scanRun(db.QueryRow(ctx, `SELECT `+runColumns+` FROM runs r `+w.String(), w.args...).Scan)
}

// in restricts a query over runs r to the repositories that ref may name.
func (w *where) in(sc store.Scope, ref store.Ref) {
	w.scope(sc, "r.repo")
	if ref.Repo != "" {
		w.and("r.repo = ?", encode(ref.Repo))
	}
}

// bySerial finds a run by its serial.
func bySerial(ctx context.Context, db querier, sc store.Scope, ref store.Ref) (row, error) {
	r, ok, err := store.WithSerial(ref, func(ref store.Ref) ([]row, error) { return numbered(ctx, db, sc, ref) })
	if err == nil && !ok {
		return row{}, pgx.ErrNoRows
	}
	return r, err
}

// numbered returns the first two runs with the serial of a reference, ordered by the names of their repositories.
func numbered(ctx context.Context, db querier, sc store.Scope, ref store.Ref) ([]row, error) {
	var w where
	w.and("r.serial = ?::bigint", ref.Serial)
	w.in(sc, ref)
	if ref.Source != "" {
		w.and("r.source = ?", encode(ref.Source))
	}
	return query(ctx, db, scanRun, `
		SELECT `+runColumns+`
		FROM runs r
		`+w.String()+`
		ORDER BY r.repo
		LIMIT 2`, w.args...)
}

// notFound returns the NotFound error for a reference without a run. If the run was pruned, the error says so.
func notFound(ctx context.Context, db querier, sc store.Scope, ref store.Ref) error {
	var w where
	w.in(sc, ref)
	if ref.Attempt != "" {
		w.and("r.attempt = ?", encode(ref.Attempt))
	} else if ref.Serial > 0 {
		w.and("r.serial = ?::bigint", ref.Serial)
	}
	if ref.Source != "" {
		w.and("r.source = ?", encode(ref.Source))
	}
	var gone store.Ref
	err := db.QueryRow(ctx, `
		SELECT r.source, r.serial
		FROM pruned r
		`+w.String()+`
		ORDER BY r.serial DESC
		LIMIT 1`, w.args...).Scan(&gone.Source, &gone.Serial)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return err
	}
	gone.Source = decode(gone.Source)
	return store.NoRun(ref, gone)
}
