package sqlite

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/blq-ci/blq/store"
)

// unmarked is the max number of runs without a stored step that are read for each source. Such a run may be the newest
// run of its step. Older versions of the program may still add such runs.
const unmarked = 100

// newestRuns returns the newest run of each step among the runs that a filter selects. The newest run comes first.
func newestRuns(ctx context.Context, db querier, sc store.Scope, f store.RunFilter) ([]row, error) {
	q, args, err := newestIDs(ctx, db, sc, f)
	if err != nil {
		return nil, err
	}
	rows, err := query(ctx, db, scanRun, `
		SELECT `+runColumns+`
		FROM runs r
		WHERE r.id IN (`+q+`)
		ORDER BY r.id DESC`, args...)
	if err != nil {
		return nil, err
	}
	return store.NewestRuns(rows, f, func(r row) store.Run { return r.Run },
		func(f store.RunFilter) ([]row, error) { return listRuns(ctx, db, sc, f) })
}

// newestIDs returns a query and its arguments. The query returns the IDs of the newest runs of stored steps, and the
// IDs of runs without a stored step. If the filter may select many runs, the query goes from step to step in an index.
// It then finds the steps in a time that does not grow with the number of runs.
func newestIDs(ctx context.Context, db querier, sc store.Scope, f store.RunFilter) (string, []any, error) {
	sources := sourcesOf(sc, f)
	// These conditions select few runs.
	if f.Commit != "" || f.Commits != nil || f.PR != 0 || f.Attempts != nil || f.Serials != nil || f.Job.RunID != "" {
		return newestOfFew(ctx, db, sc, f, sources)
	}
	// A place is a source, or with Branches a source on one of the branches. The condition here selects the runs r of
	// the place t.
	places, here, on := "SELECT s.id, '' FROM sources s ", "r.source_id = t.source_id AND ", ""
	var args, branch []any
	switch {
	case f.Branches != nil && len(f.Branches) == 0:
		return "SELECT 0 WHERE false", nil, nil
	case f.Branches != nil:
		names := slices.Compact(slices.Sorted(slices.Values(f.Branches)))
		for _, name := range names {
			args = append(args, name)
		}
		places = "SELECT s.id, b.column1 FROM (VALUES (?)" + strings.Repeat(", (?)", len(names)-1) +
			") b CROSS JOIN sources s "
		here, f.Branches = here+"r.git_branch = t.branch AND ", nil
	case f.Branch != "":
		on, branch = "r.git_branch = ? AND ", []any{f.Branch}
	}
	var w where
	if err := w.runs(ctx, db, f); err != nil {
		return "", nil, err
	}
	conditions := strings.TrimPrefix(w.String(), "WHERE")
	if conditions == "" {
		conditions = "true"
	}
	q := `
		WITH RECURSIVE places (source_id, branch) AS (
			` + places + sources.String() + `
		), steps (source_id, branch, step) AS (
			SELECT source_id, branch, ''
			FROM places
			UNION ALL
			SELECT t.source_id, t.branch, (SELECT min(r.step) FROM runs r WHERE ` + here + on + `r.step > t.step)
			FROM steps t
			WHERE t.step IS NOT NULL
		)
		SELECT (
			SELECT r.id
			FROM runs r
			WHERE ` + here + `r.step = t.step AND ` + conditions + `
			ORDER BY r.id DESC
			LIMIT 1
		)
		FROM steps t
		WHERE t.step > ''
		UNION ALL
		SELECT r.id
		FROM places t
		JOIN runs r ON r.id IN (
			SELECT r.id
			FROM runs r
			WHERE ` + here + `r.step = '' AND ` + conditions + `
			ORDER BY r.id DESC
			LIMIT ` + strconv.Itoa(unmarked) + `
		)`
	args = append(args, sources.args...)
	args = append(args, branch...)
	args = append(args, w.args...)
	return q, append(args, w.args...), nil
}

// sourcesOf returns the conditions for the sources s of a filter.
func sourcesOf(sc store.Scope, f store.RunFilter) (w where) {
	if !sc.All() {
		c, args := in("s.repo", sc.Names())
		w.and(c, args...)
	}
	if f.Repo != "" {
		w.and("s.repo = ?", f.Repo)
	}
	if f.Source != "" {
		w.and("s.name = ?", f.Source)
	}
	return w
}

// newestOfFew does the same as newestIDs, for a filter that selects few runs. sources selects the sources. Without the
// plus in +r.source_id, SQLite would read all runs of the sources.
func newestOfFew(ctx context.Context, db querier, sc store.Scope, f store.RunFilter, sources where) (
	string, []any, error) {
	var w where
	if err := w.runs(ctx, db, f); err != nil {
		return "", nil, err
	}
	if err := w.onlyRepo(ctx, db, sc, f.Repo); err != nil {
		return "", nil, err
	}
	w.and("+r.source_id IN (SELECT s.id FROM sources s "+sources.String()+")", sources.args...)
	group := "r.source_id, r.step, iif(r.step = '', r.id, 0)"
	if f.Branches != nil {
		group += ", r.git_branch"
	}
	return `SELECT max(r.id) FROM runs r ` + w.String() + ` GROUP BY ` + group, w.args, nil
}

// idList returns the IDs of runs as a list for an SQL statement.
func idList(rows []row) string {
	list := make([]string, len(rows))
	for i, r := range rows {
		list[i] = strconv.FormatInt(r.id, 10)
	}
	return "SELECT value FROM json_each('[" + strings.Join(list, ",") + "]')"
}
