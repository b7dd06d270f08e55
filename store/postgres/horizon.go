package postgres

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/blq-ci/blq/store"
)

// selection selects runs by a filter in a scope. Its keys are the repositories or the sources to search, or the IDs of
// the runs. For each kind of key there is an index that begins with the key. If a few runs of each of several keys are
// needed, selection reads the newest runs of each key from the end of the index. So it does not read old runs.
type selection struct {
	where
	column string // column of the keys: repo, source_id or id; "" for no keys
	keys   any    // array of the keys
	n      int    // number of keys in keys
	each   int    // max runs of each key, 0 for all
	limit  int    // max runs in all, 0 for all
	offset int
	filter store.RunFilter
}

// walk is the max number of newest runs that are read for each key separately. For more runs, it is cheaper to read the
// newest runs of all keys together.
const walk = 100

// none reports whether the selection is empty.
func (q *selection) none() bool { return q.column != "" && q.n == 0 }

// selectRuns returns the selection of a filter in a scope.
func selectRuns(ctx context.Context, db querier, sc store.Scope, f store.RunFilter) (*selection, error) {
	q := &selection{each: f.Limit, limit: f.Limit, filter: f}
	if f.Repo == "" && !sc.All() && len(sc.Names()) == 1 {
		f.Repo = sc.Names()[0]
	}
	if err := q.runs(f); err != nil {
		return nil, err
	}
	if f.Newest {
		ids, err := newestIDs(ctx, db, sc, f)
		if err != nil {
			return nil, err
		}
		q.column, q.keys, q.n, q.each = "id", ids, len(ids), 0
		return q, nil
	}
	if f.Source != "" {
		ids, err := sources(ctx, db, sc, f)
		if err != nil {
			return nil, err
		}
		q.column, q.keys, q.n = "source_id", ids, len(ids)
		return q.eachCommit(ctx, db)
	}
	switch {
	case f.Repo != "" && !sc.All() && !slices.Contains(sc.Names(), f.Repo):
		q.column = "repo"
	case f.Repo != "":
		q.column, q.keys, q.n = "repo", []string{encode(f.Repo)}, 1
	case !sc.All():
		names := encodeAll(sc.Names())
		slices.Sort(names)
		names = slices.Compact(names)
		q.column, q.keys, q.n = "repo", names, len(names)
	}
	return q.eachCommit(ctx, db)
}

// eachCommit returns the selection of the runs that remain with the field EachCommit of the filter. Without this field,
// it returns q.
func (q *selection) eachCommit(ctx context.Context, db querier) (*selection, error) {
	if !q.filter.EachCommit || q.none() {
		return q, nil
	}
	w := where{conditions: slices.Clone(q.conditions), args: slices.Clone(q.args)}
	q.key(&w)
	text := fmt.Sprintf(`
		SELECT max(r.id) AS id
		FROM runs r
		%s
		GROUP BY r.source_id, r.step, r.git_commit, r.git_branch, r.git_dirty,
		    CASE WHEN r.step = '' OR r.opened_at - r.started_at > interval '%d seconds' THEN r.id END
		ORDER BY max(r.id) DESC`, w.String(), int(store.LateAfter.Seconds()))
	if q.limit > 0 {
		text += w.bind(" LIMIT ?::bigint", q.limit)
	}
	ids, err := query(ctx, db, store.ScanOne[int64], text, w.args...)
	return &selection{column: "id", keys: ids, n: len(ids), limit: q.limit, filter: q.filter}, err
}

// sources returns the IDs of the sources that a filter names in a scope.
func sources(ctx context.Context, db querier, sc store.Scope, f store.RunFilter) ([]int32, error) {
	var w where
	q := w.sources(sc, f)
	return query(ctx, db, store.ScanOne[int32], q, w.args...)
}

// sources returns a query for the IDs of the sources that a filter names in a scope.
func (w *where) sources(sc store.Scope, f store.RunFilter) string {
	of := where{args: w.args}
	of.scope(sc, "s.repo")
	if f.Repo != "" {
		of.and("s.repo = ?", encode(f.Repo))
	}
	if f.Source != "" {
		of.and("s.name = ?", encode(f.Source))
	}
	w.args = of.args
	return `
		SELECT s.id
		FROM sources s
		` + of.String() + `
		ORDER BY s.id`
}

// sql returns a statement and its arguments. The statement reads the given columns of the selected runs r, newest
// first.
func (q *selection) sql(columns string) (string, []any) {
	w := where{conditions: slices.Clone(q.conditions), args: slices.Clone(q.args)}
	named := q.filter.Attempts != nil || q.filter.Serials != nil // attempts and serials select few runs
	if q.n > 1 && q.each > 0 && q.each+q.offset <= walk && !named {
		keys := w.bind("unnest(?"+q.cast()+")", q.keys)
		return fmt.Sprintf(`
			SELECT %s
			FROM %s AS k (key)
			CROSS JOIN LATERAL (
				SELECT *
				FROM runs r
				%s
				ORDER BY r.id DESC
				LIMIT %d
			) r
			%s`, columns, keys, withKey(w, "r."+q.column+" = k.key"), q.each+q.offset, q.end(&w)), w.args
	}
	q.key(&w)
	return fmt.Sprintf("SELECT %s FROM runs r %s %s", columns, w.String(), q.end(&w)), w.args
}

// key restricts the runs r to the runs of the keys.
func (q *selection) key(w *where) {
	switch {
	case q.column == "":
	case q.n == 1:
		w.and("r."+q.column+" = (?"+q.cast()+")[1]", q.keys)
	default:
		w.and("r."+q.column+" = ANY(?"+q.cast()+")", q.keys)
	}
}

func (q *selection) cast() string {
	switch q.column {
	case "id":
		return "::bigint[]"
	case "source_id":
		return "::integer[]"
	}
	return "::text[]"
}

func (q *selection) end(w *where) string {
	var b strings.Builder
	b.WriteString("ORDER BY r.id DESC")
	if q.limit > 0 {
		b.WriteString(w.bind(" LIMIT ?::bigint", q.limit))
	}
	if q.offset > 0 {
		b.WriteString(w.bind(" OFFSET ?::bigint", q.offset))
	}
	return b.String()
}

// withKey returns the WHERE clause with an additional condition.
func withKey(w where, condition string) string {
	w.conditions = append(slices.Clone(w.conditions), condition)
	return w.String()
}
