package sqlite

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/testpack"
)

// TestBlocks implements store.Store.
func (s *Store) TestBlocks(ctx context.Context, sc store.Scope, attempts []string, whole bool) (
	[]store.TestBlock, error) {
	db, leave, err := s.read(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	var w where
	c, args := in("r.attempt", attempts)
	w.and(c, args...)
	w.scope(sc)
	block := "x''"
	if whole {
		block = "t.block"
	}
	list, err := query(ctx, db, func(scan func(...any) error) (store.TestBlock, error) {
		var b store.TestBlock
		var packed []byte
		err := scan(&b.Run.Repo, &b.Run.Source, &b.Run.Serial, &b.Tests, &b.Failed, &b.Skipped, &b.Infra, &b.Retried,
			&b.Flaky, &packed)
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
		return nil, fmt.Errorf("read results of tests: %w", err)
	}
	return list, nil
}

// Tests implements store.Store.
func (s *Store) Tests(ctx context.Context, sc store.Scope, f store.TestFilter) ([]store.Test, error) {
	db, leave, err := s.read(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	list, err := listTests(ctx, db, sc, f)
	if err != nil {
		return nil, fmt.Errorf("list tests: %w", err)
	}
	return list, nil
}

func listTests(ctx context.Context, db querier, sc store.Scope, f store.TestFilter) ([]store.Test, error) {
	var w where
	w.scope(sc)
	if f.Repo != "" {
		w.and("r.repo = ?", f.Repo)
	}
	if f.Name != "" {
		w.and("r.name = ?", f.Name)
	}
	if f.Like != "" {
		w.and("instr(lower(r.name || ' ' || r.file), lower(?)) > 0", f.Like)
	}
	if f.IDs != nil {
		c, args := in("r.id", f.IDs)
		w.and(c, args...)
	}
	return query(ctx, db, func(scan func(...any) error) (store.Test, error) {
		var t store.Test
		err := scan(&t.ID, &t.Repo, &t.Name, &t.File)
		return t, err
	}, `SELECT r.id, r.repo, r.name, r.file FROM tests r `+w.String()+` ORDER BY r.id `+upTo(f.Limit), w.args...)
}

// TestHistory implements store.Store.
func (s *Store) TestHistory(ctx context.Context, sc store.Scope, t store.Test) ([]store.TestPast, error) {
	db, leave, err := s.read(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	list, err := testHistory(ctx, db, sc, t)
	if err != nil {
		return nil, fmt.Errorf("history of a test: %w", err)
	}
	return list, nil
}

func testHistory(ctx context.Context, db querier, sc store.Scope, t store.Test) ([]store.TestPast, error) {
	found, err := listTests(ctx, db, sc, store.TestFilter{IDs: []int64{t.ID}})
	if err != nil || len(found) == 0 {
		return nil, err
	}
	past := testpack.Past{Test: t.ID}
	var data, serials sql.RawBytes // RawBytes are not copied
	_, err = query(ctx, db, func(scan func(...any) error) (none struct{}, err error) {
		var gone int64
		if err := scan(&data, &serials, &gone); err != nil {
			return none, err
		}
		return none, past.AddPage(data, serials, gone)
	}, `
		SELECT p.data, s.serials, s.gone
		FROM test_pages p
		JOIN test_segments s ON s.id = p.segment
		WHERE p.page = ? AND s.repo = ?
		ORDER BY p.segment`, testpack.PageOf(t.ID), found[0].Repo)
	if err != nil {
		return nil, err
	}
	_, err = query(ctx, db, func(scan func(...any) error) (none struct{}, err error) {
		var serial int
		if err := scan(&data, &serial); err != nil {
			return none, err
		}
		return none, past.AddBlock(data, serial)
	}, `SELECT block, serial FROM test_runs WHERE repo = ? AND segment = 0`, found[0].Repo)
	if err != nil {
		return nil, err
	}
	return past.List(), nil
}
