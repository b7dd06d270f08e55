package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/testpack"
)

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
	tx      *sql.Tx // the current transaction
	repo    string  // repository of the first test with an ID
	packed  string  // state of packing when that ID was read
	due     string  // repository whose results should be packed, "" for none
}

// write runs f in a transaction. If the run already has results, write does not call f and returns true.
func (t *testsAdder) write(f func(r row) error) (have bool, err error) {
	err = t.s.write(t.ctx, func(tx *sql.Tx) error {
		t.tx = tx
		r, err := mustFind(t.ctx, tx, t.attempt)
		if err != nil {
			return err
		}
		err = tx.QueryRowContext(t.ctx, `SELECT EXISTS (SELECT 1 FROM test_runs WHERE run_id = ?)`, r.id).Scan(&have)
		if err != nil || have {
			return err
		}
		if err := r.CheckOpen(); err != nil {
			return err
		}
		return f(r)
	})
	return have, err
}

// AddFew implements testpack.Transactions.
func (t *testsAdder) AddFew(a *testpack.Addition) (done bool, err error) {
	have, err := t.write(func(r row) error {
		size, err := t.name(a, r.Repo, a.Tests)
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
		if len(a.IDs) == 0 {
			t.repo = r.Repo
			if t.packed, err = t.packing(r.Repo); err != nil {
				return err
			}
		}
		size, err := t.name(a, r.Repo, part)
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
		if named, err = t.named(a, r.Repo); err != nil || !named {
			return err
		}
		return t.insert(a, r, block, 0)
	})
	return have || named, err
}

// name sets the IDs of tests. It stores tests that are not stored yet, but not too many at once (see Addition.Missing).
// It returns the size of the new tests' texts in bytes.
func (t *testsAdder) name(a *testpack.Addition, repo string, tests []testpack.Keyed) (size int, err error) {
	for part := range slices.Chunk(tests, rowsAtOnce*10) {
		keys := make([]int64, len(part))
		for i, t := range part {
			keys[i] = t.Key
		}
		c, args := in("key", keys)
		_, err := query(t.ctx, t.tx, a.TakeID, `SELECT key, id FROM tests WHERE repo = ? AND `+c,
			append([]any{repo}, args...)...)
		if err != nil {
			return 0, err
		}
	}
	missing, size := a.Missing(tests)
	for part := range slices.Chunk(missing, rowsAtOnce) {
		args := make([]any, 0, 4*rowsAtOnce)
		for _, t := range part {
			args = append(args, repo, t.Key, t.Name, t.File)
		}
		_, err := query(t.ctx, t.tx, a.TakeID, `INSERT INTO tests (repo, key, name, file) VALUES (?, ?, ?, ?)`+
			strings.Repeat(", (?, ?, ?, ?)", len(part)-1)+` RETURNING key, id`, args...)
		if err != nil {
			return 0, err
		}
	}
	return size, nil
}

// named reports whether all IDs of an addition still belong to tests of a repository. Only packing removes tests. So if
// nothing was packed since the IDs were read, the IDs need no check.
func (t *testsAdder) named(a *testpack.Addition, repo string) (bool, error) {
	now, err := t.packing(repo)
	if err != nil || now == t.packed && repo == t.repo {
		return err == nil, err
	}
	for part := range slices.Chunk(a.Tests, rowsAtOnce*10) {
		ids := make([]int64, len(part))
		for i, t := range part {
			ids[i] = a.IDs[t.Key]
		}
		c, args := in("id", ids)
		n := 0
		err := t.tx.QueryRowContext(t.ctx, `SELECT count(*) FROM tests WHERE +repo = ? AND `+c,
			append([]any{repo}, args...)...).Scan(&n)
		if err != nil || n < len(part) {
			return false, err
		}
	}
	return true, nil
}

// packing returns a text that changes with each step of packing a repository.
func (t *testsAdder) packing(repo string) (state string, err error) {
	err = t.tx.QueryRowContext(t.ctx, `
		SELECT coalesce((SELECT max(seq) FROM sqlite_sequence WHERE name = 'test_segments'), 0) || coalesce((
			SELECT p.state
			FROM test_packings p
			JOIN test_segments s ON s.id = p.segment
			WHERE s.repo = ?), '')`, repo).Scan(&state)
	return state, err
}

// insert adds the block of a run. size is the size in bytes of the texts that are not counted yet.
func (t *testsAdder) insert(a *testpack.Addition, r row, block []byte, size int) error {
	sum := store.SumTests(a.Results)
	_, err := t.tx.ExecContext(t.ctx, `
		INSERT INTO test_runs (run_id, repo, serial, tests, failed, skipped, infra, retried, flaky, block)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		r.id, r.Repo, r.Serial, sum.Tests, sum.Failed, sum.Skipped, sum.Infra, sum.Retried, sum.Flaky, block)
	if err != nil {
		return err
	}
	if err := t.count(r, store.TestBytes(len(block), size)); err != nil {
		return err
	}
	due := false
	err = t.tx.QueryRowContext(t.ctx, `
		SELECT EXISTS (SELECT 1 FROM test_packings)
			OR (SELECT count(*) FROM test_runs WHERE repo = ? AND segment = 0) >= ?`, r.Repo, testpack.Runs).Scan(&due)
	if due {
		t.due = r.Repo
	}
	return err
}

// count adds bytes to the size of a run.
func (t *testsAdder) count(r row, size int) error {
	_, err := t.tx.ExecContext(t.ctx, `UPDATE runs SET text_bytes = text_bytes + ? WHERE id = ?`, size, r.id)
	return err
}
