package sqlite

import (
	"context"
	"strconv"
	"strings"

	"github.com/blq-ci/blq/store"
)

// where collects the conditions of a query and their arguments.
type where struct {
	conditions []string
	args       []any
}

func (w *where) and(condition string, args ...any) {
	w.conditions = append(w.conditions, "("+condition+")")
	w.args = append(w.args, args...)
}

// String returns the WHERE clause.
func (w *where) String() string {
	if len(w.conditions) == 0 {
		return ""
	}
	return "WHERE " + strings.Join(w.conditions, "\n  AND ")
}

// in returns the condition "column IN (?, ?)" and its arguments.
func in[T any](column string, values []T) (string, []any) {
	args := make([]any, len(values))
	for i, v := range values {
		args[i] = v
	}
	return column + " IN (" + strings.TrimSuffix(strings.Repeat("?, ", len(values)), ", ") + ")", args
}

// upTo returns a LIMIT clause for n rows. There is no limit if n is not positive. The number is not a parameter,
// because SQLite prepares a statement with a parameter in LIMIT again before each use.
func upTo(n int) string {
	if n <= 0 {
		n = -1
	}
	return "LIMIT " + strconv.Itoa(n)
}

// scope restricts a query over runs r to runs that the caller may see.
func (w *where) scope(sc store.Scope) {
	if sc.All() {
		return
	}
	c, args := in("r.repo", sc.Names())
	w.and(c, args...)
}

// onlyRepo restricts a query over runs r to the only repository of the store, if there is one, as in a project's
// store. The result stays the same. But SQLite can then use the indexes of commits, branches and pull requests,
// because these begin with the repository.
func (w *where) onlyRepo(ctx context.Context, db querier, sc store.Scope, repo string) error {
	if repo != "" || !sc.All() {
		return nil
	}
	name, found, err := soleRepo(ctx, db)
	if found {
		w.and("r.repo = ?", name)
	}
	return err
}

// soleRepo returns the name of the only repository of the store. It reports whether there is exactly one.
func soleRepo(ctx context.Context, db querier) (name string, found bool, err error) {
	names, err := query(ctx, db, store.ScanOne[string], "SELECT name FROM repos LIMIT 2")
	if err != nil || len(names) != 1 {
		return "", false, err
	}
	return names[0], true, nil
}

// serials restricts a query over runs r to the serials that a filter selects. If all runs are of one repository, the
// query also compares IDs, because SQLite reads the runs of an index in the order of their IDs. Within a repository, a
// higher serial means a higher ID.
func (w *where) serials(ctx context.Context, db querier, f store.RunFilter) error {
	if f.Before <= 0 && f.After <= 0 {
		return nil
	}
	repo, found := f.Repo, f.Repo != ""
	if !found {
		var err error
		if repo, found, err = soleRepo(ctx, db); err != nil {
			return err
		}
	}
	if f.Before > 0 {
		w.and("r.serial < ?", f.Before)
	}
	if f.After > 0 {
		w.and("r.serial > ?", f.After)
	}
	// Without the plus in +b.repo, SQLite would read all runs of the repository.
	if found && f.Before > 0 {
		w.and("r.id <= (SELECT b.id FROM runs b WHERE b.serial < ? AND +b.repo = ? ORDER BY b.serial DESC LIMIT 1)",
			f.Before, repo)
	}
	if found && f.After > 0 {
		w.and("r.id >= (SELECT b.id FROM runs b WHERE b.serial > ? AND +b.repo = ? ORDER BY b.serial LIMIT 1)",
			f.After, repo)
	}
	return nil
}

// source restricts a query over runs r to the runs of a source. It first looks up the IDs of the source. For a single
// ID, the condition is an equality, so that SQLite needs to read only the newest runs.
func (w *where) source(ctx context.Context, db querier, sc store.Scope, repo, name string) error {
	var of where
	of.and("r.name = ?", name)
	of.scope(sc)
	if repo != "" {
		of.and("r.repo = ?", repo)
	}
	ids, err := query(ctx, db, store.ScanOne[int64], `SELECT r.id FROM sources r `+of.String(), of.args...)
	if err != nil {
		return err
	}
	c, args := in("r.source_id", ids)
	if len(ids) == 1 {
		c = "r.source_id = ?"
	}
	w.and(c, args...)
	return nil
}

// runs restricts a query over runs r to the runs that a filter selects. It ignores the fields Source, Newest,
// EachCommit and Limit.
func (w *where) runs(ctx context.Context, db querier, f store.RunFilter) error {
	if f.Repo != "" {
		w.and("r.repo = ?", f.Repo)
	}
	if f.State != "" {
		w.and("r.state = ?", f.State)
	}
	if f.Branch != "" {
		w.and("r.git_branch = ?", f.Branch)
	}
	if f.NoBranch {
		w.and("r.git_branch = ''")
	}
	if f.Branches != nil {
		c, args := in("r.git_branch", f.Branches)
		w.and(c, args...)
	}
	if f.Commit != "" {
		from, to, err := store.CommitRange(f.Commit)
		if err != nil {
			return err
		}
		w.and("r.git_commit >= ? AND r.git_commit < ?", from, to)
	}
	if f.Commits != nil {
		c, args := in("r.git_commit", f.Commits)
		w.and(c, args...)
	}
	if f.PR != 0 {
		w.and("r.pr > 0 AND r.pr = ?", f.PR) // the index has only runs with a pull request
	}
	w.job(f.Job)
	if f.Leg != nil {
		w.and("r.leg = ?", *f.Leg)
	}
	if f.Shape != "" {
		w.and("r.shape IN (?, '')", f.Shape)
	}
	if f.Baseline {
		stopped, args := in("r.signal", store.Stopped)
		w.and("r.state = 'completed' AND r.reason = '' AND r.lost = '' AND NOT "+stopped, args...)
	}
	if f.Baseline || f.Own {
		w.and("coalesce(r.ci ->> 'fork', 0) = 0")
	}
	if f.Clean {
		w.and("r.git_dirty = 0")
	}
	if f.Attempts != nil {
		c, args := in("r.attempt", f.Attempts)
		w.and(c, args...)
	}
	if f.Serials != nil {
		c, args := in("r.serial", f.Serials)
		w.and(c, args...)
	}
	if !f.Since.IsZero() {
		w.and("r.started_at >= ?", micros(f.Since))
	}
	w.status(f)
	if !f.StaleBefore.IsZero() {
		w.and("r.state = 'running' AND r.heartbeat_at < ?", micros(f.StaleBefore))
	}
	if !f.OpenedBefore.IsZero() {
		w.and("r.state = 'running' AND r.opened_at > 0 AND r.opened_at < ?", micros(f.OpenedBefore))
	}
	return w.serials(ctx, db, f)
}

// status restricts a query over runs r to runs that ended as the filter says.
func (w *where) status(f store.RunFilter) {
	if f.Status != "" {
		w.and(statusSQL+" = ?", string(f.Status))
	}
	if f.Failed {
		w.and("r.state <> 'running' AND NOT (" + store.PassedSQL + ")")
	}
}

// job restricts a query over runs r to the runs of a job. If j has a RunID, SQLite can use the index runs_job.
func (w *where) job(j store.CIJob) {
	if j.RunID != "" {
		w.and("r.ci_run_id > '' AND r.ci_run_id = ?", j.RunID) // the index has the same expression
	}
	if j.CheckRunID != "" {
		w.and("r.ci_check_run_id = ?", j.CheckRunID)
	}
	if j.RunAttempt != 0 {
		w.and("r.ci_run_attempt = ?", j.RunAttempt)
	}
	if j.Step != "" {
		w.and("substr(r.ci ->> 'step', 1, length(?)) = ?", j.Step, j.Step)
	}
}

// fingerprints restricts a query over events e and runs r to events with one of the fingerprints. The condition uses
// all columns of the index over fingerprints.
func (w *where) fingerprints(list []string) error {
	hashes, err := store.FingerprintHashes(list...)
	if err != nil {
		return err
	}
	c, args := in("e.fingerprint", hashes)
	w.and("e.source_id = r.source_id AND "+c, args...)
	return nil
}

// fingerprintText is an SQL expression for the fingerprint of an event e. It has the same format as formatFingerprint
// in package store.
const fingerprintText = `printf('%s_%s_%016x', iif(e.tool = '', 'unknown', e.tool),
	iif(e.category = '', 'other', e.category), e.fingerprint)`

// condition adds a condition of a filter expression.
func (w *where) condition(c store.Condition) error {
	terms, err := c.Terms()
	if err != nil {
		return err
	}
	var parts []string
	var args []any
	for _, t := range terms {
		part, arg := compare(t)
		parts, args = append(parts, part), append(args, arg)
	}
	either := " OR "
	if c.Op == store.NotEqual {
		either = " AND "
	}
	w.and(strings.Join(parts, either), args...)
	return nil
}

// operators maps operators to SQL operators. The operator Contains is missing, because its condition calls a function.
var operators = map[store.Op]string{store.Equal: "=", store.NotEqual: "<>"}

// compare returns the SQL condition for a term, and the argument of the condition. The condition is over events e and
// runs r.
func compare(t store.Term) (string, any) {
	column := "e." + t.Field.Column
	switch {
	case t.Field.OfRun:
		column = "r." + t.Field.Column
	case t.Field.Name == "fingerprint" && !t.IsNumber:
		column = fingerprintText
	}
	switch {
	case t.Op == store.Contains:
		return "instr(lower(" + column + "), lower(?)) > 0", t.Text
	case t.IsNumber:
		return column + " " + operators[t.Op] + " ?", t.Number
	}
	return column + " " + operators[t.Op] + " ?", t.Text
}
