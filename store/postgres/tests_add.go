package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/testpack"
)

// packing is the hash seed of the advisory lock that lockTests takes for a repository.
const packing = maintenance + 5

// AddTests implements store.Store.
func (s *Store) AddTests(ctx context.Context, attempt string, results []store.TestResult) error {
	if err := store.CheckTests(results); err != nil || len(results) == 0 {
		return err
	}
	adder := &testsAdder{s: s, ctx: ctx, attempt: attempt}
	if err := testpack.NewAddition(results).Do(adder); err != nil {
		return fmt.Errorf("add results of tests: %w", err)
	}
	if adder.due == "" {
		return nil
	}
	if err := testpack.Pack(s.packing(ctx, adder.due)); err != nil && ctx.Err() == nil { // the next call continues
		return fmt.Errorf("pack results of tests: %w", err)
	}
	return nil
}

// testsAdder implements testpack.Transactions.
type testsAdder struct {
	s       *Store
	ctx     context.Context //nolint:containedctx // the context of one call
	attempt string
	tx      pgx.Tx // the current transaction
	due     string // encoded repository whose results should be packed, "" for none
}

// write runs f in a transaction. If the run already has results, write does not call f and returns true.
func (t *testsAdder) write(f func(r row) error) (have bool, err error) {
	err = t.s.write(t.ctx, func(tx pgx.Tx) error {
		t.tx = tx
		r, err := lockRun(t.ctx, tx, t.attempt)
		if err != nil {
			return err
		}
		err = tx.QueryRow(t.ctx, `SELECT EXISTS (SELECT 1 FROM test_runs WHERE run_id = $1)`, r.id).Scan(&have)
		if err != nil || have {
			return err
		}
		if err := r.CheckOpen(); err != nil {
			return err
		}
		if err := lockTests(t.ctx, tx, encode(r.Repo)); err != nil {
			return err
		}
		return f(r)
	})
	return have, err
}

// AddFew implements testpack.Transactions.
func (t *testsAdder) AddFew(a *testpack.Addition) (done bool, err error) {
	have, err := t.write(func(r row) error {
		size, err := t.name(a, encode(r.Repo), a.Tests)
		if err != nil {
			return err
		}
		if done = a.Named(a.Tests); !done {
			return t.count(r, size)
		}
		return t.insert(a, r, a.Block(), size)
	})
	return have || done, err
}

// Name implements testpack.Transactions.
func (t *testsAdder) Name(a *testpack.Addition, part []testpack.Keyed) (done bool, err error) {
	return t.write(func(r row) error {
		size, err := t.name(a, encode(r.Repo), part)
		if err != nil || size == 0 {
			return err
		}
		return t.count(r, size)
	})
}

// Add implements testpack.Transactions.
func (t *testsAdder) Add(a *testpack.Addition, block []byte) (done bool, err error) {
	named := false
	have, err := t.write(func(r row) error {
		if named, err = t.named(a, encode(r.Repo)); err != nil || !named {
			return err
		}
		return t.insert(a, r, block, 0)
	})
	return have || named, err
}

// name sets the IDs of tests. It stores tests that are not stored yet, and returns the size of their texts in bytes.
func (t *testsAdder) name(a *testpack.Addition, repo string, tests []testpack.Keyed) (size int, err error) {
	keys := make([]int64, len(tests))
	for i, k := range tests {
		keys[i] = k.Key
		delete(a.IDs, k.Key) // the ID may come from a transaction that was rolled back
	}
	if _, err := query(t.ctx, t.tx, a.TakeID, `SELECT key, id FROM tests WHERE repo = $1 AND key = ANY($2)`, repo,
		keys); err != nil {
		return 0, err
	}
	missing, size := a.Missing(tests)
	if len(missing) == 0 {
		return 0, nil
	}
	var names, files []string
	keys = keys[:0]
	for _, k := range missing {
		keys, names, files = append(keys, k.Key), append(names, encode(k.Name)), append(files, encode(k.File))
	}
	_, err = query(t.ctx, t.tx, a.TakeID, `
		INSERT INTO tests (repo, key, name, file)
		SELECT $1, n.key, n.name, n.file
		FROM unnest($2::bigint[], $3::text[], $4::text[]) WITH ORDINALITY AS n (key, name, file, place)
		ORDER BY n.place
		RETURNING key, id`, repo, keys, names, files)
	return size, err
}

// named reports whether the IDs of all tests are still in the repository. Packing may have removed some tests.
func (t *testsAdder) named(a *testpack.Addition, repo string) (bool, error) {
	ids := make([]int64, len(a.Tests))
	for i, k := range a.Tests {
		ids[i] = a.IDs[k.Key]
	}
	n := 0
	err := t.tx.QueryRow(t.ctx, `SELECT count(*) FROM tests WHERE repo = $1 AND id = ANY($2)`, repo, ids).Scan(&n)
	return n == len(ids), err
}

// insert adds the block with the test results of a run. size is the size in bytes of the texts of new tests that are
// not counted in the usage yet. insert sets t.due if the results should be packed.
func (t *testsAdder) insert(a *testpack.Addition, r row, block []byte, size int) error {
	sum := store.SumTests(a.Results)
	_, err := t.tx.Exec(t.ctx, `
		INSERT INTO test_runs (run_id, repo, serial, tests, failed, skipped, infra, retried, flaky, block)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
		r.id, encode(r.Repo), r.Serial, sum.Tests, sum.Failed, sum.Skipped, sum.Infra, sum.Retried, sum.Flaky, block)
	if err != nil {
		return err
	}
	if err := t.count(r, store.TestBytes(len(block), size)); err != nil {
		return err
	}
	due := false
	err = t.tx.QueryRow(t.ctx, `
		SELECT EXISTS (SELECT 1 FROM test_packings)
			OR (SELECT count(*) FROM test_runs WHERE repo = $1 AND segment = 0) >= $2`, encode(r.Repo), testpack.Runs).Scan(&due)
	t.due = ""
	if due {
		t.due = encode(r.Repo)
	}
	return err
}

// count adds bytes to the size of a run.
func (t *testsAdder) count(r row, size int) error {
	_, err := t.tx.Exec(t.ctx, `UPDATE runs SET text_bytes = text_bytes + $2 WHERE id = $1`, r.id, size)
	return err
}
