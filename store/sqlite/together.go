package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"sync"
)

// together holds the writes that wait for a common transaction.
type together struct {
	mu      sync.Mutex
	waiting []*joined
}

// joined is one of the writes of a common transaction.
type joined struct {
	ctx    context.Context
	do     func(tx *sql.Tx) error
	cancel context.CancelFunc // ends the wait for a turn
	done   chan struct{}      // closed when err is final
	err    error
}

// writeTogether is like write. Calls that wait at the same time share a transaction, because beginning and committing
// take most of the time of a small write. The first of these calls that gets a turn executes all writes. Each call
// returns after the commit. If a transaction of several calls fails, each call gets a transaction of its own. So f may
// be called twice.
func (s *Store) writeTogether(ctx context.Context, f func(tx *sql.Tx) error) error {
	if s.ReadOnly() {
		return s.unwritable()
	}
	turn, cancel := context.WithCancel(ctx)
	defer cancel()
	w := &joined{ctx: ctx, do: f, cancel: cancel, done: make(chan struct{})}
	s.together.add(w)
	leave, err := s.enterWrite(turn)
	if err == nil {
		if s.together.waits(w) {
			err = s.writeAll(ctx)
		}
		leave()
	}
	if s.together.withdraw(w) {
		return err // no call has begun to write w
	}
	<-w.done
	return w.err
}

// writeAll executes all writes that wait when the transaction has begun. It returns the error of the transaction. If
// the transaction did not begin, the writes still wait. Otherwise each write has its own result.
func (s *Store) writeAll(ctx context.Context) error {
	var all []*joined
	defer func() { // after a panic, too
		for _, w := range all {
			w.end(errBrokenOff)
		}
	}()
	err := s.transact(ctx, func(tx *sql.Tx) error {
		all = s.together.take()
		for _, w := range all {
			if err := w.do(tx); err != nil {
				return err
			}
		}
		return nil
	})
	one := len(all) == 1
	for len(all) > 0 {
		w := all[0]
		if err != nil && !one {
			w.end(s.transact(w.ctx, w.do))
		} else {
			w.end(err)
		}
		all = all[1:]
	}
	return err
}

var errBrokenOff = errors.New("the transaction broke off")

func (w *joined) end(err error) {
	w.err = err
	close(w.done)
	w.cancel()
}

func (t *together) add(w *joined) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.waiting = append(t.waiting, w)
}

// take removes all writes, and returns them.
func (t *together) take() []*joined {
	t.mu.Lock()
	defer t.mu.Unlock()
	all := t.waiting
	t.waiting = nil
	return all
}

// waits reports whether nobody has taken a write.
func (t *together) waits(w *joined) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Contains(t.waiting, w)
}

// withdraw removes a write. It returns false if somebody has taken the write.
func (t *together) withdraw(w *joined) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	i := slices.Index(t.waiting, w)
	if i >= 0 {
		t.waiting = slices.Delete(t.waiting, i, i+1)
	}
	return i >= 0
}
