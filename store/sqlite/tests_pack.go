package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"slices"
	"strings"

	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/testpack"
)

// packing returns a function that runs a step of packing for a repository, in a transaction.
func (s *Store) packing(ctx context.Context, repo string) func(func(testpack.Step) error) error {
	return func(f func(testpack.Step) error) error {
		return s.write(ctx, func(tx *sql.Tx) error { return f(&packStep{ctx, tx, repo}) })
	}
}

// packStep implements testpack.Step.
type packStep struct {
	ctx  context.Context //nolint:containedctx // the context of one transaction
	tx   *sql.Tx
	repo string
}

func (p *packStep) exec(q string, args ...any) error {
	_, err := p.tx.ExecContext(p.ctx, q, args...)
	return err
}

// Packing implements testpack.Step.
func (p *packStep) Packing() (*testpack.Packing, error) {
	list, err := query(p.ctx, p.tx, func(scan func(...any) error) (*testpack.Packing, error) {
		var k testpack.Packing
		var state []byte
		if err := scan(&k.Segment, &state); err != nil {
			return nil, err
		}
		return &k, json.Unmarshal(state, &k)
	}, `
		SELECT p.segment, p.state
		FROM test_packings p
		JOIN test_segments s ON s.id = p.segment
		WHERE s.repo = ?
		LIMIT 1`, p.repo)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	return list[0], nil
}

// Loose implements testpack.Step.
func (p *packStep) Loose() ([]testpack.Loose, error) {
	var n int
	err := p.tx.QueryRowContext(p.ctx, `SELECT count(*) FROM test_runs WHERE repo = ? AND segment = 0`, p.repo).Scan(&n)
	if err != nil || n < testpack.Runs {
		return nil, err
	}
	return query(p.ctx, p.tx, func(scan func(...any) error) (r testpack.Loose, err error) {
		err = scan(&r.ID, &r.Serial)
		return r, err
	}, `SELECT run_id, serial FROM test_runs WHERE repo = ? AND segment = 0 ORDER BY run_id `+upTo(testpack.Runs), p.repo)
}

// Begin implements testpack.Step.
func (p *packStep) Begin(k *testpack.Packing, serials []byte, whole int64) error {
	res, err := p.tx.ExecContext(p.ctx, `INSERT INTO test_segments (repo, serials, whole, gone) VALUES (?1, ?2, ?3, ?3)`,
		p.repo, serials, whole)
	if err != nil {
		return err
	}
	if k.Segment, err = res.LastInsertId(); err != nil {
		return err
	}
	return p.Save(k)
}

// Save implements testpack.Step.
func (p *packStep) Save(k *testpack.Packing) error {
	state, err := json.Marshal(k)
	if err != nil {
		return err
	}
	return p.exec(`
		INSERT INTO test_packings (segment, state)
		VALUES (?, ?)
		ON CONFLICT (segment) DO UPDATE SET state = excluded.state`, k.Segment, string(state))
}

// End implements testpack.Step.
func (p *packStep) End(k *testpack.Packing) error {
	if err := p.exec(`DELETE FROM test_segments WHERE id = ? AND gone = whole`, k.Segment); err != nil {
		return err
	}
	return p.exec(`DELETE FROM test_packings WHERE segment = ?1 AND EXISTS (SELECT 1 FROM test_segments WHERE id = ?1)`,
		k.Segment)
}

// Part implements testpack.Step.
func (p *packStep) Part(run int64, offset, size int) ([]byte, error) {
	list, err := query(p.ctx, p.tx, store.ScanOne[[]byte],
		`SELECT substr(block, ?, ?) FROM test_runs WHERE run_id = ? AND segment = 0`, offset+1, size, run)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	return list[0], nil
}

// AddPages implements testpack.Step.
func (p *packStep) AddPages(segment int64, pages []testpack.Page) error {
	for part := range slices.Chunk(pages, rowsAtOnce) {
		args := make([]any, 0, 3*rowsAtOnce)
		for _, page := range part {
			args = append(args, page.Number, segment, page.Data)
		}
		err := p.exec(`INSERT INTO test_pages (page, segment, data) VALUES (?, ?, ?)`+
			strings.Repeat(", (?, ?, ?)", len(part)-1), args...)
		if err != nil {
			return err
		}
	}
	return nil
}

// Move implements testpack.Step.
func (p *packStep) Move(segment int64, runs []testpack.Cursor) error {
	for _, r := range runs {
		res, err := p.tx.ExecContext(p.ctx, `UPDATE test_runs SET segment = ?, slot = ? WHERE run_id = ? AND segment = 0`,
			segment, r.Slot, r.Run)
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); err != nil {
			return err
		} else if n == 0 {
			continue // the run was removed
		}
		if err := p.exec(`UPDATE test_segments SET gone = gone & ~(1 << ?) WHERE id = ?`, r.Slot, segment); err != nil {
			return err
		}
	}
	return nil
}

// Named implements testpack.Step.
func (p *packStep) Named(after int64, limit int) ([]testpack.Named, error) {
	return query(p.ctx, p.tx, func(scan func(...any) error) (t testpack.Named, err error) {
		err = scan(&t.Key, &t.ID, &t.Paged)
		return t, err
	}, `
		SELECT t.key, t.id, EXISTS (SELECT 1 FROM test_pages p WHERE p.page = t.id / ?)
		FROM tests t
		WHERE t.repo = ? AND t.key > ?
		ORDER BY t.key
		`+upTo(limit), testpack.PageTests, p.repo, after)
}

// EachBlock implements testpack.Step.
func (p *packStep) EachBlock(f func(block []byte) error) error {
	var block sql.RawBytes // the scan does not copy the block
	_, err := query(p.ctx, p.tx, func(scan func(...any) error) (none struct{}, err error) {
		if err := scan(&block); err != nil {
			return none, err
		}
		return none, f(block)
	}, `SELECT block FROM test_runs WHERE repo = ? AND segment = 0`, p.repo)
	return err
}

// RemoveTests implements testpack.Step.
func (p *packStep) RemoveTests(ids []int64) error {
	c, args := in("id", ids)
	return p.exec(`DELETE FROM tests WHERE `+c, args...)
}

// RemovePages implements testpack.Step.
func (p *packStep) RemovePages(limit int) (more bool, err error) {
	gone, err := query(p.ctx, p.tx, store.ScanOne[int64],
		`SELECT segment FROM test_packings WHERE segment NOT IN (SELECT id FROM test_segments) LIMIT 1`)
	if err != nil || len(gone) == 0 {
		return false, err
	}
	res, err := p.tx.ExecContext(p.ctx, `
		DELETE FROM test_pages
		WHERE rowid IN (SELECT rowid FROM test_pages WHERE segment = ? `+upTo(limit)+`)`, gone[0])
	if err != nil {
		return false, err
	}
	if n, err := res.RowsAffected(); n == int64(limit) || err != nil {
		return true, err
	}
	return true, p.exec(`DELETE FROM test_packings WHERE segment = ?`, gone[0])
}
