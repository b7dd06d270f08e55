package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/postgres"
)

// together calls change callers times at once. The statements of all calls but the first wait until there is a turn.
// So they share a transaction.
func together(t *testing.T, url string, callers int, change func(s *postgres.Store, i int) error) []error {
	var s *postgres.Store
	var turns atomic.Int32
	begun, all := make(chan struct{}), make(chan struct{})
	s, err := postgres.Open(t.Context(), url, postgres.Options{Enter: func(ctx context.Context) (func(), error) {
		if turns.Add(1) == 1 {
			close(begun)
			<-all
		}
		return func() {}, nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	failed := make([]error, callers)
	var work sync.WaitGroup
	for i := range callers {
		work.Go(func() { failed[i] = change(s, i) })
		if i == 0 {
			<-begun
		}
	}
	for s.WaitingTogether() < callers-1 {
		time.Sleep(time.Millisecond)
	}
	close(all)
	work.Wait()
	return failed
}

// putOne queues the job with a number.
func putOne(ctx context.Context, s *postgres.Store, i int) error {
	n, err := s.PutWork(ctx, time.Now(), store.Work{Key: fmt.Sprint("job", i), Kind: "x", Repo: "a/b"})
	if err == nil && n != 1 {
		err = fmt.Errorf("%d jobs are new", n)
	}
	return err
}

// value returns the number that a query returns.
func value(t *testing.T, url, q string) (n int) {
	t.Helper()
	db, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close(t.Context())
	if err := db.QueryRow(t.Context(), q).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestStatementsThatWaitShareATransaction(t *testing.T) {
	t.Parallel()
	url := database(t)
	const callers = 20
	failed := together(t, url, callers, func(s *postgres.Store, i int) error {
		if i == 1 { // only this call fails
			lost := store.Work{ID: 99, Lease: store.Lease{Holder: "nobody"}}
			return s.EndWork(t.Context(), lost, time.Now())
		}
		return putOne(t.Context(), s, i)
	})
	if store.CodeOf(failed[1]) != store.Conflict {
		t.Errorf("the lost lease: %v", failed[1])
	}
	failed[1] = nil
	if err := errors.Join(failed...); err != nil {
		t.Error(err)
	}
	if n := value(t, url, `SELECT count(*) FROM queue`); n != callers-1 {
		t.Errorf("%d jobs are stored", n)
	}
	if n := value(t, url, `SELECT count(DISTINCT xmin::text) FROM queue`); n != 2 {
		t.Errorf("there were %d transactions", n)
	}
}

// A deferred trigger makes the commit of a common transaction fail. Then each statement is executed again by itself. So
// only the statement that the trigger refuses fails.
func TestACommonTransactionThatFails(t *testing.T) {
	t.Parallel()
	url := database(t)
	db, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close(t.Context())
	if _, err := db.Exec(t.Context(), `
		CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'refused'; END $$;
		CREATE CONSTRAINT TRIGGER refuse AFTER INSERT ON queue DEFERRABLE INITIALLY DEFERRED
		FOR EACH ROW WHEN (NEW.key = 'job3') EXECUTE FUNCTION refuse()`); err != nil {
		t.Fatal(err)
	}
	const callers = 8
	failed := together(t, url, callers, func(s *postgres.Store, i int) error { return putOne(t.Context(), s, i) })
	for i, err := range failed {
		if (err != nil) != (i == 3) {
			t.Errorf("job %d: %v", i, err)
		}
	}
	if n := value(t, url, `SELECT count(*) FROM queue`); n != callers-1 {
		t.Errorf("%d jobs are stored", n)
	}
}
