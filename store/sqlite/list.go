package sqlite

import (
	"context"
	"fmt"

	"github.com/blq-ci/blq/store"
)

// Runs implements store.Store.
func (s *Store) Runs(ctx context.Context, sc store.Scope, f store.RunFilter) ([]store.Run, error) {
	db, leave, err := s.read(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	rows, err := listRuns(store.Cutting(ctx), db, sc, f)
	if err != nil {
		return nil, fmt.Errorf("list runs: %w", err)
	}
	runs := make([]store.Run, len(rows))
	for i, r := range rows {
		runs[i] = r.Run
	}
	return runs, nil
}

func listRuns(ctx context.Context, db querier, sc store.Scope, f store.RunFilter) ([]row, error) {
	if f.Newest {
		return newestRuns(ctx, db, sc, f)
	}
	ids, args, err := runIDs(ctx, db, sc, f)
	if err != nil {
		return nil, err
	}
	return query(ctx, db, scanRun, `
		SELECT `+runColumns+`
		FROM runs r
		WHERE r.id IN (`+ids+`)
		ORDER BY r.id DESC`, args...)
}

// runIDs returns a query for the IDs of the runs that a filter selects, and the arguments of the query.
func runIDs(ctx context.Context, db querier, sc store.Scope, f store.RunFilter) (string, []any, error) {
	if f.Newest {
		rows, err := newestRuns(ctx, db, sc, f)
		return idList(rows), nil, err
	}
	var w where
	w.scope(sc)
	if err := w.runs(ctx, db, f); err != nil {
		return "", nil, err
	}
	if f.Source != "" {
		if err := w.source(ctx, db, sc, f.Repo, f.Source); err != nil {
			return "", nil, err
		}
	} else if isAtPlace(f) {
		if err := w.onlyRepo(ctx, db, sc, f.Repo); err != nil {
			return "", nil, err
		}
	}
	from := "runs r"
	// Without this index, SQLite reads all runs, newest first, until it has found enough runs of the job.
	if f.Job.RunID != "" && f.Source == "" {
		from += " INDEXED BY runs_job"
	}
	what, group := "r.id", ""
	if f.EachCommit {
		what, group = "max(r.id)", eachCommit
	}
	return limited("SELECT "+what+" FROM "+from+" "+w.String()+group, what, f.Limit), w.args, nil
}

// eachCommit groups runs r as store.RunFilter.EachCommit says. A late run and a run without a stored step are groups of
// their own.
var eachCommit = fmt.Sprintf(`
	GROUP BY r.source_id, r.step, r.git_commit, r.git_branch, r.git_dirty,
	    iif(r.step = '' OR r.opened_at > 0 AND r.opened_at - r.started_at > %d, r.id, 0)`,
	store.LateAfter.Microseconds())

// isAtPlace reports whether a filter selects runs by branch, commit or pull request.
func isAtPlace(f store.RunFilter) bool {
	return f.Branch != "" || f.NoBranch || f.Branches != nil || f.Commit != "" || f.Commits != nil || f.PR != 0
}

// limited adds a limit to the query q for the IDs of runs. id is the SQL expression for an ID.
func limited(q, id string, limit int) string {
	if limit <= 0 {
		return q
	}
	return q + " ORDER BY " + id + " DESC " + upTo(limit)
}

// Branches implements store.Store.
func (s *Store) Branches(ctx context.Context, sc store.Scope, repo string, limit int) ([]string, error) {
	db, leave, err := s.read(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	var w where
	w.scope(sc)
	w.and("r.git_branch <> ''")
	if repo != "" {
		w.and("r.repo = ?", repo)
	}
	if err := w.onlyRepo(ctx, db, sc, repo); err != nil {
		return nil, fmt.Errorf("list branches: %w", err)
	}
	names, err := query(ctx, db, store.ScanOne[string], `
		SELECT r.git_branch
		FROM runs r
		`+w.String()+`
		GROUP BY r.git_branch
		ORDER BY max(r.id) DESC
		`+upTo(limit), w.args...)
	if err != nil {
		return nil, fmt.Errorf("list branches: %w", err)
	}
	return names, nil
}
