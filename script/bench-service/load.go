//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"log"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/blob/open"
	"github.com/blq-ci/blq/store/chunk"
	"github.com/blq-ci/blq/store/postgres"
)

// loader fills a database with runs of several months.
type loader struct {
	ctx   context.Context
	store *postgres.Store
	conn  *pgx.Conn // connection that sets the month
	logs  map[string][]store.Chunk
}

// load fills a database with a number of events, unless an earlier call has filled it. It returns the database's URL.
// Runs of the same size share the stored chunks of their logs.
func (b *bench) load(admin *pgx.Conn, url func(database string) string, place open.Place, events int) (string, error) {
	name := fmt.Sprintf("blq_bench_%d_%d", b.repos, events)
	var there bool
	if err := admin.QueryRow(b.ctx, `SELECT EXISTS (SELECT 1 FROM pg_database WHERE datname = $1)`, name).Scan(
		&there); err != nil || there {
		return url(name), err
	}
	filling := name + "_filling"
	if _, err := admin.Exec(b.ctx, `DROP DATABASE IF EXISTS `+filling); err != nil {
		return "", err
	}
	if _, err := admin.Exec(b.ctx, `CREATE DATABASE `+filling+` TEMPLATE template0 ENCODING 'UTF8'`); err != nil {
		return "", err
	}
	if err := b.fill(url(filling), place, plans(b.repos, events, time.Now().UTC().Truncate(time.Hour))); err != nil {
		return "", err
	}
	_, err := admin.Exec(b.ctx, `ALTER DATABASE `+filling+` RENAME TO `+name)
	return url(name), err
}

func (b *bench) fill(url string, place open.Place, list []plan) (err error) {
	began := time.Now()
	l := loader{ctx: b.ctx, logs: map[string][]store.Chunk{}}
	if l.store, err = prepared(b.ctx, url); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.store.Close()) }()
	if l.conn, err = pgx.Connect(b.ctx, url); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.conn.Close(context.WithoutCancel(b.ctx))) }()
	if err := l.keepLogs(place); err != nil {
		return err
	}
	for i := range b.repos {
		r := store.EnrolledRepo{ID: int64(i + 1), Name: repoName(i), DefaultBranch: "main", EnrolledAt: began}
		if _, err := l.store.EnrolRepo(b.ctx, r); err != nil {
			return err
		}
	}
	for m := range months {
		if err := l.month(list[len(list)*m/months : len(list)*(m+1)/months]); err != nil {
			return err
		}
	}
	if _, err := l.conn.Exec(b.ctx, `VACUUM ANALYZE`); err != nil {
		return err
	}
	log.Printf("filled %d runs in %v", len(list), time.Since(began).Round(time.Second))
	return nil
}

// keepLogs stores a log for each kind of run.
func (l *loader) keepLogs(place open.Place) error {
	for _, source := range []string{"build", "test", "lint"} {
		for _, size := range sizes {
			kind := fmt.Sprint(source, size.n)
			var all chunks
			w, err := chunk.NewWriter(&all, place, "kind-"+kind)
			if err != nil {
				return err
			}
			if _, err := w.Write(l.ctx, store.StreamCombined, logText(source, size.n)); err != nil {
				return err
			}
			if err := w.Flush(l.ctx); err != nil {
				return err
			}
			l.logs[kind] = all
		}
	}
	return nil
}

// chunks collects the chunks that a writer stores.
type chunks []store.Chunk

// AddChunk implements chunk.Adder.
func (c *chunks) AddChunk(_ context.Context, _ string, one store.Chunk) error {
	*c = append(*c, one)
	return nil
}

// month records runs that are all in one month. Before it records them, it makes the function month_now of the database
// return this month.
func (l *loader) month(list []plan) error {
	at := list[0].at
	_, err := l.conn.Exec(l.ctx, fmt.Sprintf(
		`CREATE OR REPLACE FUNCTION month_now() RETURNS bigint LANGUAGE sql VOLATILE AS 'SELECT %d::bigint'`,
		12*at.Year()+int(at.Month())-1))
	if err != nil {
		return err
	}
	const workers = 4
	parts := make([][]plan, workers) // keeps the order of runs in each repository
	for _, p := range list {
		h := fnv.New32a()
		fmt.Fprint(h, p.repo)
		i := h.Sum32() % workers
		parts[i] = append(parts[i], p)
	}
	return atOnce(workers, workers, func(i int) error {
		for _, p := range parts[i] {
			if err := l.record(p); err != nil {
				return err
			}
		}
		return nil
	})
}

func (l *loader) record(p plan) error {
	if _, err := l.store.StartRun(l.ctx, p.run()); err != nil {
		return err
	}
	if events := p.events(); len(events) > 0 {
		if err := l.store.AddEvents(l.ctx, p.attempt, 0, events); err != nil {
			return err
		}
	}
	for _, c := range l.logs[fmt.Sprint(p.source, p.n)] {
		if err := l.store.AddChunk(l.ctx, p.attempt, c); err != nil {
			return err
		}
	}
	_, err := l.store.FinishRun(l.ctx, p.attempt, store.Finish{Ending: p.ending(), Chunks: -1, Batches: -1})
	return err
}
