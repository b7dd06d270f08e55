package postgres

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/blq-ci/blq/store"
)

// together holds the statements that wait for a common transaction.
type together struct {
	mu      sync.Mutex
	waiting []*joined
	busy    bool // somebody writes
}

// joined is a statement that may share a transaction with other statements.
type joined struct {
	ctx   context.Context
	order string // statements are executed in this order, so that two transactions seldom wait for each other
	q     string
	args  []any
	done  chan struct{} // closed when the other fields are final
	rows  []int
	err   error // error of the common transaction
}

// maxTogether is the max number of statements of a common transaction.
const maxTogether = 100

// togetherTime is the max time of a common transaction.
const togetherTime = 30 * time.Second

// writeTogether executes a statement that changes a job, and returns the integers of its rows. Statements that wait at
// the same time share a transaction and a message to the database. This saves time, because messages and commits take
// longer than the statements. The call returns after the commit. If the transaction fails, each call executes its
// statement again by itself. The statement may also be executed after its ctx has ended.
func (s *Store) writeTogether(ctx context.Context, w store.Work, q string, args ...any) ([]int, error) {
	order := store.OwnerOf(w.Repo) + "\x00" + w.Key // triggers lock a row of the owner
	j := &joined{ctx: context.WithoutCancel(ctx), order: order, q: q, args: args, done: make(chan struct{})}
	if s.together.add(j) {
		go s.writeWaiting()
	}
	select {
	case <-j.done:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if j.err != nil {
		return query(ctx, s.pool, store.ScanOne[int], q, args...)
	}
	return j.rows, nil
}

// writeWaiting executes statements until none waits.
func (s *Store) writeWaiting() {
	for all := s.together.take(); len(all) > 0; all = s.together.take() {
		err := s.writeAll(all)
		for _, j := range all {
			j.err = err
			close(j.done)
		}
	}
}

// writeAll executes statements in a transaction. The context of the first statement decides when the transaction gets a
// connection.
func (s *Store) writeAll(all []*joined) error {
	ctx, cancel := context.WithTimeout(all[0].ctx, togetherTime)
	defer cancel()
	leave, err := s.pool.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	slices.SortStableFunc(all, func(a, b *joined) int { return cmp.Compare(a.order, b.order) })
	var batch pgx.Batch // pgx runs a batch as one transaction
	for _, j := range all {
		batch.Queue(j.q, j.args...).Query(func(rows pgx.Rows) (err error) {
			j.rows, err = store.ScanRows(ctx, rows, store.ScanOne[int])
			return err
		})
	}
	return s.pool.SendBatch(ctx, &batch).Close()
}

// add adds a statement. It reports whether the caller has to start writeWaiting.
func (t *together) add(j *joined) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.waiting = append(t.waiting, j)
	start := !t.busy
	t.busy = true
	return start
}

// take removes up to maxTogether waiting statements, and returns them. If no statement waits, writeWaiting has to end.
func (t *together) take() []*joined {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := min(len(t.waiting), maxTogether)
	all := t.waiting[:n:n]
	t.waiting = t.waiting[n:]
	t.busy = n > 0
	return all
}
