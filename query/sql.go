package query

import (
	"context"
	"math"
	"strconv"
	"time"

	"github.com/blq-ci/blq/store"
)

// QueryParams are the parameters of a query that the caller writes: SQL or a filter.
type QueryParams struct {
	SQL    string `json:"sql,omitempty"`
	Filter string `json:"filter,omitempty"`
	Limit  int    `json:"limit,omitempty"`  // max rows, 0 for all
	Offset int    `json:"offset,omitempty"` // rows to skip
}

// Table is the answer to a free query.
type Table struct {
	Columns []string `json:"columns" jsonschema:"names"`
	Rows    [][]any  `json:"rows" jsonschema:"values"`
	Count   int      `json:"row_count" jsonschema:"rows"`
	Slice   *Slice   `json:"slice,omitempty" jsonschema:"read: runs, events, since" schema:"open"`
	More    bool     `json:"-"` // rows are missing: there were more than the limit, or they were too large
}

// Slice describes the rows that a query read, if it did not read all rows. These are the newest runs and their events.
type Slice struct {
	Runs   int    `json:"runs" jsonschema:"the newest"`
	Events int    `json:"events" jsonschema:"of these runs"`
	Since  string `json:"since" jsonschema:"start of the oldest run, UTC"`
}

func newSlice(s *store.Slice) *Slice {
	if s == nil {
		return nil
	}
	return &Slice{s.Runs, s.Events, stamp(s.Since)}
}

// These are the limits of a free query.
const (
	queryTimeout  = 10 * time.Second
	queryMaxBytes = 64 << 20
)

// Query answers a free query over all events and runs.
func (a *Asker) Query(ctx context.Context, p QueryParams) (Table, error) {
	if (p.SQL == "") == (p.Filter == "") {
		return Table{}, store.Next(store.Errorf(store.Invalid, "a query needs either SQL or a filter"),
			store.NewCall("query", "or a filter such as severity=error",
				"sql", "SELECT ref, message FROM blq_load_events() LIMIT 5"))
	}
	if err := a.sweep(ctx); err != nil {
		return Table{}, err
	}
	if p.Filter != "" {
		return a.filter(ctx, p)
	}
	limit := p.Limit
	if limit > 0 {
		limit += p.Offset
	}
	t, err := a.Store.Query(
		ctx, a.Scope, store.Query{SQL: p.SQL, MaxRows: limit, MaxBytes: queryMaxBytes, Timeout: queryTimeout})
	if err != nil {
		return Table{}, err
	}
	t.Rows = t.Rows[min(p.Offset, len(t.Rows)):]
	for _, row := range t.Rows {
		for i, v := range row {
			switch v := v.(type) {
			case string:
				row[i] = Clean(v)
			case float64:
				if math.IsInf(v, 0) { // JSON has no infinite numbers
					row[i] = strconv.FormatFloat(v, 'g', -1, 64)
				}
			}
		}
	}
	rows := t.Rows
	if rows == nil {
		rows = [][]any{}
	}
	return Table{Columns: t.Columns, Rows: rows, Count: len(rows), Slice: newSlice(t.Slice), More: t.Truncated}, nil
}

func (a *Asker) filter(ctx context.Context, p QueryParams) (Table, error) {
	where, err := store.ParseFilter(p.Filter)
	if err != nil {
		return Table{}, err
	}
	if err := meantSeverities(where); err != nil {
		return Table{}, err
	}
	if err := a.addEarlier(ctx, where); err != nil {
		return Table{}, err
	}
	f := store.EventFilter{Where: where, Offset: p.Offset, Uncounted: true}
	if p.Limit > 0 {
		f.Limit = p.Limit + 1 // one more event shows that there are more
	}
	page, err := a.Store.Events(ctx, a.Scope, f)
	if err != nil {
		return Table{}, err
	}
	more := p.Limit > 0 && len(page.Events) > p.Limit
	if more {
		page.Events = page.Events[:p.Limit]
	}
	t := Table{Columns: []string{"ref", "run_ref", "severity", "ref_file", "ref_line", "message", "tool_name",
		"fingerprint"}, Rows: [][]any{}, Slice: newSlice(page.Slice)}
	for _, e := range page.Events {
		ev := newEvent(e)
		t.Rows = append(t.Rows, []any{ev.Ref, ev.RunRef, string(ev.Severity), orNil(ev.File), orNil(ev.Line), ev.Message,
			orNil(ev.Tool), ev.Fingerprint})
	}
	t.Count, t.More = len(t.Rows), more
	return t, nil
}

// meantSeverities corrects the severities in a filter: critical becomes error. It returns an error for an unknown
// severity.
func meantSeverities(where []store.Condition) error {
	for _, c := range where {
		if c.Field != "severity" || c.Op == store.Contains {
			continue
		}
		for i, value := range c.Values {
			list, err := readSeverities(value)
			if err != nil || len(list) != 1 {
				return store.Next(store.Errorf(store.Invalid, "filter: no severity %q; there are error, warning, info", value),
					store.NewCall("query", "", "filter", "severity=error,warning"))
			}
			c.Values[i] = string(list[0])
		}
	}
	return nil
}

func orNil[T comparable](v T) any {
	var zero T
	if v == zero {
		return nil
	}
	return v
}
