package postgres

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/jackc/pgx/v5"

	"github.com/blq-ci/blq/store"
)

// AddEvents implements store.Store.
func (s *Store) AddEvents(ctx context.Context, attempt string, sequence int, events []store.Event) error {
	done := false
	err := s.writeEvents(ctx, func(tx pgx.Tx) (row, error) {
		r, err := addNewBatch(ctx, tx, attempt, sequence, events)
		if done = err == nil && r.id > 0; done {
			err = copyEvents(ctx, tx, r, events)
		}
		return r, err
	})
	if stateOf(err) == uniqueViolation || err == nil && !done { // another call was faster, or addBatch is needed
		err = s.writeEvents(
			ctx, locked(ctx, attempt, func(tx pgx.Tx, r row) error { return addBatch(ctx, tx, r, sequence, events) }))
	}
	if err != nil {
		return fmt.Errorf("add events: %w", err)
	}
	return nil
}

// locked returns a function that locks a run, calls f with the run, and returns the run.
func locked(ctx context.Context, attempt string, f func(tx pgx.Tx, r row) error) func(tx pgx.Tx) (row, error) {
	return func(tx pgx.Tx) (row, error) {
		r, err := lockRun(ctx, tx, attempt)
		if err != nil {
			return r, err
		}
		return r, f(tx, r)
	}
}

// writeEvents runs f in a transaction. f returns a run. If the partition for that run is missing, writeEvents creates
// the partition and runs f again.
func (s *Store) writeEvents(ctx context.Context, f func(tx pgx.Tx) (row, error)) error {
	var unready month
	add := func() error {
		return s.write(ctx, func(tx pgx.Tx) error {
			r, err := f(tx)
			unready = monthOf(r.id)
			return err
		})
	}
	err := add()
	if stateOf(err) != checkViolation {
		return err
	}
	if err := s.partition(ctx, unready); err != nil {
		return err
	}
	return add()
}

// addNewBatch records a new batch of events for a run that is not completed and has no live events. This is the usual
// case, and it needs only one statement. addNewBatch locks the run, and returns the columns of the run that are needed
// for its events. It returns the zero row if the caller must call addBatch.
func addNewBatch(ctx context.Context, tx pgx.Tx, attempt string, sequence int, events []store.Event) (row, error) {
	counts, err := checkEvents(events)
	if err != nil || len(events) == 0 {
		return row{}, nil // addBatch returns the error for a completed or missing run
	}
	var r row
	err = tx.QueryRow(ctx, `
		WITH run AS (
			UPDATE runs AS r
			SET events = events + $2, errors = errors + $3, warnings = warnings + $4, text_bytes = text_bytes + $6
			WHERE attempt = $1 AND state <> 'completed' AND live_from = 0
			  AND NOT EXISTS (SELECT 1 FROM batches b WHERE b.run_id = r.id AND b.sequence = $5)
			RETURNING r.id, r.source_id
		), batch AS (
			INSERT INTO batches (run_id, sequence)
			SELECT id, $5 FROM run
		)
		SELECT id, source_id FROM run`,
		encode(attempt), len(events), counts[rank[store.SeverityError]], counts[rank[store.SeverityWarning]], sequence,
		textBytes(events)+store.BatchRow).Scan(&r.id, &r.source)
	if errors.Is(err, pgx.ErrNoRows) {
		err = nil
	}
	return r, err
}

// addBatch adds a batch to a locked run. It does nothing if the batch exists.
func addBatch(ctx context.Context, tx pgx.Tx, r row, sequence int, events []store.Event) error {
	tag, err := tx.Exec(ctx, `
		INSERT INTO batches (run_id, sequence) VALUES ($1, $2)
		ON CONFLICT DO NOTHING`, r.id, sequence)
	if err != nil || tag.RowsAffected() == 0 {
		return err
	}
	if err := r.CheckOpen(); err != nil {
		return err
	}
	if err := dropLive(ctx, tx, r, 0); err != nil {
		return err
	}
	counts, err := checkEvents(events)
	if err != nil {
		return err
	}
	if len(events) > 0 {
		if err := copyEvents(ctx, tx, r, events); err != nil {
			return err
		}
	}
	return addUp(ctx, tx, r.id, len(events), counts, textBytes(events)+store.BatchRow)
}

// textBytes returns the size of the events' texts in the database.
func textBytes(events []store.Event) int64 {
	var n int64
	for i := range events {
		e := &events[i]
		for _, s := range [...]string{e.File, e.Message, e.Tool, string(e.Category), e.Code, e.Test, e.Stream} {
			n += int64(len(encode(s)))
		}
	}
	return n
}

// addUp adds the numbers of events and the size of their texts to the run's counts.
func addUp(ctx context.Context, tx pgx.Tx, run int64, n int, counts [4]int, bytes int64) error {
	_, err := tx.Exec(ctx, `
		UPDATE runs
		SET events = events + $2, errors = errors + $3, warnings = warnings + $4, text_bytes = text_bytes + $5
		WHERE id = $1`, run, n, counts[rank[store.SeverityError]], counts[rank[store.SeverityWarning]], bytes)
	return err
}

// rank maps each severity to its number in the database.
var rank = map[store.Severity]int16{store.SeverityError: 1, store.SeverityWarning: 2, store.SeverityInfo: 3}

var severities = [...]store.Severity{1: store.SeverityError, 2: store.SeverityWarning, 3: store.SeverityInfo}

// checkEvents checks events, and counts them by the rank of their severity.
func checkEvents(events []store.Event) ([4]int, error) {
	var counts [4]int
	for _, e := range events {
		if err := e.Check(); err != nil {
			return counts, err
		}
		for _, v := range [...]int{e.ID, e.Line, e.Column, e.LogLine, e.LogLineEnd} {
			if v < 0 || v > math.MaxInt32 {
				return counts, store.Errorf(store.Invalid, "event %d: the number %d is out of range", e.ID, v)
			}
		}
		counts[rank[e.Severity]]++
	}
	return counts, nil
}

var copied = []string{
	"run_id", "fingerprint", "pattern", "id", "source_id", "line", "col", "log_line", "log_line_end",
	"severity", "file", "message", "tool", "category", "code", "test", "stream",
}

func copyEvents(ctx context.Context, tx pgx.Tx, r row, events []store.Event) error {
	values := make([]any, len(copied)) // the slice is reused for each row
	values[0], values[4] = r.id, r.source
	source := pgx.CopyFromSlice(len(events), func(i int) ([]any, error) {
		e := &events[i]
		values[1], values[2] = e.Hashes()
		values[3], values[5], values[6] = int32(e.ID), int32(e.Line), int32(e.Column)
		values[7], values[8], values[9] = int32(e.LogLine), int32(e.LogLineEnd), rank[e.Severity]
		values[10], values[11], values[12] = encode(e.File), encode(e.Message), encode(e.Tool)
		values[13], values[14] = encode(string(e.Category)), encode(e.Code)
		values[15], values[16] = encode(e.Test), encode(e.Stream)
		return values, nil
	})
	_, err := tx.CopyFrom(ctx, pgx.Identifier{"events"}, copied, source)
	if stateOf(err) == uniqueViolation {
		return store.EventsTaken(events)
	}
	return err
}
