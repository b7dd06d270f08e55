package sqlite

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/blq-ci/blq/store"
)

// where gathers the conditions of a query with their arguments.
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

// in returns "column IN (?, ?)" with its arguments.
func in[T any](column string, values []T) (string, []any) {
	args := make([]any, len(values))
	for i, v := range values {
		args[i] = v
	}
	return column + " IN (" + strings.TrimSuffix(strings.Repeat("?, ", len(values)), ", ") + ")", args
}

// scope limits a query over runs r to what the caller may see.
func (w *where) scope(sc store.Scope) {
	if sc.All() {
		return
	}
	c, args := in("r.repo", sc.Names())
	w.and(c, args...)
}

// source limits a query over runs r to those of a source. The sources are
// looked up first: with a single one SQLite reads its newest runs and stops.
func (w *where) source(ctx context.Context, db querier, sc store.Scope, repo, name string) error {
	var of where
	of.and("r.name = ?", name)
	of.scope(sc)
	if repo != "" {
		of.and("r.repo = ?", repo)
	}
	ids, err := query(ctx, db, scanOne[int64], `SELECT r.id FROM sources r `+of.String(), of.args...)
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

// runs limits a query over runs r, but for the source.
func (w *where) runs(f store.RunFilter) error {
	if f.Repo != "" {
		w.and("r.repo = ?", f.Repo)
	}
	if f.State != "" {
		w.and("r.state = ?", f.State)
	}
	if f.Branch != "" {
		w.and("r.git_branch = ?", f.Branch)
	}
	if f.Commit != "" {
		if len(f.Commit) < 4 {
			return store.Errorf(store.Invalid, "commit %q is too short: at least 4 characters", f.Commit)
		}
		commit := strings.ToLower(f.Commit)
		w.and("r.git_commit >= ? AND r.git_commit < ?", commit, commit+"g")
	}
	if f.Commits != nil {
		c, args := in("r.git_commit", f.Commits)
		w.and(c, args...)
	}
	if f.PR != 0 {
		w.and("r.pr = ?", f.PR)
	}
	if f.Leg != nil {
		w.and("r.leg = ?", *f.Leg)
	}
	if f.Baseline {
		stopped, args := in("r.signal", store.Stopped)
		w.and("r.state = 'completed' AND r.reason = '' AND r.lost = '' AND NOT "+stopped, args...)
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
	if f.Before > 0 {
		w.and("r.serial < ?", f.Before)
	}
	if !f.StaleBefore.IsZero() {
		w.and("r.state = 'running' AND r.heartbeat_at < ?", micros(f.StaleBefore))
	}
	if !f.OpenedBefore.IsZero() {
		w.and("r.state = 'running' AND r.opened_at > 0 AND r.opened_at < ?", micros(f.OpenedBefore))
	}
	return nil
}

// fingerprints limits a query over events e and runs r to those with any of
// the fingerprints, with all columns of the index that finds them.
func (w *where) fingerprints(list []string) error {
	hashes := make([]int64, len(list))
	for i, f := range list {
		hash, ok := store.FingerprintHash(f)
		if !ok {
			return store.Errorf(store.Invalid, "%q is not a fingerprint", f)
		}
		hashes[i] = hash
	}
	c, args := in("e.fingerprint", hashes)
	w.and("e.source_id = r.source_id AND "+c, args...)
	return nil
}

// fingerprintText spells a fingerprint as store.FormatFingerprint does.
const fingerprintText = `printf('%s_%s_%016x', iif(e.tool = '', 'unknown', e.tool), iif(e.category = '', 'other', e.category), e.fingerprint)`

// field is how a filter's field is found in a query over events e and runs r.
type field struct {
	expr   string
	number bool
}

var fields = map[string]field{
	"severity":    {"e.severity", false},
	"ref_file":    {"e.file", false},
	"ref_line":    {"e.line", true},
	"ref_column":  {"e.col", true},
	"message":     {"e.message", false},
	"tool_name":   {"e.tool", false},
	"category":    {"e.category", false},
	"code":        {"e.code", false},
	"test_name":   {"e.test", false},
	"fingerprint": {fingerprintText, false},
	"log_line":    {"e.log_line", true},
	"run_id":      {"r.serial", true},
	"run_ref":     {"r.ref", false},
	"source_name": {"r.source", false},
	"git_branch":  {"r.git_branch", false},
	"git_commit":  {"r.git_commit", false},
	"repo":        {"r.repo", false},
}

// condition adds a part of a filter expression.
func (w *where) condition(c store.Condition) error {
	f, ok := fields[c.Field]
	if !ok {
		return store.Errorf(store.Invalid, "no field %q; there are %s", c.Field, strings.Join(store.FilterFields, ", "))
	}
	var parts []string
	var args []any
	for _, v := range c.Values {
		part, arg, err := compare(c, f, v)
		if err != nil {
			return err
		}
		parts, args = append(parts, part), append(args, arg)
	}
	switch {
	case parts == nil:
		return store.Errorf(store.Invalid, "the condition on %s has no value", c.Field)
	case c.Op == store.NotEqual:
		w.and(strings.Join(parts, " AND "), args...)
	default:
		w.and(strings.Join(parts, " OR "), args...)
	}
	return nil
}

func compare(c store.Condition, f field, v string) (string, any, error) {
	if c.Op == store.Contains {
		return fmt.Sprintf("instr(lower(%s), lower(?)) > 0", f.expr), v, nil
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
		return fmt.Sprintf("%s %s ?", f.expr, op), n, nil
	}
	if c.Field == "severity" && (v == "critical" || v == "fatal") {
		v = string(store.SeverityError)
	}
	if hash, ok := store.FingerprintHash(v); ok && c.Field == "fingerprint" {
		return "e.fingerprint " + op + " ?", hash, nil
	}
	return fmt.Sprintf("%s %s ?", f.expr, op), v, nil
}
