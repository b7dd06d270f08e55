package postgres

import (
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/blq-ci/blq/store"
)

// eventQuery reads the events that a filter selects. It works in one of three ways:
//
//   - If the filter bounds the number of runs, it finds the runs first. The events of each run are a range of an index.
//   - If the filter names fingerprints, it finds events and runs by fingerprint.
//   - Otherwise it finds the newest runs first, up to the bounds of a slice.
type eventQuery struct {
	where
	filter store.EventFilter
	from   string
	none   bool
	runs   map[int64]row // runs of the events, if the runs were found first
	sum    *int          // number of events, if the counts of the runs determine it
	part   *store.Slice  // part of the runs that was searched, nil for all runs
}

func newEventQuery(ctx context.Context, tx pgx.Tx, sc store.Scope, f store.EventFilter) (*eventQuery, error) {
	q := &eventQuery{filter: f, runs: map[int64]row{}}
	selected, err := selectRuns(ctx, tx, sc, f.Runs)
	if err != nil {
		return nil, err
	}
	if q.none = selected.none(); q.none {
		return q, nil
	}
	r := f.Runs
	switch {
	case r.Limit > 0 || r.Newest || r.Attempts != nil || r.Serials != nil:
		err = q.ofRuns(ctx, tx, selected)
	case f.Fingerprints != nil:
		q.join(selected)
	default:
		err = q.ofSlice(ctx, tx, selected)
	}
	if err != nil || q.none {
		return q, err
	}
	return q, q.narrow(selected)
}

// ofRuns finds the selected runs, and restricts the query to their events.
func (q *eventQuery) ofRuns(ctx context.Context, tx pgx.Tx, selected *selection) error {
	rows, err := briefRuns(ctx, tx, selected)
	if err == nil {
		q.over(rows)
	}
	return err
}

// ofSlice finds the newest runs that match the filter's conditions on runs, at most sliceRuns. It restricts the query
// to the events of these runs. From one very large run, it takes only the first sliceEvents events.
func (q *eventQuery) ofSlice(ctx context.Context, tx pgx.Tx, selected *selection) error {
	for _, c := range q.filter.Where {
		if c.OfRun() {
			if err := selected.condition(c); err != nil {
				return err
			}
		}
	}
	selected.each, selected.limit = sliceRuns+1, sliceRuns+1
	rows, err := briefRuns(ctx, tx, selected)
	if err != nil {
		return err
	}
	rows, q.part = bound(rows)
	q.over(rows)
	if len(rows) == 1 && rows[0].events > sliceEvents {
		q.and("e.id <= ?", sliceEvents)
		q.sum = nil
	}
	return nil
}

// briefRuns reads the runs of a selection, with only the columns that their events need.
func briefRuns(ctx context.Context, tx pgx.Tx, selected *selection) ([]row, error) {
	text, args := selected.sql(
		"r.id, r.repo, r.source, r.serial, r.source_id, r.events, r.errors, r.warnings, r.started_at, r.live_from")
	return query(ctx, tx, func(scan func(...any) error) (row, error) {
		var r row
		var started *time.Time
		err := scan(&r.id, &r.Repo, &r.Source, &r.Serial, &r.source, &r.events, &r.Errors, &r.Warnings, &started, &r.live)
		r.StartedAt = fromTime(started)
		decodeAll(&r.Repo, &r.Source)
		return r, err
	}, text, args...)
}

// over restricts the query to the events of the given runs, newest run first. The query reads only the partitions of
// the months of these runs.
func (q *eventQuery) over(rows []row) {
	for _, r := range rows {
		q.runs[r.id] = r
	}
	ids := withEvents(rows)
	q.none = len(ids) == 0
	q.from = "FROM events e"
	switch len(ids) {
	case 0:
	case 1:
		q.and("e.run_id = ?", ids[0])
	default:
		q.and("e.run_id = ANY(?::bigint[]) AND e.run_id BETWEEN ? AND ?", ids, ids[len(ids)-1], ids[0])
	}
	for _, c := range q.filter.Where {
		if c.OfRun() {
			q.from = "FROM events e JOIN runs r ON r.id = e.run_id"
		}
	}
	if q.filter.Settled && slices.ContainsFunc(rows, func(r row) bool { return r.live > 0 }) {
		q.from = "FROM events e JOIN runs r ON r.id = e.run_id"
		q.and("(r.live_from = 0 OR e.id < r.live_from)")
	} else {
		q.filter.Settled = false // without live events, all events are settled
	}
	q.addUp(rows)
}

// addUp sums the counts of the runs, if the filter has no other conditions.
func (q *eventQuery) addUp(rows []row) {
	f := q.filter
	if f.Settled || f.After > 0 || f.IDs != nil || f.FileLike != "" || len(f.Where) > 0 || f.Fingerprints != nil {
		return
	}
	n := 0
	for _, r := range rows {
		if len(f.Severities) == 0 {
			n += r.events
			continue
		}
		of := map[store.Severity]int{store.SeverityError: r.Errors, store.SeverityWarning: r.Warnings,
			store.SeverityInfo: r.events - r.Errors - r.Warnings}
		for _, s := range f.Severities {
			n += of[s]
			delete(of, s) // a severity that occurs twice counts once
		}
	}
	q.sum = &n
}

func (q *eventQuery) join(selected *selection) {
	q.where = selected.where
	selected.key(&q.where)
	q.from = "FROM runs r JOIN events e ON e.run_id = r.id"
	if q.filter.Settled {
		q.and("(r.live_from = 0 OR e.id < r.live_from)")
	}
}

// narrow adds the filter's conditions on events.
func (q *eventQuery) narrow(selected *selection) error {
	f := q.filter
	if len(f.Severities) > 0 {
		ranks := make([]int16, len(f.Severities))
		for i, s := range f.Severities {
			ranks[i] = rank[s]
		}
		q.and("e.severity = ANY(?::smallint[])", ranks)
	}
	if f.After > 0 {
		q.and("e.id > ?::bigint", f.After)
	}
	if f.IDs != nil {
		q.and("e.id = ANY(?::integer[])", f.IDs)
	}
	if f.FileLike != "" {
		q.and(`lower(e.file) LIKE lower(?::text COLLATE "C") ESCAPE ''`, encode(f.FileLike))
	}
	for _, c := range f.Where {
		if err := q.condition(c); err != nil {
			return err
		}
	}
	if f.Fingerprints == nil {
		return nil
	}
	hashes, err := store.FingerprintHashes(f.Fingerprints...)
	if err != nil {
		return err
	}
	q.and("e.fingerprint = ANY(?::bigint[])", hashes)
	switch { // the index over fingerprints begins with the source
	case selected.column == "source_id":
		q.and("e.source_id = ANY(?::integer[])", selected.keys)
	case len(q.runs) == 0:
		q.and("e.source_id = r.source_id")
	default:
		q.and("e.source_id = ANY(?::integer[])", q.sources())
	}
	return nil
}

// sources returns the sources of the runs that were found first.
func (q *eventQuery) sources() []int32 {
	var list []int32
	for _, r := range q.runs {
		if !slices.Contains(list, r.source) {
			list = append(list, r.source)
		}
	}
	return list
}

// page returns the events of the page, with events of newer runs first.
func (q *eventQuery) page(ctx context.Context, tx pgx.Tx) ([]stored, error) {
	w := where{conditions: q.conditions, args: q.args[:len(q.args):len(q.args)]}
	end := ""
	if q.filter.Limit > 0 {
		end += w.bind(" LIMIT ?::bigint", q.filter.Limit)
	}
	if q.filter.Offset > 0 {
		end += w.bind(" OFFSET ?::bigint", q.filter.Offset)
	}
	return query(ctx, tx, scanEvent, `
		SELECT `+eventColumns+`
		`+q.from+`
		`+w.String()+`
		ORDER BY e.run_id DESC, e.id`+end, w.args...)
}

// total returns the number of all events that the filter selects, without its limit. If the filter does not want this
// number, total returns the number of events up to the end of the page. n is the number of events on the page.
func (q *eventQuery) total(ctx context.Context, tx pgx.Tx, n int) (int, error) {
	if q.sum != nil {
		return *q.sum, nil
	}
	if f := q.filter; f.Uncounted || f.Limit <= 0 && f.Offset <= 0 || n > 0 && (f.Limit <= 0 || n < f.Limit) {
		return f.Offset + n, nil
	}
	var total int
	err := tx.QueryRow(ctx, `SELECT count(*) `+q.from+` `+q.String(), q.args...).Scan(&total)
	return total, err
}

// withRefs sets the field Run of events.
func (q *eventQuery) withRefs(ctx context.Context, tx pgx.Tx, list []stored) ([]store.RunEvent, error) {
	var unknown []int64
	for _, e := range list {
		if _, ok := q.runs[e.run]; !ok {
			q.runs[e.run] = row{}
			unknown = append(unknown, e.run)
		}
	}
	if unknown != nil {
		rows, err := query(ctx, tx, scanRun, `SELECT `+runColumns+` FROM runs r WHERE r.id = ANY($1)`, unknown)
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			q.runs[r.id] = r
		}
	}
	var events []store.RunEvent
	for _, e := range list {
		e.Run = q.runs[e.run].Ref()
		events = append(events, e.RunEvent)
	}
	return events, nil
}
