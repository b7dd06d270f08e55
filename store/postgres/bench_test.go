package postgres_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/blq-ci/blq/internal/pgtest"
	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/postgres"
)

// events returns n events like those of a compiler.
func events(n, seed int) []store.Event {
	list := make([]store.Event, n)
	for i := range list {
		e := store.Event{
			ID: i + 1, Severity: store.SeverityError, File: fmt.Sprintf("src/module%d/file%d.c", i%97, i%1009),
			Line: i % 5000, Column: 7,
			Message: fmt.Sprintf("'symbol_%d' undeclared (first use in this function)", i+seed), Tool: "gcc",
			Category: store.CategoryCompile,
			LogLine:  3 * i, LogLineEnd: 3*i + 2,
		}
		if i%3 == 0 {
			e.Severity = store.SeverityWarning
		}
		e.Fingerprint, e.Pattern = store.Fingerprint(e), store.Pattern(e)
		list[i] = e
	}
	return list
}

// durable returns a store on a server that survives crashes, and its URL.
func durable(b *testing.B) (*postgres.Store, string) {
	b.Helper()
	server, err := pgtest.Start(
		pgtest.Options{Durable: true, Settings: []string{"shared_buffers=512MB", "max_wal_size=4GB"}})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { server.Close() })
	s := open(b, server.URL("postgres"))
	if err := s.Migrate(b.Context()); err != nil {
		b.Fatal(err)
	}
	return s, server.URL("postgres")
}

// BenchmarkAddEvents alternates between adding a batch and a bare COPY of the same rows into the same table. Each has
// its own transaction.
func BenchmarkAddEvents(b *testing.B) {
	const batch = 10_000
	s, url := durable(b)
	conn, err := pgx.Connect(b.Context(), url)
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Close(context.Background())
	var ours, bare time.Duration
	n := 0
	for b.Loop() {
		list := events(batch, n*batch)
		r, err := s.StartRun(b.Context(), store.Run{Attempt: fmt.Sprint("run-", n), Repo: fmt.Sprint("o/", n%10),
			Source: "build", StartedAt: time.Unix(1e9, 0)})
		if err != nil {
			b.Fatal(err)
		}
		var id int64
		if err := conn.QueryRow(b.Context(), `SELECT (month_now() << 40) + (1::bigint << 39) + $1`, n).Scan(&id); err != nil {
			b.Fatal(err)
		}
		rows := rowsOf(id, list)
		add := func() {
			began := time.Now()
			if err := s.AddEvents(b.Context(), r.Attempt, 0, list); err != nil {
				b.Fatal(err)
			}
			ours += time.Since(began)
		}
		if n%2 == 0 {
			add()
		}
		began := time.Now()
		if _, err := conn.CopyFrom(b.Context(), pgx.Identifier{"events"}, columns, pgx.CopyFromRows(rows)); err != nil {
			b.Fatal(err)
		}
		bare += time.Since(began)
		if n%2 == 1 {
			add()
		}
		n++
	}
	var bytes, indexes int64
	err = conn.QueryRow(b.Context(), `
		SELECT sum(pg_total_relation_size(inhrelid))::bigint, sum(pg_indexes_size(inhrelid))::bigint
		FROM pg_inherits
		WHERE inhparent = 'events'::regclass`).Scan(&bytes, &indexes)
	if err != nil {
		b.Fatal(err)
	}
	total := float64(n * batch)
	b.ReportMetric(total/ours.Seconds(), "events/s")
	b.ReportMetric(total/bare.Seconds(), "bare-events/s")
	b.ReportMetric(bare.Seconds()/ours.Seconds(), "of-bare")
	b.ReportMetric(float64(bytes)/total/2, "B/event")
	b.ReportMetric(float64(indexes)/total/2, "B/event-indexes")
}

var columns = []string{
	"run_id", "fingerprint", "pattern", "id", "source_id", "line", "col", "log_line", "log_line_end",
	"severity", "file", "message", "tool", "category", "code", "test", "stream",
}

func rowsOf(run int64, list []store.Event) [][]any {
	rows := make([][]any, len(list))
	for i, e := range list {
		fingerprint, _ := store.FingerprintHash(e.Fingerprint)
		pattern, _ := store.FingerprintHash(e.Pattern)
		rows[i] = []any{
			run, fingerprint, pattern, int32(e.ID), int32(1), int32(e.Line), int32(e.Column), int32(e.LogLine),
			int32(e.LogLineEnd),
			int16(1), e.File, e.Message, e.Tool, string(e.Category), e.Code, e.Test, e.Stream,
		}
	}
	return rows
}
