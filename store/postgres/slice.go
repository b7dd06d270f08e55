package postgres

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/sqlite"
)

// These limits bound the rows that Query reads. It reads the newest runs in the caller's scope, with all events of
// these runs. If the newest run alone has too many events, Query reads only this run and its first events.
// store.Table.Slice describes the part that was read.
const (
	sliceRuns   = 1_000
	sliceEvents = 10_000
	sliceDays   = 90 // max days before the newest run
)

// Query implements store.Store. It copies a bounded slice of rows to SQLite, and runs the statement there in a process
// of its own. So callers write SQLite's dialect, a statement cannot read other data, and the cost does not grow with
// the number of stored rows.
func (s *Store) Query(ctx context.Context, sc store.Scope, q store.Query) (store.Table, error) {
	var part *store.Slice
	slice := sqlite.NewSlice(func(ctx context.Context, slice *sqlite.Slice, n sqlite.Need) error {
		return s.read(ctx, func(tx pgx.Tx) error {
			var err error
			part, err = fill(ctx, tx, sc, slice, n)
			return err
		})
	})
	t, err := slice.Query(ctx, s.cage, q)
	t.Slice = part
	return t, err
}

// fill copies the rows to the slice. It returns the description of the copied part, or nil if it has copied all rows.
// It adds each row to the slice before it reads the next one, because the texts in stored rows may be long.
func fill(ctx context.Context, tx pgx.Tx, sc store.Scope, slice *sqlite.Slice, n sqlite.Need) (*store.Slice, error) {
	q, err := selectRuns(ctx, tx, sc, store.RunFilter{Limit: sliceRuns + 1})
	if err != nil || q.none() {
		return nil, err
	}
	rows, err := briefRuns(ctx, tx, q)
	if err != nil {
		return nil, err
	}
	kept, part := bound(rows)
	if err := addRuns(ctx, tx, slice, kept, n.Runs); err != nil || n.Events == nil {
		return part, err
	}
	return part, addEvents(ctx, tx, slice, withEvents(kept), n.Events)
}

// addRuns adds columns of runs to the slice, oldest run first. In newestFirst, the newest run comes first.
func addRuns(ctx context.Context, tx pgx.Tx, slice *sqlite.Slice, newestFirst []row, columns []string) error {
	ids := make([]int64, len(newestFirst))
	for i, r := range newestFirst {
		ids[i] = r.id
	}
	rows, err := tx.Query(ctx, `
		SELECT `+neededColumns(columns)+`
		FROM runs r
		WHERE r.id = ANY($1::bigint[])
		ORDER BY r.id`, ids)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		r, err := scanRun(rows.Scan)
		if err != nil {
			return err
		}
		if err := slice.AddRun(r.id, r.Run); err != nil {
			return err
		}
	}
	return rows.Err()
}

// neededColumns returns an SQL list of the columns of runs. If the statement does not need a text column, the list has
// a constant in its place.
func neededColumns(columns []string) string {
	list := runColumns
	for name, instead := range map[string]string{
		"command": "''::text", "cwd": "''::text", "hostname": "''::text", "platform": "''::text", "arch": "''::text",
		"git_commit": "''::text", "git_branch": "''::text", "git_root": "''::text", "format": "''::text",
		"shape": "'none'::text", "lost": "''::text", "ci": "NULL::text",
	} {
		if !slices.Contains(columns, name) && !(name == "ci" && slices.Contains(columns, "pr")) {
			list = strings.Replace(list, "r."+name+",", instead+",", 1)
		}
	}
	return list
}

// bound returns the newest runs that fit into a slice, newest first. It also returns the description of the slice, or
// nil if the slice has all runs and all their events.
func bound(rows []row) ([]row, *store.Slice) {
	events := 0
	for i, r := range rows {
		if i == 0 && r.events > sliceEvents {
			return rows[:1], &store.Slice{Runs: 1, Events: sliceEvents, Since: r.StartedAt}
		}
		old := r.StartedAt.Before(rows[0].StartedAt.Add(-sliceDays * 24 * time.Hour))
		if i == sliceRuns || (old || events+r.events > sliceEvents) {
			return rows[:i], &store.Slice{Runs: i, Events: events, Since: rows[i-1].StartedAt}
		}
		events += r.events
	}
	return rows, nil
}

// withEvents returns the IDs of the runs that have events.
func withEvents(rows []row) []int64 {
	ids := []int64{}
	for _, r := range rows {
		if r.events > 0 {
			ids = append(ids, r.id)
		}
	}
	return ids
}

// addEvents adds columns of the events of runs to the slice, oldest run first. The parameter runs has the newest run
// first. addEvents reads only the partitions from the oldest to the newest of these runs.
func addEvents(ctx context.Context, tx pgx.Tx, slice *sqlite.Slice, runs []int64, columns []string) error {
	if len(runs) == 0 {
		return nil
	}
	rows, err := tx.Query(ctx, `
		SELECT `+strings.Join(columns, ", ")+`
		FROM events
		WHERE run_id = ANY($1::bigint[]) AND run_id BETWEEN $2 AND $3
		ORDER BY run_id, id
		LIMIT $4`, runs, runs[len(runs)-1], runs[0], sliceEvents)
	if err != nil {
		return err
	}
	defer rows.Close()
	var e sqlite.Event
	var severity int16
	var category string
	place := map[string]any{
		"run_id": &e.Run, "id": &e.ID, "severity": &severity, "file": &e.File, "line": &e.Line, "col": &e.Column,
		"message": &e.Message,
		"tool":    &e.Tool, "category": &category, "code": &e.Code, "test": &e.Test, "fingerprint": &e.Fingerprint,
		"pattern":  &e.Pattern,
		"log_line": &e.LogLine, "log_line_end": &e.LogLineEnd,
	}
	places := make([]any, len(columns))
	for i, name := range columns {
		places[i] = place[name]
	}
	for rows.Next() {
		if err := rows.Scan(places...); err != nil {
			return err
		}
		decodeAll(&e.File, &e.Message, &e.Tool, &category, &e.Code, &e.Test)
		e.Severity, e.Category = severities[severity], store.Category(category)
		slice.AddEvent(&e)
	}
	return rows.Err()
}
