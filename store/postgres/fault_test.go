package postgres_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/blq-ci/blq/internal/cmdline"
	"github.com/blq-ci/blq/internal/pgtest"
	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/postgres"
)

func TestWhatWasAcknowledgedSurvivesCrashes(t *testing.T) {
	t.Parallel()
	server, err := pgtest.Start(pgtest.Options{Durable: true})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	s := open(t, server.URL("postgres"))
	if err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	const writers, crashes = 4, 3
	var stop atomic.Bool
	var added [writers]int
	var wg sync.WaitGroup
	progress := make(chan struct{}, 1)
	for w := range writers {
		wg.Go(func() {
			for !stop.Load() {
				if err := addOne(t.Context(), s, w, added[w]); err == nil {
					added[w]++
				} else if store.CodeOf(err) != store.Unavailable || store.NextOf(err) == nil {
					t.Errorf("batch %d of writer %d: %v (code %q)", added[w], w, err, store.CodeOf(err))
					return
				}
				select {
				case progress <- struct{}{}:
				default:
				}
			}
		})
	}
	for range crashes {
		for range 50 {
			<-progress
		}
		if err := server.Restart(pgtest.Immediate); err != nil {
			t.Fatal(err)
		}
	}
	for range 50 {
		<-progress
	}
	stop.Store(true)
	wg.Wait()
	for w, n := range added {
		r, err := s.FinishRun(t.Context(), fmt.Sprint("attempt-", w), store.Finish{Chunks: n, Batches: n})
		if err != nil {
			t.Fatal(err)
		}
		// The last batch may be stored without an acknowledgement.
		if got := r.Errors + r.Warnings; n == 0 || got != 3*n && got != 3*n+3 {
			t.Errorf("writer %d: %d batches of 3 were acknowledged, there are %d events", w, n, got)
		}
		whole(t, s, r)
	}
	if n, err := s.Recount(t.Context(), 0, 1); n != 0 || err != nil {
		t.Errorf("%d counts of usage were wrong, %v", n, err)
	}
}

// addOne adds a writer's next batch and chunk.
func addOne(ctx context.Context, s *postgres.Store, w, n int) error {
	r, err := s.StartRun(ctx, run(fmt.Sprint("o/", w), fmt.Sprint("attempt-", w)))
	if err != nil {
		return err
	}
	list := events(3, n)
	for i := range list {
		list[i].ID += 3 * n
	}
	c := store.Chunk{Sequence: n, FirstLine: n, Lines: 1, Digest: fmt.Sprint(n), Key: fmt.Sprint("k/", w, "/", n)}
	if err := s.AddChunk(ctx, r.Attempt, c); err != nil {
		return err
	}
	return s.AddEvents(ctx, r.Attempt, n, list)
}

func TestADeadDatabaseIsUnavailable(t *testing.T) {
	t.Parallel()
	server, err := pgtest.Start(pgtest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	s := open(t, server.URL("postgres"))
	if err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := server.Down(pgtest.Fast); err != nil {
		t.Fatal(err)
	}
	for what, err := range map[string]error{
		"ready":   s.Ready(t.Context()),
		"migrate": s.Migrate(t.Context()),
		"start":   second(s.StartRun(t.Context(), run("o/n", "a"))),
		"runs":    second(s.Runs(t.Context(), everything, store.RunFilter{})),
		"run":     second(s.Run(t.Context(), everything, store.Ref{})),
		"events":  second(s.Events(t.Context(), everything, store.EventFilter{})),
		"query":   second(s.Query(t.Context(), everything, store.Query{SQL: "SELECT * FROM lq_events"})),
		"prune":   second(s.Prune(t.Context(), everything, store.Policy{All: true})),
		"collect": s.Collected(t.Context(), []string{"k"}),
	} {
		if store.CodeOf(err) != store.Unavailable || store.NextOf(err) == nil {
			t.Errorf("%s: %v (code %q, hint %q)", what, err, store.CodeOf(err), cmdline.Of(store.NextOf(err)))
		}
		if strings.Contains(err.Error(), "blq-pg") || postgres.Cause(err) == nil ||
			!strings.Contains(postgres.Cause(err).Error(), "blq-pg") {
			t.Errorf("%s tells everybody %q, and us %v", what, err, postgres.Cause(err))
		}
	}
	if err := server.Up(); err != nil {
		t.Fatal(err)
	}
	if err := s.Ready(t.Context()); err != nil {
		t.Errorf("after it came back: %v", err)
	}
}

func second[T any](_ T, err error) error { return err }

// held keeps a run's row locked until the test ends.
func held(t *testing.T) (string, store.Run) {
	t.Helper()
	url := database(t)
	r, err := open(t, url).StartRun(t.Context(), run("o/n", "a"))
	if err != nil {
		t.Fatal(err)
	}
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(context.Background()) })
	if _, err := conn.Exec(t.Context(), `BEGIN; SELECT * FROM runs FOR UPDATE`); err != nil {
		t.Fatal(err)
	}
	return url, r
}

func TestCallsThatAreGivenUpEnd(t *testing.T) {
	t.Parallel()
	url, r := held(t)
	s := open(t, url)
	if _, err := s.PartitionsAhead(t.Context()); err != nil { // the pool has a connection before the time runs
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if err := s.AddEvents(ctx, r.Attempt, 0, events(3, 0)); err == nil || ctx.Err() == nil ||
		!strings.Contains(err.Error(), context.DeadlineExceeded.Error()) {
		t.Errorf("got %v", err)
	}
	if n := s.Stats(); n.InUse != 0 {
		t.Errorf("still used: %+v", n)
	}
	var waiting int
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	err = conn.QueryRow(t.Context(), `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`).Scan(&waiting)
	if err != nil || waiting != 0 {
		t.Errorf("%d statements wait in the database, %v", waiting, err)
	}
}

func TestWaitingIsBounded(t *testing.T) {
	t.Parallel()
	url, r := held(t)
	for _, o := range []postgres.Options{postgres.LockTimeout(50 * time.Millisecond),
		postgres.StatementTimeout(50 * time.Millisecond)} {
		s, err := postgres.Open(t.Context(), url, o)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		if err := s.Heartbeat(t.Context(), r.Attempt, time.Unix(2e9, 0)); store.CodeOf(err) != store.Unavailable ||
			store.NextOf(err) == nil {
			t.Errorf("%+v: %v (code %q)", o, err, store.CodeOf(err))
		}
	}
}

func TestOpenTellsNoPassword(t *testing.T) {
	t.Parallel()
	for _, url := range []string{"postgres://u:geheim@host:port/db", "postgres://u:geheim@h/db?sslmode=perhaps",
		"host=h password=geheim port=x", "u:geheim@h/db"} {
		_, err := postgres.Open(t.Context(), url, postgres.Options{})
		if store.CodeOf(err) != store.Invalid || store.NextOf(err) == nil || strings.Contains(err.Error(), "geheim") {
			t.Errorf("%s: %v", url, err)
		}
	}
	s := open(t, "postgres://u:geheim@127.0.0.1:1/db")
	if err := s.Ready(t.Context()); store.CodeOf(err) != store.Unavailable ||
		strings.Contains(err.Error()+cmdline.Of(store.NextOf(err)), "geheim") {
		t.Errorf("ready: %v", err)
	}
}
