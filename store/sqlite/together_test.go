package sqlite

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/blq-ci/blq/store"
)

// When all callers wait, the test lets one of them write. So the writes of all callers are in the transaction of this
// caller.
func TestWritesThatWaitShareATurn(t *testing.T) {
	t.Parallel()
	s, err := Open(t.Context(), filepath.Join(t.TempDir(), "blq.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	const callers = 20
	var once, full sync.Once
	all := make(chan struct{}) // closed when all callers wait
	s.enterWrite = func(ctx context.Context) (func(), error) {
		if s.together.number() == callers {
			full.Do(func() { close(all) })
		}
		err := context.Canceled
		once.Do(func() {
			<-all
			err = nil
		})
		if err != nil {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		return func() {}, nil
	}
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	failed := make([]error, callers)
	var work sync.WaitGroup
	for i := range callers {
		work.Go(func() {
			if i == 0 { // only this call fails
				failed[i] = s.EndWork(t.Context(), store.Work{ID: 99, Lease: store.Lease{Holder: "nobody"}}, now)
				return
			}
			_, failed[i] = s.PutWork(t.Context(), now, store.Work{Key: fmt.Sprint("job", i), Kind: "x", Repo: "a/b"})
		})
	}
	work.Wait()
	if store.CodeOf(failed[0]) != store.Conflict {
		t.Errorf("the lost lease: %v", failed[0])
	}
	if err := errors.Join(failed[1:]...); err != nil {
		t.Error(err)
	}
	if list, err := s.Works(t.Context(), store.WorkFilter{}); err != nil || len(list) != callers-1 {
		t.Errorf("%d jobs are stored, %v", len(list), err)
	}
}

func TestAWriteThatIsGivenUpWhileItWaits(t *testing.T) {
	t.Parallel()
	s, err := Open(t.Context(), filepath.Join(t.TempDir(), "blq.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ctx, cancel := context.WithCancel(t.Context())
	s.enterWrite = func(ctx context.Context) (func(), error) {
		cancel()
		<-ctx.Done()
		return nil, ctx.Err()
	}
	if _, err := s.PutWork(ctx, time.Now(), store.Work{Key: "a", Kind: "x"}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	s.enterWrite = atOnce
	if _, err := s.PutWork(t.Context(), time.Now(), store.Work{Key: "b", Kind: "x"}); err != nil {
		t.Error(err)
	}
	if list, err := s.Works(t.Context(), store.WorkFilter{}); err != nil || len(list) != 1 || list[0].Key != "b" {
		t.Errorf("%v, %v", list, err)
	}
}

func (t *together) number() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.waiting)
}
