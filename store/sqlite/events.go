package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"github.com/blq-ci/blq/store"
)

const (
	eventColumns = 17
	rowsAtOnce   = 50 // larger statements are not faster
)

// AddEvents implements store.Store.
func (s *Store) AddEvents(ctx context.Context, attempt string, sequence int, events []store.Event) error {
	err := s.write(ctx, func(tx *sql.Tx) error {
		r, err := mustFind(ctx, tx, attempt)
		if err != nil {
			return err
		}
		var n int
		err = tx.QueryRowContext(ctx, `SELECT count(*) FROM batches WHERE run_id = ? AND sequence = ?`,
			r.id, sequence).Scan(&n)
		if err != nil || n > 0 {
			return err
		}
		if err := r.CheckOpen(); err != nil {
			return err
		}
		if err := dropLive(ctx, tx, r.id, 0); err != nil {
			return err
		}
		if err := insertEvents(ctx, tx, r.id, events); err != nil {
			return err
		}
		return countEvents(ctx, tx, r.id, sequence, events)
	})
	if err != nil {
		return fmt.Errorf("add events: %w", err)
	}
	return nil
}

func insertEvents(ctx context.Context, tx *sql.Tx, run int64, events []store.Event) error {
	var source int64
	if err := tx.QueryRowContext(ctx, `SELECT source_id FROM runs WHERE id = ?`, run).Scan(&source); err != nil {
		return err
	}
	full, err := tx.PrepareContext(ctx, insertStatement(min(rowsAtOnce, max(1, len(events)))))
	if err != nil {
		return err
	}
	defer full.Close()
	args := make([]any, 0, rowsAtOnce*eventColumns)
	for len(events) > 0 {
		n := min(rowsAtOnce, len(events))
		args = args[:0]
		for _, e := range events[:n] {
			if err := e.Check(); err != nil {
				return err
			}
			args = appendEvent(args, run, source, e)
		}
		if n == rowsAtOnce || n == cap(args)/eventColumns {
			_, err = full.ExecContext(ctx, args...)
		} else {
			_, err = tx.ExecContext(ctx, insertStatement(n), args...)
		}
		if isTaken(err) {
			return store.EventsTaken(events[:n])
		}
		if err != nil {
			return err
		}
		events = events[n:]
	}
	return nil
}

func insertStatement(n int) string {
	row := "(" + strings.Repeat("?, ", eventColumns-1) + "?)"
	return `
		INSERT INTO events (
			run_id, id, source_id, severity, file, line, col, message, tool,
			category, code, test, fingerprint, pattern, log_line, log_line_end, stream
		) VALUES ` + strings.Repeat(row+", ", n-1) + row
}

func appendEvent(args []any, run, source int64, e store.Event) []any {
	fingerprint, pattern := e.Hashes()
	return append(args, run, e.ID, source, string(e.Severity), e.File, e.Line, e.Column, e.Message, e.Tool,
		string(e.Category), e.Code, e.Test, fingerprint, pattern, e.LogLine, e.LogLineEnd, e.Stream)
}

// countEvents records a received batch of events, and adds the events to the run's counts.
func countEvents(ctx context.Context, tx *sql.Tx, run int64, sequence int, events []store.Event) error {
	if _, err := tx.ExecContext(ctx, `INSERT INTO batches (run_id, sequence) VALUES (?, ?)`, run, sequence); err != nil {
		return err
	}
	return addUp(ctx, tx, run, events, store.BatchRow)
}

// addUp adds events to the run's counts. extra is the number of further bytes to count, besides the rows and the texts
// of these events.
func addUp(ctx context.Context, tx *sql.Tx, run int64, events []store.Event, extra int64) error {
	var errors, warnings int
	for _, e := range events {
		extra += e.TextBytes()
		switch e.Severity {
		case store.SeverityError:
			errors++
		case store.SeverityWarning:
			warnings++
		}
	}
	_, err := tx.ExecContext(ctx, `
		UPDATE runs
		SET events = events + ?, errors = errors + ?, warnings = warnings + ?, text_bytes = text_bytes + ?
		WHERE id = ?`, len(events), errors, warnings, extra, run)
	return err
}

const eventSelect = `
	e.id, e.severity, e.file, e.line, e.col, e.message, e.tool, e.category, e.code, e.test,
	e.fingerprint, e.pattern, e.log_line, e.log_line_end, e.stream`

func eventFields(e *store.Event, fingerprint, pattern *int64) []any {
	return []any{&e.ID, &e.Severity, &e.File, &e.Line, &e.Column, &e.Message, &e.Tool, &e.Category, &e.Code, &e.Test,
		fingerprint, pattern, &e.LogLine, &e.LogLineEnd, &e.Stream}
}

func scanRunEvent(scan func(...any) error) (store.RunEvent, error) {
	var e store.RunEvent
	var fingerprint, pattern int64
	err := scan(append(eventFields(&e.Event, &fingerprint, &pattern), &e.Run.Repo, &e.Run.Source, &e.Run.Serial)...)
	e.Label(fingerprint, pattern)
	return e, err
}

// Event implements store.Store.
func (s *Store) Event(ctx context.Context, sc store.Scope, ref store.Ref) (store.Run, store.Event, error) {
	if err := store.CheckEventRef(ref); err != nil {
		return store.Run{}, store.Event{}, err
	}
	db, leave, err := s.read(ctx)
	if err != nil {
		return store.Run{}, store.Event{}, err
	}
	defer leave()
	r, err := lookup(ctx, db, sc, ref)
	if err != nil {
		return store.Run{}, store.Event{}, err
	}
	e, err := scanRunEvent(db.QueryRowContext(ctx, `
		SELECT `+eventSelect+`, '', '', 0
		FROM events e
		WHERE e.run_id = ? AND e.id = ?`, r.id, ref.Event).Scan)
	if errors.Is(err, sql.ErrNoRows) {
		return store.Run{}, store.Event{}, store.NoEvent(r.Ref(), ref.Event)
	}
	if err != nil {
		return store.Run{}, store.Event{}, fmt.Errorf("find event %s: %w", ref, busyError(err))
	}
	return r.Run, e.Event, nil
}

// Events implements store.Store.
func (s *Store) Events(ctx context.Context, sc store.Scope, f store.EventFilter) (store.EventPage, error) {
	page, err := s.events(store.Cutting(ctx), sc, f)
	if err != nil {
		return store.EventPage{}, fmt.Errorf("list events: %w", err)
	}
	return page, nil
}

func (s *Store) events(ctx context.Context, sc store.Scope, f store.EventFilter) (store.EventPage, error) {
	var page store.EventPage
	db, leave, err := s.read(ctx)
	if err != nil {
		return page, err
	}
	defer leave()
	tx, err := db.BeginTx(ctx, nil) // read the page and the total in one snapshot
	if err != nil {
		return page, busyError(err)
	}
	defer tx.Rollback()
	from, args, err := eventsFrom(ctx, tx, sc, f)
	if err != nil {
		return page, err
	}
	page.Events, err = query(ctx, tx, scanRunEvent, `
		SELECT `+eventSelect+`, r.repo, r.source, r.serial
		`+from+`
		ORDER BY r.id DESC, e.id
		`+upTo(f.Limit)+` OFFSET ?`, append(args[:len(args):len(args)], f.Offset)...)
	if err != nil {
		return page, err
	}
	page.Total = f.Offset + len(page.Events)
	if f.Uncounted || f.Limit <= 0 || len(page.Events) < f.Limit && len(page.Events) > 0 {
		return page, nil
	}
	page.Total, err = countMatches(ctx, tx, sc, f.Runs, from, args)
	return page, err
}

// countedAtOnce is the min number of event IDs in a range. One statement counts the events of a range.
const countedAtOnce = 10_000

// countMatches counts the events of a filter. Counting a million events takes long, and one statement cannot pause.
// Therefore each statement counts a range of event IDs, in at most a hundred ranges.
func countMatches(ctx context.Context, tx *sql.Tx, sc store.Scope, runs store.RunFilter, from string, args []any) (
	total int, err error) {
	ids, idArgs, err := runIDs(ctx, tx, sc, runs)
	if err != nil {
		return 0, err
	}
	var last int
	if err := tx.QueryRowContext(ctx, `
		SELECT coalesce(max((SELECT max(e.id) FROM events e WHERE e.run_id = r.id)), 0)
		FROM runs r
		WHERE r.id IN (`+ids+`)`, idArgs...).Scan(&last); err != nil {
		return 0, busyError(err)
	}
	step := max(countedAtOnce, last/100+1)
	for first := 0; first < last; first += step {
		counts, err := query(ctx, tx, store.ScanOne[int], `SELECT count(*) `+from+`
			AND e.id > ? AND e.id <= ?
			GROUP BY r.id`, append(args[:len(args):len(args)], first, first+step)...)
		if err != nil {
			return 0, err
		}
		for _, n := range counts {
			total += n
		}
		if err := store.Pause(ctx); err != nil {
			return 0, err
		}
	}
	return total, nil
}

// eventsFrom returns the FROM and WHERE clauses of a filter, and their arguments. With these clauses, SQLite finds the
// runs first. This is fast, because the events of a run are a range of the table.
func eventsFrom(ctx context.Context, db querier, sc store.Scope, f store.EventFilter) (string, []any, error) {
	ids, args, err := runIDs(ctx, db, sc, f.Runs)
	if err != nil {
		return "", nil, err
	}
	hint, err := byFingerprint(ctx, db, f, ids, args)
	if err != nil {
		return "", nil, err
	}
	var w where
	w.and("r.id IN ("+ids+")", args...)
	if len(f.Severities) > 0 {
		c, args := in("e.severity", f.Severities)
		w.and(c, args...)
	}
	if f.Settled {
		w.and("(r.live_from = 0 OR e.id < r.live_from)")
	}
	if f.After > 0 {
		w.and("e.id > ?", f.After)
	}
	if f.IDs != nil {
		w.and("e.id IN (SELECT value FROM json_each(?))", numbers(f.IDs))
	}
	if f.FileLike != "" {
		w.and("e.file LIKE ?", f.FileLike)
	}
	for _, c := range f.Where {
		if err := w.condition(c); err != nil {
			return "", nil, err
		}
	}
	if f.Fingerprints != nil {
		if err := w.fingerprints(f.Fingerprints); err != nil {
			return "", nil, err
		}
	}
	return `
		FROM runs r
		CROSS JOIN events e` + hint + ` ON e.run_id = r.id
		` + w.String(), w.args, nil
}
