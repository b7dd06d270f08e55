package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/blq-ci/blq/store"
)

// Run implements store.Store.
func (s *Store) Run(ctx context.Context, sc store.Scope, ref store.Ref) (store.Run, error) {
	db, leave, err := s.read(ctx)
	if err != nil {
		return store.Run{}, err
	}
	defer leave()
	r, err := lookup(ctx, db, sc, ref)
	return r.Run, err
}

// lookup finds the run that ref names.
func lookup(ctx context.Context, db querier, sc store.Scope, ref store.Ref) (row, error) {
	if ref.Attempt == "" && ref.Serial > 0 {
		return bySerial(ctx, db, sc, ref)
	}
	var w where
	w.in(sc, ref)
	switch {
	case ref.Attempt != "":
		w.and("r.attempt = ?", ref.Attempt)
	case ref.Source != "":
		if err := w.source(ctx, db, sc, ref.Repo, ref.Source); err != nil {
			return row{}, fmt.Errorf("find run %s: %w", ref.Run(), err)
		}
	}
	r, err := scanRun(db.QueryRowContext(ctx, `
		SELECT `+runColumns+`
		FROM runs r
		WHERE r.id = (SELECT r.id FROM runs r `+w.String()+` ORDER BY r.id DESC LIMIT 1 OFFSET ?)`,
		append(w.args, ref.Back)...).Scan)
	if errors.Is(err, sql.ErrNoRows) {
		return row{}, notFound(ctx, db, sc, ref)
	}
	if err != nil {
		return row{}, fmt.Errorf("find run %s: %w", ref.Run(), busyError(err))
	}
	return r, nil
}

// in restricts a query over runs r to the repositories that ref may name.
func (w *where) in(sc store.Scope, ref store.Ref) {
	w.scope(sc)
	if ref.Repo != "" {
		w.and("r.repo = ?", ref.Repo)
	}
}

// bySerial finds a run by its serial.
func bySerial(ctx context.Context, db querier, sc store.Scope, ref store.Ref) (row, error) {
	r, ok, err := store.WithSerial(ref, func(ref store.Ref) ([]row, error) { return numbered(ctx, db, sc, ref) })
	if err == nil && !ok {
		return row{}, notFound(ctx, db, sc, ref)
	}
	return r, err
}

// numbered returns at most two runs with the serial of a reference, in the order of the names of their repositories.
func numbered(ctx context.Context, db querier, sc store.Scope, ref store.Ref) ([]row, error) {
	var w where
	w.and("r.serial = ?", ref.Serial)
	w.in(sc, ref)
	if ref.Source != "" {
		w.and("r.source = ?", ref.Source)
	}
	found, err := query(ctx, db, scanRun, `
		SELECT `+runColumns+`
		FROM runs r
		`+w.String()+`
		ORDER BY r.repo
		LIMIT 2`, w.args...)
	if err != nil {
		return nil, fmt.Errorf("find run %s: %w", ref.Run(), err)
	}
	return found, nil
}

// notFound returns the NotFound error for a reference without a run. If the run was pruned, the error says so.
func notFound(ctx context.Context, db querier, sc store.Scope, ref store.Ref) error {
	var w where
	if !sc.All() {
		c, args := in("repo", sc.Names())
		w.and(c, args...)
	}
	if ref.Repo != "" {
		w.and("repo = ?", ref.Repo)
	}
	if ref.Attempt != "" {
		w.and("attempt = ?", ref.Attempt)
	} else if ref.Serial > 0 {
		w.and("serial = ?", ref.Serial)
	}
	if ref.Source != "" {
		w.and("source = ?", ref.Source)
	}
	var gone store.Ref
	err := db.QueryRowContext(ctx, `
		SELECT source, serial
		FROM pruned
		`+w.String()+`
		ORDER BY serial DESC
		LIMIT 1`, w.args...).Scan(&gone.Source, &gone.Serial)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return fmt.Errorf("find run %s: %w", ref.Run(), busyError(err))
	}
	return store.NoRun(ref, gone)
}
