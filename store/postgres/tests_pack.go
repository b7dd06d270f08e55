package postgres

import (
	"context"
	"encoding/json"

	"github.com/jackc/pgx/v5"

	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/testpack"
)

// lockTests locks the tests of a repository, so that only one transaction at a time can add or pack
// their results.
func lockTests(ctx context.Context, tx pgx.Tx, repo string) error {
	_, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock(hashtextextended($1, $2))`, repo, packing)
	return err
}

// packing returns a function that runs a step of packing for a repository, in a transaction. repo is the encoded name.
func (s *Store) packing(ctx context.Context, repo string) func(func(testpack.Step) error) error {
	return func(f func(testpack.Step) error) error {
		return s.write(ctx, func(tx pgx.Tx) error {
			if err := lockTests(ctx, tx, repo); err != nil {
				return err
			}
			return f(&packStep{ctx, tx, repo})
		})
	}
}

// packStep implements testpack.Step.
type packStep struct {
	ctx  context.Context //nolint:containedctx // the context of one transaction
	tx   pgx.Tx
	repo string
}

func (p *packStep) exec(q string, args ...any) error {
	_, err := p.tx.Exec(p.ctx, q, args...)
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
		WHERE s.repo = $1
		LIMIT 1`, p.repo)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	return list[0], nil
}

// Loose implements testpack.Step.
func (p *packStep) Loose() ([]testpack.Loose, error) {
	list, err := query(p.ctx, p.tx, func(scan func(...any) error) (r testpack.Loose, err error) {
		err = scan(&r.ID, &r.Serial)
		return r, err
	}, `
		SELECT run_id, serial
		FROM test_runs
		WHERE repo = $1 AND segment = 0
		ORDER BY run_id
		LIMIT $2`, p.repo, testpack.Runs)
	if len(list) < testpack.Runs {
		return nil, err
	}
	return list, err
}

// Begin implements testpack.Step.
func (p *packStep) Begin(k *testpack.Packing, serials []byte, whole int64) error {
	err := p.tx.QueryRow(p.ctx, `
		INSERT INTO test_segments (repo, serials, whole, gone)
		VALUES ($1, $2, $3, $3)
		RETURNING id`, p.repo, serials, whole).Scan(&k.Segment)
	if err != nil {
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
		VALUES ($1, $2)
		ON CONFLICT (segment) DO UPDATE SET state = excluded.state`, k.Segment, string(state))
}

// End implements testpack.Step.
func (p *packStep) End(k *testpack.Packing) error {
	if err := p.exec(`DELETE FROM test_segments WHERE id = $1 AND gone = whole`, k.Segment); err != nil {
		return err
	}
	return p.exec(`DELETE FROM test_packings WHERE segment = $1 AND EXISTS (SELECT 1 FROM test_segments WHERE id = $1)`,
		k.Segment)
}

// Part implements testpack.Step.
func (p *packStep) Part(run int64, offset, size int) ([]byte, error) {
	list, err := query(p.ctx, p.tx, store.ScanOne[[]byte],
		`SELECT substr(block, $1, $2) FROM test_runs WHERE run_id = $3 AND segment = 0`, offset+1, size, run)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	return list[0], nil
}

// AddPages implements testpack.Step.
func (p *packStep) AddPages(segment int64, pages []testpack.Page) error {
	_, err := p.tx.CopyFrom(p.ctx, pgx.Identifier{"test_pages"}, []string{"page", "segment", "data"},
		pgx.CopyFromSlice(len(pages), func(i int) ([]any, error) {
			return []any{pages[i].Number, segment, pages[i].Data}, nil
		}))
	return err
}

// Move implements testpack.Step. It changes the rows of the runs before the row of the segment. The removal of a run
// locks these rows in the same order, so there are no deadlocks.
func (p *packStep) Move(segment int64, runs []testpack.Cursor) error {
	var ids []int64
	var slots []int
	for _, r := range runs {
		ids, slots = append(ids, r.Run), append(slots, r.Slot)
	}
	moved, err := query(p.ctx, p.tx, store.ScanOne[int], `
		UPDATE test_runs t
		SET segment = $1, slot = n.slot
		FROM unnest($2::bigint[], $3::int[]) AS n (id, slot)
		WHERE t.run_id = n.id AND t.segment = 0
		RETURNING t.slot`, segment, ids, slots)
	if err != nil {
		return err
	}
	back := int64(0)
	for _, slot := range moved {
		back |= 1 << slot
	}
	tag, err := p.tx.Exec(p.ctx, `UPDATE test_segments SET gone = gone & ~$2::bigint WHERE id = $1`, segment, back)
	if err != nil || tag.RowsAffected() > 0 {
		return err
	}
	return p.exec(`UPDATE test_runs SET segment = 0, slot = 0 WHERE run_id = ANY($1)`, ids) // the segment was removed
}

// Named implements testpack.Step.
func (p *packStep) Named(after int64, limit int) ([]testpack.Named, error) {
	return query(p.ctx, p.tx, func(scan func(...any) error) (t testpack.Named, err error) {
		err = scan(&t.Key, &t.ID, &t.Paged)
		return t, err
	}, `
		SELECT t.key, t.id, EXISTS (SELECT 1 FROM test_pages p WHERE p.page = t.id / $1::bigint)
		FROM tests t
		WHERE t.repo = $2 AND t.key > $3
		ORDER BY t.key
		LIMIT $4`, testpack.PageTests, p.repo, after, limit)
}

// EachBlock implements testpack.Step.
func (p *packStep) EachBlock(f func(block []byte) error) error {
	var block []byte
	_, err := query(p.ctx, p.tx, func(scan func(...any) error) (none struct{}, err error) {
		if err := scan(&block); err != nil {
			return none, err
		}
		return none, f(block)
	}, `SELECT block FROM test_runs WHERE repo = $1 AND segment = 0`, p.repo)
	return err
}

// RemoveTests implements testpack.Step.
func (p *packStep) RemoveTests(ids []int64) error {
	return p.exec(`DELETE FROM tests WHERE id = ANY($1)`, ids)
}

// RemovePages implements testpack.Step.
func (p *packStep) RemovePages(limit int) (more bool, err error) {
	gone, err := query(p.ctx, p.tx, store.ScanOne[int64], `
		SELECT segment
		FROM test_packings p
		WHERE NOT EXISTS (SELECT 1 FROM test_segments s WHERE s.id = p.segment)
		LIMIT 1
		FOR UPDATE SKIP LOCKED`)
	if err != nil || len(gone) == 0 {
		return false, err
	}
	tag, err := p.tx.Exec(p.ctx, `
		DELETE FROM test_pages
		WHERE ctid = ANY (ARRAY(SELECT ctid FROM test_pages WHERE segment = $1 LIMIT $2))`, gone[0], limit)
	if err != nil || tag.RowsAffected() == int64(limit) {
		return true, err
	}
	return true, p.exec(`DELETE FROM test_packings WHERE segment = $1`, gone[0])
}
