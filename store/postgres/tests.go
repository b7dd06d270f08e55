package postgres

import (
	"context"
	"fmt"

	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/testpack"
)

// TestBlocks implements store.Store.
func (s *Store) TestBlocks(ctx context.Context, sc store.Scope, attempts []string, whole bool) (
	[]store.TestBlock, error) {
	var w where
	w.and("r.attempt = ANY(?::text[])", encodeAll(attempts))
	w.scope(sc, "r.repo")
	block := "''::bytea"
	if whole {
		block = "t.block"
	}
	list, err := query(ctx, s.pool, func(scan func(...any) error) (store.TestBlock, error) {
		var b store.TestBlock
		var packed []byte
		err := scan(&b.Run.Repo, &b.Run.Source, &b.Run.Serial, &b.Tests, &b.Failed, &b.Skipped, &b.Infra, &b.Retried,
			&b.Flaky, &packed)
		decodeAll(&b.Run.Repo, &b.Run.Source)
		if err == nil && whole {
			b.Results, err = testpack.Results(packed, b.Run.Repo)
		}
		return b, err
	}, `
		SELECT r.repo, r.source, r.serial, t.tests, t.failed, t.skipped, t.infra, t.retried, t.flaky, `+block+`
		FROM runs r
		JOIN test_runs t ON t.run_id = r.id
		`+w.String()+`
		ORDER BY r.id DESC`, w.args...)
	if err != nil {
		return nil, fmt.Errorf("read results of tests: %w", failure(ctx, err))
	}
	return list, nil
}

// Tests implements store.Store.
func (s *Store) Tests(ctx context.Context, sc store.Scope, f store.TestFilter) ([]store.Test, error) {
	var w where
	w.scope(sc, "t.repo")
	if f.Repo != "" {
		w.and("t.repo = ?", encode(f.Repo))
	}
	if f.Name != "" {
		w.and("t.name = ?", encode(f.Name))
	}
	if f.Like != "" {
		w.and("strpos(lower(t.name || ' ' || t.file), lower(?)) > 0", encode(f.Like))
	}
	if f.IDs != nil {
		w.and("t.id = ANY(?::bigint[])", f.IDs)
	}
	limit := ""
	if f.Limit > 0 {
		limit = w.bind("LIMIT ?::bigint", f.Limit)
	}
	list, err := query(ctx, s.pool, func(scan func(...any) error) (store.Test, error) {
		var t store.Test
		err := scan(&t.ID, &t.Repo, &t.Name, &t.File)
		decodeAll(&t.Repo, &t.Name, &t.File)
		return t, err
	}, `SELECT t.id, t.repo, t.name, t.file FROM tests t `+w.String()+` ORDER BY t.id `+limit, w.args...)
	if err != nil {
		return nil, fmt.Errorf("list tests: %w", failure(ctx, err))
	}
	return list, nil
}

// TestHistory implements store.Store. It uses one statement, because each statement may have to wait on a busy machine.
func (s *Store) TestHistory(ctx context.Context, sc store.Scope, t store.Test) ([]store.TestPast, error) {
	var w where
	w.and("t.id = ?", t.ID)
	w.scope(sc, "t.repo")
	page := w.bind("?::bigint", testpack.PageOf(t.ID))
	past := testpack.Past{Test: t.ID}
	_, err := query(ctx, s.pool, func(scan func(...any) error) (none struct{}, err error) {
		var segment, gone int64
		var data, serials []byte
		var serial int
		switch err := scan(&segment, &data, &serials, &gone, &serial); {
		case err != nil:
			return none, err
		case segment == 0:
			return none, past.AddBlock(data, serial)
		}
		return none, past.AddPage(data, serials, gone)
	}, `
		WITH t AS MATERIALIZED (
			SELECT t.repo
			FROM tests t
			`+w.String()+`
		), p AS (
			SELECT p.segment, p.data, s.serials, s.gone
			FROM t
			JOIN test_segments s ON s.repo = t.repo
			JOIN test_pages p ON p.page = `+page+` AND p.segment = s.id
			ORDER BY p.segment
		)
		SELECT segment, data, serials, gone, 0 FROM p
		UNION ALL
		SELECT 0, r.block, NULL, 0, r.serial
		FROM t
		JOIN test_runs r ON r.repo = t.repo AND r.segment = 0`, w.args...)
	if err != nil {
		return nil, fmt.Errorf("history of a test: %w", failure(ctx, err))
	}
	return past.List(), nil
}
