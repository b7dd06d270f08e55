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

// namesAtOnce is the max number of tests that AddTests looks up and stores in a transaction. Other writers wait during
// a transaction.
const namesAtOnce = 5000

// AddTests implements store.Store. It stores the names of many tests in several transactions, and then all results in
// one transaction. If it breaks off in between, there are tests without results, as after the removal of runs.
func (s *Store) AddTests(ctx context.Context, attempt string, results []store.TestResult) error {
	if err := store.CheckTests(results); err != nil || len(results) == 0 {
		return err
	}
	a := newAddition(attempt, results)
	done := false
	var err error
	for !done && err == nil {
		if len(a.tests) <= namesAtOnce {
			done, err = true, s.write(ctx, func(tx *sql.Tx) error { return a.few(ctx, tx) })
		} else {
			done, err = s.addMany(ctx, a)
		}
	}
	if err != nil {
		return fmt.Errorf("add results of tests: %w", err)
	}
	return nil
}

// addition is a call of AddTests.
type addition struct {
	attempt string
	results []store.TestResult
	tests   []keyed         // each test once
	ids     map[int64]int64 // IDs of stored tests by key
	repo    string          // repository of the tests with an ID
	segment int64           // newest segment of all repositories before the first of ids was read
}

// keyed is a test with its key.
type keyed struct {
	key int64
	*store.Test
}

func newAddition(attempt string, results []store.TestResult) *addition {
	a := &addition{attempt: attempt, results: results, ids: map[int64]int64{}}
	for i := range results {
		t := keyed{results[i].Test.Key(), &results[i].Test}
		if _, seen := a.ids[t.key]; !seen {
			a.ids[t.key] = 0
			a.tests = append(a.tests, t)
		}
	}
	return a
}

// few stores names and results.
func (a *addition) few(ctx context.Context, tx *sql.Tx) error {
	r, open, err := a.find(ctx, tx)
	if err != nil || !open {
		return err
	}
	size, err := a.name(ctx, tx, r.Repo, a.tests)
	if err != nil {
		return err
	}
	if err := a.insert(ctx, tx, r, a.block(), size); err != nil {
		return err
	}
	return mergeTests(ctx, tx, r.Repo)
}

// addMany stores names in several transactions, and results in one more. It returns false if names were removed
// meanwhile, so that they must be stored again.
func (s *Store) addMany(ctx context.Context, a *addition) (done bool, err error) {
	clear(a.ids)
	for part := range slices.Chunk(a.tests, namesAtOnce) {
		err := s.write(ctx, func(tx *sql.Tx) error {
			open, err := a.nameSome(ctx, tx, part)
			done = !open
			return err
		})
		if err != nil || done {
			return done, err
		}
	}
	block := a.block()
	err = s.write(ctx, func(tx *sql.Tx) error {
		r, open, err := a.find(ctx, tx)
		if done = !open; err != nil || done {
			return err
		}
		if done, err = a.named(ctx, tx, r.Repo); err != nil || !done {
			return err
		}
		if err := a.insert(ctx, tx, r, block, 0); err != nil {
			return err
		}
		return mergeTests(ctx, tx, r.Repo)
	})
	return done, err
}

// nameSome stores names, and counts their bytes at once, because the call may break off later. It returns false if the
// run has results.
func (a *addition) nameSome(ctx context.Context, tx *sql.Tx, part []keyed) (open bool, err error) {
	r, open, err := a.find(ctx, tx)
	if err != nil || !open {
		return open, err
	}
	if len(a.ids) == 0 {
		a.repo = r.Repo
		if a.segment, err = newestSegment(ctx, tx); err != nil {
			return open, err
		}
	}
	size, err := a.name(ctx, tx, r.Repo, part)
	if err != nil || size == 0 {
		return open, err
	}
	_, err = tx.ExecContext(ctx, `UPDATE runs SET text_bytes = text_bytes + ? WHERE id = ?`, size, r.id)
	return open, err
}

// find returns the run. It returns false if the run has results.
func (a *addition) find(ctx context.Context, tx *sql.Tx) (r row, open bool, err error) {
	if r, err = mustFind(ctx, tx, a.attempt); err != nil {
		return r, false, err
	}
	var have bool
	err = tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM test_runs WHERE run_id = ?)`, r.id).Scan(&have)
	if err != nil || have {
		return r, false, err
	}
	return r, true, r.CheckOpen()
}

// name sets the IDs of tests. It stores tests that are not stored yet, and returns the size of their texts in bytes.
func (a *addition) name(ctx context.Context, tx *sql.Tx, repo string, tests []keyed) (size int, err error) {
	take := func(scan func(...any) error) (none struct{}, err error) {
		var key, id int64
		err = scan(&key, &id)
		a.ids[key] = id
		return none, err
	}
	for part := range slices.Chunk(tests, rowsAtOnce*10) {
		keys := make([]int64, len(part))
		for i, t := range part {
			keys[i] = t.key
		}
		c, args := in("key", keys)
		_, err := query(ctx, tx, take, `SELECT key, id FROM tests WHERE repo = ? AND `+c, append([]any{repo}, args...)...)
		if err != nil {
			return 0, err
		}
	}
	var missing []keyed
	for _, t := range tests {
		if a.ids[t.key] == 0 {
			missing = append(missing, t)
			size += t.Size()
		}
	}
	for part := range slices.Chunk(missing, rowsAtOnce) {
		args := make([]any, 0, 4*rowsAtOnce)
		for _, t := range part {
			args = append(args, repo, t.key, t.Name, t.File)
		}
		_, err := query(ctx, tx, take, `INSERT INTO tests (repo, key, name, file) VALUES (?, ?, ?, ?)`+
			strings.Repeat(", (?, ?, ?, ?)", len(part)-1)+` RETURNING key, id`, args...)
		if err != nil {
			return 0, err
		}
	}
	return size, nil
}

// named reports whether all IDs are still those of tests of a repository. Only mergeTests removes tests.
func (a *addition) named(ctx context.Context, tx *sql.Tx, repo string) (bool, error) {
	newest, err := newestSegment(ctx, tx)
	if err != nil || newest == a.segment && repo == a.repo {
		return err == nil, err
	}
	for part := range slices.Chunk(a.tests, rowsAtOnce*10) {
		ids := make([]int64, len(part))
		for i, t := range part {
			ids[i] = a.ids[t.key]
		}
		c, args := in("id", ids)
		n := 0
		err := tx.QueryRowContext(ctx, `SELECT count(*) FROM tests WHERE +repo = ? AND `+c,
			append([]any{repo}, args...)...).Scan(&n)
		if err != nil || n < len(part) {
			return false, err
		}
	}
	return true, nil
}

// newestSegment returns the highest ID that a segment has ever had, 0 if there was none.
func newestSegment(ctx context.Context, tx *sql.Tx) (id int64, err error) {
	err = tx.QueryRowContext(ctx, `SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'test_segments'`).Scan(
		&id)
	return id, err
}

// block packs the results.
func (a *addition) block() []byte { return testpack.Block(testpack.Entries(a.results, a.ids)) }

// insert adds the block of a run. size is the size in bytes of the texts that are not counted yet.
func (a *addition) insert(ctx context.Context, tx *sql.Tx, r row, block []byte, size int) error {
	sum := store.SumTests(a.results)
	_, err := tx.ExecContext(ctx, `
		INSERT INTO test_runs (run_id, repo, serial, tests, failed, skipped, infra, retried, flaky, block)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		r.id, r.Repo, r.Serial, sum.Tests, sum.Failed, sum.Skipped, sum.Infra, sum.Retried, sum.Flaky, block)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `UPDATE runs SET text_bytes = text_bytes + ? WHERE id = ?`,
		store.TestBytes(len(block), size), r.id)
	return err
}
