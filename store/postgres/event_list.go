package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/blq-ci/blq/store"
)

const eventColumns = `
	e.run_id, e.id, e.severity, e.file, e.line, e.col, e.message, e.tool, e.category, e.code, e.test,
	e.fingerprint, e.pattern, e.log_line, e.log_line_end, e.stream`

// stored is an event with the ID of the event's run. The field Run is set later.
type stored struct {
	store.RunEvent
	run int64
}

func scanEvent(scan func(...any) error) (stored, error) {
	var e stored
	var severity int16
	var category string
	var fingerprint, pattern int64
	err := scan(&e.run, &e.ID, &severity, &e.File, &e.Line, &e.Column, &e.Message, &e.Tool, &category, &e.Code, &e.Test,
		&fingerprint, &pattern, &e.LogLine, &e.LogLineEnd, &e.Stream)
	if err != nil {
		return e, err
	}
	decodeAll(&e.File, &e.Message, &e.Tool, &category, &e.Code, &e.Test, &e.Stream)
	e.Severity, e.Category = severities[severity], store.Category(category)
	e.Label(fingerprint, pattern)
	return e, nil
}

// Event implements store.Store.
func (s *Store) Event(ctx context.Context, sc store.Scope, ref store.Ref) (store.Run, store.Event, error) {
	if err := store.CheckEventRef(ref); err != nil {
		return store.Run{}, store.Event{}, err
	}
	r, err := s.lookup(ctx, s.pool, sc, ref)
	if err != nil {
		return store.Run{}, store.Event{}, err
	}
	e, err := scanEvent(s.pool.QueryRow(ctx, `
		SELECT `+eventColumns+`
		FROM events e
		WHERE e.run_id = $1 AND e.id = $2::bigint`, r.id, ref.Event).Scan)
	if errors.Is(err, pgx.ErrNoRows) {
		return store.Run{}, store.Event{}, store.NoEvent(r.Ref(), ref.Event)
	}
	if err != nil {
		return store.Run{}, store.Event{}, fmt.Errorf("find event %s: %w", ref, failure(ctx, err))
	}
	return r.Run, e.Event, nil
}

// Events implements store.Store.
func (s *Store) Events(ctx context.Context, sc store.Scope, f store.EventFilter) (store.EventPage, error) {
	var page store.EventPage
	err := s.read(ctx, func(tx pgx.Tx) error { // read the page and the total in one snapshot
		var err error
		page, err = listEvents(store.Cutting(ctx), tx, sc, f)
		return err
	})
	if err != nil {
		return store.EventPage{}, fmt.Errorf("list events: %w", err)
	}
	return page, nil
}

func listEvents(ctx context.Context, tx pgx.Tx, sc store.Scope, f store.EventFilter) (store.EventPage, error) {
	var page store.EventPage
	q, err := newEventQuery(ctx, tx, sc, f)
	if err != nil {
		return page, err
	}
	page.Slice = q.part
	if q.none {
		return page, nil
	}
	list, err := q.page(ctx, tx)
	if err != nil {
		return page, err
	}
	if page.Events, err = q.withRefs(ctx, tx, list); err != nil {
		return page, err
	}
	page.Total, err = q.total(ctx, tx, len(list))
	return page, err
}
