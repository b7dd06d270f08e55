package postgres

import (
	"cmp"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/blq-ci/blq/store"
)

// where collects the conditions of a query and their arguments. In a condition, ? stands for an argument; see bind.
type where struct {
	conditions []string
	args       []any
}

func (w *where) and(condition string, args ...any) {
	w.conditions = append(w.conditions, "("+w.bind(condition, args...)+")")
}

// bind adds arguments to the query. It returns the text with the number of an argument in place of each ?.
func (w *where) bind(text string, args ...any) string {
	var b strings.Builder
	for _, arg := range args {
		before, after, _ := strings.Cut(text, "?")
		w.args = append(w.args, arg)
		b.WriteString(before + "$" + strconv.Itoa(len(w.args)))
		text = after
	}
	return b.String() + text
}

// String returns the WHERE clause.
func (w *where) String() string {
	if len(w.conditions) == 0 {
		return ""
	}
	return "WHERE " + strings.Join(w.conditions, "\n  AND ")
}

// scope restricts a query to the repositories that the caller may see. column is the column with the name of the
// repository.
func (w *where) scope(sc store.Scope, column string) {
	if !sc.All() {
		w.and(column+" = ANY(?::text[])", encodeAll(sc.Names()))
	}
}

// runs restricts a query over runs r to the runs that a filter selects. It does not restrict the query to the
// repository and the source in the filter.
func (w *where) runs(f store.RunFilter) error {
	switch f.State {
	case "":
	case store.StateRunning:
		w.and("r.state = 'running'") // the index has the same expression
	default:
		w.and("r.state = ?", string(f.State))
	}
	if f.Branch != "" {
		w.and("r.git_branch = ?", encode(f.Branch))
	}
	if f.NoBranch {
		w.and("r.git_branch = ''")
	}
	if f.Branches != nil {
		w.and("r.git_branch = ANY(?::text[])", encodeAll(f.Branches))
	}
	if f.Commit != "" {
		from, to, err := store.CommitRange(f.Commit)
		if err != nil {
			return err
		}
		w.and("r.git_commit >= ? AND r.git_commit < ?", encode(from), encode(to))
	}
	if f.Commits != nil {
		w.and("r.git_commit = ANY(?::text[])", encodeAll(f.Commits))
	}
	if f.PR != 0 {
		w.and("r.pr > 0 AND r.pr = ?", f.PR)
	}
	if err := w.job(f.Job); err != nil {
		return err
	}
	if f.Leg != nil {
		w.and("r.leg = ?", legHash(*f.Leg))
	}
	if f.Shape != "" {
		w.and("r.shape IN (?, '')", encode(f.Shape))
	}
	if f.Baseline {
		w.and("r.state = 'completed' AND r.reason = '' AND r.lost = '' AND r.signal <> ALL(?::text[])", store.Stopped)
	}
	if f.Baseline || f.Own {
		w.and("NOT r.fork")
	}
	if f.Clean {
		w.and("NOT r.git_dirty")
	}
	if f.Attempts != nil {
		w.and("r.attempt = ANY(?::text[])", encodeAll(f.Attempts))
	}
	if f.Serials != nil {
		w.and("r.serial = ANY(?::bigint[])", f.Serials)
	}
	if !f.Since.IsZero() {
		w.and("r.started_at >= ?", f.Since)
	}
	w.status(f)
	if !f.StaleBefore.IsZero() {
		w.and("r.state = 'running' AND coalesce(r.heartbeat_at, '-infinity') < ?", f.StaleBefore)
	}
	if !f.OpenedBefore.IsZero() {
		w.and("r.state = 'running' AND r.opened_at < ?", f.OpenedBefore)
	}
	w.serials(f)
	return nil
}

// These expressions return the fields of store.CIJob from the JSON in the column ci of a run. Go writes this JSON
// without spaces, and with a backslash before each quote in a value. The index runs_job contains the first 100
// characters of run_id and of check_run_id.
const (
	ciRunID      = `substring(r.ci FROM '"run_id":"(([^"\\]|\\.)*)"')`
	ciRunAttempt = `substring(r.ci FROM '"run_attempt":(\d+)')`
	ciStep       = `substring(r.ci FROM '"step":"(([^"\\]|\\.)*)"')`
	ciCheckRunID = `substring(r.ci FROM '"check_run_id":"(([^"\\]|\\.)*)"')`
)

// job restricts a query over runs r to the runs of a job.
func (w *where) job(j store.CIJob) error {
	for _, is := range []struct{ field, value string }{{ciRunID, j.RunID}, {ciCheckRunID, j.CheckRunID}} {
		if is.value == "" {
			continue
		}
		text, err := json.Marshal(is.value)
		if err != nil {
			return err
		}
		value := encode(string(text[1 : len(text)-1])) // the value in JSON, without its quotes
		w.and("r.ci IS NOT NULL AND left("+is.field+", 100) = left(?, 100) AND "+is.field+" = ?", value, value)
	}
	if j.RunAttempt != 0 {
		w.and(ciRunAttempt+" = ?", strconv.Itoa(j.RunAttempt))
	}
	if j.Step != "" {
		w.and("starts_with("+ciStep+", ?)", encode(j.Step))
	}
	return nil
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

// statusSQL is an SQL expression for the Status of a run r.
const statusSQL = `CASE
	WHEN r.state = 'running' THEN 'RUNNING'
	WHEN r.state = 'orphaned' THEN 'ORPHANED'
	WHEN r.reason = 'timeout' THEN 'TIMEOUT'
	WHEN r.reason = 'cancelled' THEN 'CANCELLED'
	WHEN r.signal = '' AND (r.exit_code = 0 OR r.exit_code IS NULL AND r.errors = 0 AND r.lost = '') THEN 'OK'
	ELSE 'FAIL' END`

// serials restricts a query to runs with a lower serial than f.Before and a higher serial than f.After. If the filter
// has a repository, the query also compares IDs, because the indexes end with the ID. Within a repository, a higher
// serial means a higher ID.
func (w *where) serials(f store.RunFilter) {
	if f.Before > 0 {
		w.and("r.serial < ?::bigint", f.Before)
	}
	if f.After > 0 {
		w.and("r.serial > ?::bigint", f.After)
	}
	if f.Repo != "" && f.Before > 0 {
		w.and("r.id <= (SELECT b.id FROM runs b WHERE b.repo = ? AND b.serial < ?::bigint ORDER BY b.serial DESC LIMIT 1)",
			encode(f.Repo), f.Before)
	}
	if f.Repo != "" && f.After > 0 {
		w.and("r.id >= (SELECT b.id FROM runs b WHERE b.repo = ? AND b.serial > ?::bigint ORDER BY b.serial LIMIT 1)",
			encode(f.Repo), f.After)
	}
}

// fingerprintText is an SQL expression for the fingerprint of an event e. It has the same format as formatFingerprint
// in package store.
const fingerprintText = `coalesce(nullif(e.tool, ''), 'unknown') || '_' || coalesce(nullif(e.category, ''), 'other') ||
	'_' || lpad(to_hex(e.fingerprint), 16, '0')`

// condition adds a condition of a filter expression.
func (w *where) condition(c store.Condition) error {
	terms, err := c.Terms()
	if err != nil {
		return err
	}
	var parts []string
	for _, t := range terms {
		text, arg := compare(t)
		parts = append(parts, w.bind(text, arg))
	}
	either := " OR "
	if c.Op == store.NotEqual {
		either = " AND "
	}
	w.conditions = append(w.conditions, "("+strings.Join(parts, either)+")")
	return nil
}

// texts maps fields to SQL expressions. It has the fields whose stored form differs from the form in comparisons.
var texts = map[string]string{
	"severity":    "(ARRAY['error', 'warning', 'info'])[e.severity]",
	"fingerprint": fingerprintText,
	"run_ref":     "r.source || ':' || r.serial::text",
}

// operators maps operators to SQL operators. Operators that are missing here need a function.
var operators = map[store.Op]string{store.Equal: "=", store.NotEqual: "<>"}

// compare returns the SQL condition for a term, and the argument of the condition. The condition is over events e and
// runs r.
func compare(t store.Term) (string, any) {
	column := "e." + t.Field.Column
	if t.Field.OfRun {
		column = "r." + t.Field.Column
	}
	text := cmp.Or(texts[t.Field.Name], column)
	switch {
	case t.Op == store.Contains:
		return "strpos(lower((" + text + ")::text), lower(?::text COLLATE \"C\")) > 0", encode(t.Text)
	case t.IsNumber:
		return column + " " + operators[t.Op] + " ?::bigint", t.Number
	case t.Field.Name == "severity":
		return column + " " + operators[t.Op] + " ?", rank[store.Severity(t.Text)]
	}
	return text + " " + operators[t.Op] + " ?", encode(t.Text)
}
