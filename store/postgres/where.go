package postgres

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/blq-ci/blq/store"
)

// where gathers the conditions of a query with their arguments, which are
// written as ? and numbered as they come.
type where struct {
	conditions []string
	args       []any
}

func (w *where) and(condition string, args ...any) {
	w.conditions = append(w.conditions, "("+w.bind(condition, args...)+")")
}

// bind numbers the arguments of a piece of SQL.
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

// scope limits a query to the repositories that the caller may see, by the
// column that names them.
func (w *where) scope(sc store.Scope, column string) {
	if !sc.All() {
		w.and(column+" = ANY(?::text[])", encodeAll(sc.Names()))
	}
}

// runs limits a query over runs r, but for repository and source.
func (w *where) runs(f store.RunFilter) error {
	switch f.State {
	case "":
	case store.StateRunning:
		w.and("r.state = 'running'") // as its index is written
	default:
		w.and("r.state = ?", string(f.State))
	}
	if f.Branch != "" {
		w.and("r.git_branch = ?", encode(f.Branch))
	}
	if f.Commit != "" {
		if len(f.Commit) < 4 {
			return store.Errorf(store.Invalid, "commit %q is too short: at least 4 characters", f.Commit)
		}
		commit := encode(strings.ToLower(f.Commit))
		w.and("r.git_commit >= ? AND r.git_commit < ?", commit, commit+"g")
	}
	if f.Commits != nil {
		w.and("r.git_commit = ANY(?::text[])", encodeAll(f.Commits))
	}
	if f.PR != 0 {
		w.and("r.pr > 0 AND r.pr = ?", f.PR)
	}
	if f.Leg != nil {
		w.and("r.leg = ?", legHash(*f.Leg))
	}
	if f.Baseline {
		w.and("r.state = 'completed' AND r.reason = '' AND r.lost = '' AND NOT r.fork AND r.signal <> ALL(?::text[])", store.Stopped)
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
	if !f.StaleBefore.IsZero() {
		w.and("r.state = 'running' AND coalesce(r.heartbeat_at, '-infinity') < ?", f.StaleBefore)
	}
	if !f.OpenedBefore.IsZero() {
		w.and("r.state = 'running' AND r.opened_at < ?", f.OpenedBefore)
	}
	w.before(f)
	return nil
}

// before limits a query to runs older than a serial. Within a repository ids
// and serials grow together, and ids are what indexes end with.
func (w *where) before(f store.RunFilter) {
	if f.Before <= 0 {
		return
	}
	w.and("r.serial < ?::bigint", f.Before)
	if f.Repo != "" {
		w.and("r.id <= (SELECT b.id FROM runs b WHERE b.repo = ? AND b.serial < ?::bigint ORDER BY b.serial DESC LIMIT 1)", encode(f.Repo), f.Before)
	}
}

// fingerprintText spells a fingerprint as store.FormatFingerprint does.
const fingerprintText = `coalesce(nullif(e.tool, ''), 'unknown') || '_' || coalesce(nullif(e.category, ''), 'other') || '_' || lpad(to_hex(e.fingerprint), 16, '0')`

// field is how a filter's field is found in a query over events e and runs r.
type field struct {
	expr   string
	number bool
	run    bool // of the run
}

var fields = map[string]field{
	"severity":    {expr: "(ARRAY['error', 'warning', 'info'])[e.severity]"},
	"ref_file":    {expr: "e.file"},
	"ref_line":    {expr: "e.line", number: true},
	"ref_column":  {expr: "e.col", number: true},
	"message":     {expr: "e.message"},
	"tool_name":   {expr: "e.tool"},
	"category":    {expr: "e.category"},
	"code":        {expr: "e.code"},
	"test_name":   {expr: "e.test"},
	"fingerprint": {expr: fingerprintText},
	"log_line":    {expr: "e.log_line", number: true},
	"run_id":      {expr: "r.serial", number: true, run: true},
	"run_ref":     {expr: "r.source || ':' || r.serial::text", run: true},
	"source_name": {expr: "r.source", run: true},
	"git_branch":  {expr: "r.git_branch", run: true},
	"git_commit":  {expr: "r.git_commit", run: true},
	"repo":        {expr: "r.repo", run: true},
}

// condition adds a part of a filter expression.
func (w *where) condition(c store.Condition) error {
	f, ok := fields[c.Field]
	if !ok {
		return store.Errorf(store.Invalid, "no field %q; there are %s", c.Field, strings.Join(store.FilterFields, ", "))
	}
	var parts []string
	for _, v := range c.Values {
		part, arg, err := compare(c, f, v)
		if err != nil {
			return err
		}
		parts = append(parts, w.bind(part, arg))
	}
	if parts == nil {
		return store.Errorf(store.Invalid, "the condition on %s has no value", c.Field)
	}
	word := " OR "
	if c.Op == store.NotEqual {
		word = " AND "
	}
	w.conditions = append(w.conditions, "("+strings.Join(parts, word)+")")
	return nil
}

func compare(c store.Condition, f field, v string) (string, any, error) {
	if c.Op == store.Contains {
		return fmt.Sprintf("strpos(lower((%s)::text), lower(?::text COLLATE \"C\")) > 0", f.expr), encode(v), nil
	}
	op := map[store.Op]string{store.Equal: "=", store.NotEqual: "<>"}[c.Op]
	if op == "" {
		return "", nil, store.Errorf(store.Invalid, "no operator %q; there are =, != and ~", c.Op)
	}
	if f.number {
		n, err := strconv.ParseInt(v, 10, 64)
		if err != nil {
			return "", nil, store.Errorf(store.Invalid, "%s is a number, not %q", c.Field, v)
		}
		return fmt.Sprintf("%s %s ?::bigint", f.expr, op), n, nil
	}
	if c.Field == "severity" {
		if v == "critical" || v == "fatal" {
			v = string(store.SeverityError)
		}
		return "e.severity " + op + " ?", rank[store.Severity(v)], nil
	}
	if hash, ok := store.FingerprintHash(v); ok && c.Field == "fingerprint" {
		return "e.fingerprint " + op + " ?", hash, nil
	}
	return fmt.Sprintf("%s %s ?", f.expr, op), encode(v), nil
}
