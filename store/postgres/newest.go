package postgres

import (
	"context"
	"slices"

	"github.com/blq-ci/blq/store"
)

// unmarked is the max number of runs without a stored step that are read for each source. Such a run may be the newest
// run of its step. Older versions of the program may still add such runs.
const unmarked = 100

// newestRuns returns the newest run of each step that a filter selects, newest first. It goes from step to step in an
// index. So the time does not grow with the number of runs.
func newestRuns(ctx context.Context, db querier, sc store.Scope, f store.RunFilter) ([]row, error) {
	var w where
	of := "unnest(ARRAY(" + w.sources(sc, f) + "))"
	q, err := w.newest(f, of)
	if err != nil {
		return nil, err
	}
	rows, err := query(ctx, db, scanRun, `SELECT `+runColumns+` FROM (`+q+`) r ORDER BY r.id DESC`, w.args...)
	if err != nil {
		return nil, err
	}
	return store.NewestRuns(rows, f, func(r row) store.Run { return r.Run },
		func(f store.RunFilter) ([]row, error) { return listRuns(ctx, db, sc, f) })
}

// newestIDs returns the IDs of newestRuns.
func newestIDs(ctx context.Context, db querier, sc store.Scope, f store.RunFilter) ([]int64, error) {
	rows, err := newestRuns(ctx, db, sc, f)
	ids := make([]int64, len(rows))
	for i, r := range rows {
		ids[i] = r.id
	}
	return ids, err
}

// newest returns a query for two kinds of runs: the newest run of each stored step, and the runs
// without a stored step. With Branches, it looks for them on each of the branches. source is a FROM item with the IDs
// of the sources of these runs.
func (w *where) newest(f store.RunFilter, source string) (string, error) {
	// These conditions select few runs.
	if f.Commit != "" || f.Commits != nil || f.PR != 0 || f.Attempts != nil || f.Serials != nil || f.Job.RunID != "" {
		w.conditions = append(w.conditions, "r.source_id IN (SELECT "+source+")")
		err := w.runs(f)
		each := "r.source_id, r.step, CASE WHEN r.step = '' THEN r.id END"
		if f.Branches != nil {
			each += ", r.git_branch"
		}
		return `
			SELECT DISTINCT ON (` + each + `) r.*
			FROM runs r
			` + w.String() + `
			ORDER BY ` + each + `, r.id DESC`, err
	}
	// A place is a source, or with Branches a source on one of the branches.
	places, on := "SELECT s, ''::text FROM "+source+" s", ""
	switch {
	case f.Branches != nil:
		names := slices.Compact(slices.Sorted(slices.Values(f.Branches)))
		places = "SELECT s, b FROM " + source + " s CROSS JOIN " + w.bind("unnest(?::text[]) b", encodeAll(names))
		on = "r.git_branch = t.branch AND "
		w.conditions = append(w.conditions, "r.git_branch = t.branch")
		f.Branches = nil
	case f.Branch != "":
		on = w.bind("r.git_branch = ? AND ", encode(f.Branch))
	}
	last := w.bind("?::bigint", unmarked)
	w.conditions = append(w.conditions, "r.source_id = t.source_id", "r.step = t.step")
	err := w.runs(f)
	return `
		WITH RECURSIVE steps (source_id, branch, step) AS (
			SELECT p.source_id, p.branch COLLATE "C", '' COLLATE "C"
			FROM (` + places + `) p (source_id, branch)
			UNION ALL
			SELECT t.source_id, t.branch, (
				SELECT r.step
				FROM runs r
				WHERE r.source_id = t.source_id AND ` + on + `r.step > t.step
				ORDER BY r.step
				LIMIT 1
			)
			FROM steps t
			WHERE t.step IS NOT NULL
		)
		SELECT r.*
		FROM steps t
		CROSS JOIN LATERAL (
			SELECT *
			FROM runs r
			` + w.String() + `
			ORDER BY r.id DESC
			LIMIT CASE WHEN t.step = '' THEN ` + last + ` ELSE 1 END
		) r`, err
}
