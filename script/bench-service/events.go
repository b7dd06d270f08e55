//go:build unix

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/klauspost/compress/zstd"

	"github.com/blq-ci/blq/ingest/api"
	"github.com/blq-ci/blq/store"
)

// perTurn is the number of events in a turn. blqd and the plain COPY take turns.
const perTurn = 40_000

// events measures how fast blqd stores events. The comparison is a plain COPY of the same rows into the same table.
// Both use one transaction per batch.
func (b *bench) events() (err error) {
	s, err := b.newSender("file://" + filepath.Join(b.dir, "sent"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	fmt.Printf("### Events in\n\n| events a batch | senders | sent to blqd, events/s | bare COPY, events/s | ratio " +
		"|\n| --- | --- | --- | --- | --- |\n")
	for _, batch := range []int{1_000, 10_000} {
		for _, senders := range []int{1, 4} {
			if err := b.eventsBy(s, batch, senders); err != nil {
				return err
			}
		}
	}
	fmt.Println()
	return nil
}

func (b *bench) eventsBy(s *sender, batch, senders int) (err error) {
	list := plan{repo: "o/n", source: "build", n: perTurn}.events()
	batches := perTurn / batch
	parcels := make([]parcel, batches)
	for i := range parcels {
		if parcels[i], err = batchOf(list[i*batch : (i+1)*batch]); err != nil {
			return err
		}
	}
	copiers := make(chan *pgx.Conn, senders)
	for range senders {
		c, err := pgx.Connect(b.ctx, s.server.URL("postgres"))
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, c.Close(context.WithoutCancel(b.ctx))) }()
		copiers <- c
	}
	ours := func(int) error {
		return atOnce(senders, senders, func(sender int) error {
			attempt, err := s.begin()
			for i := sender; i < batches && err == nil; i += senders {
				err = s.put(attempt, "events", i, parcels[i])
			}
			return err
		})
	}
	bare := func(int) error {
		return atOnce(senders, batches, func(i int) error {
			c := <-copiers
			defer func() { copiers <- c }()
			_, err := c.CopyFrom(b.ctx, pgx.Identifier{"events"}, columns, rowsOf(s.n.Add(1), list[i*batch:(i+1)*batch]))
			return err
		})
	}
	mine, theirs, ratio, err := turns(b.rounds, ours, bare)
	fmt.Printf("| %d | %d | %.0f | %.0f | %.2f |\n", batch, senders, perTurn/mine.Seconds(),
		perTurn/theirs.Seconds(), ratio)
	return err
}

// batchOf returns the body of a batch in the form that blq sends.
func batchOf(events []store.Event) (parcel, error) {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	for _, e := range events {
		if err := enc.Encode(api.Event{ID: e.ID, Event: e, Pattern: e.Pattern}); err != nil {
			return parcel{}, err
		}
	}
	w, err := zstd.NewWriter(nil)
	if err != nil {
		return parcel{}, err
	}
	return newParcel(w.EncodeAll(text.Bytes(), nil), "Content-Type", "application/x-ndjson", "Content-Encoding", "zstd"),
		w.Close()
}

var columns = []string{
	"run_id", "fingerprint", "pattern", "id", "source_id", "line", "col", "log_line", "log_line_end",
	"severity", "file", "message", "tool", "category", "code", "test", "stream",
}

// rowsOf returns table rows for the events of a new run in the current month. Its run ID is higher than all stored run
// IDs.
func rowsOf(run int64, events []store.Event) pgx.CopyFromSource {
	now := time.Now().UTC()
	id := int64(12*now.Year()+int(now.Month())-1)<<40 + 1<<39 + run
	return pgx.CopyFromSlice(len(events), func(i int) ([]any, error) {
		e := &events[i]
		fingerprint, _ := store.FingerprintHash(e.Fingerprint)
		pattern, _ := store.FingerprintHash(e.Pattern)
		return []any{
			id, fingerprint, pattern, int32(e.ID), int32(1 + run%100), int32(e.Line), int32(e.Column), int32(e.LogLine),
			int32(e.LogLineEnd),
			int16(1), e.File, e.Message, e.Tool, string(e.Category), e.Code, e.Test, e.Stream,
		}, nil
	})
}
