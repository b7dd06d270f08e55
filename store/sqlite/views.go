package sqlite

import (
	"crypto/rand"
	"fmt"
	"strings"
	"sync"

	"github.com/blq-ci/blq/store"
)

// relation is a table for the SQL of callers.
type relation struct {
	name   string
	inner  string // name of the view that reads the tables; see authorize
	from   string
	values [][2]string // pairs of column and expression
}

func (r relation) columns() []string {
	names := make([]string, len(r.values))
	for i, v := range r.values {
		names[i] = v[0]
	}
	return names
}

// statements returns the SQL that creates the relation's views for a scope.
func (r relation) statements(sc store.Scope) []string {
	list := make([]string, len(r.values))
	for i, v := range r.values {
		list[i] = v[1] + " AS " + v[0]
	}
	return []string{
		fmt.Sprintf("CREATE TEMP VIEW %s AS SELECT %s FROM %s WHERE %s", r.inner, strings.Join(list, ", "), r.from,
			scopeSQL(sc)),
		fmt.Sprintf("CREATE TEMP VIEW %s AS SELECT * FROM %s", r.name, r.inner),
	}
}

// scopeSQL returns a condition that restricts runs r to a scope. The names of repositories are written into the
// condition, because a view cannot have parameters.
func scopeSQL(sc store.Scope) string {
	if sc.All() {
		return "r.serial > 0" // without a column, SQLite would not tell authorize the name of the view
	}
	var names []string
	for _, n := range sc.Names() {
		if !strings.ContainsRune(n, 0) {
			names = append(names, "'"+strings.ReplaceAll(n, "'", "''")+"'")
		}
	}
	if names == nil {
		return "r.serial < 0"
	}
	return "r.repo IN (" + strings.Join(names, ", ") + ") AND r.serial > 0"
}

const statusSQL = `CASE
	WHEN r.state = 'running' THEN 'RUNNING'
	WHEN r.state = 'orphaned' THEN 'ORPHANED'
	WHEN r.reason = 'timeout' THEN 'TIMEOUT'
	WHEN r.reason = 'cancelled' THEN 'CANCELLED'
	WHEN ` + store.PassedSQL + ` THEN 'OK'
	ELSE 'FAIL' END`

func timeSQL(column string) string {
	return fmt.Sprintf("iif(%[1]s = 0, NULL, strftime('%%Y-%%m-%%dT%%H:%%M:%%fZ', %[1]s / 1000000.0, 'unixepoch'))",
		column)
}

// labelSQL returns an SQL expression for a fingerprint or pattern. The column holds the number of the fingerprint or
// pattern.
func labelSQL(column string) string {
	return strings.ReplaceAll(fingerprintText, "e.fingerprint", column)
}

const eventsFromSQL = "main.runs r JOIN main.events e ON e.run_id = r.id"

// relations returns the relations that statements may read. The names of their views end in a secret that nobody can
// guess. Without the secret, a statement could use the name of such a view for a table in a WITH clause. The authorizer
// could not see the difference, because SQLite gives it only the name.
var relations = sync.OnceValue(func() []relation {
	secret := strings.ToLower(rand.Text())
	return []relation{
		{
			name: "blq_load_events", inner: "e" + secret, from: eventsFromSQL,
			values: [][2]string{
				{"ref", "r.ref || ':' || e.id"},
				{"run_ref", "r.ref"},
				{"run_id", "r.serial"},
				{"event_id", "e.id"},
				{"source_name", "r.source"},
				{"severity", "e.severity"},
				{"ref_file", "nullif(e.file, '')"},
				{"ref_line", "nullif(e.line, 0)"},
				{"ref_column", "nullif(e.col, 0)"},
				{"message", "e.message"},
				{"tool_name", "nullif(e.tool, '')"},
				{"category", "nullif(e.category, '')"},
				{"code", "nullif(e.code, '')"},
				{"test_name", "nullif(e.test, '')"},
				{"fingerprint", labelSQL("e.fingerprint")},
				{"pattern", labelSQL("e.pattern")},
				{"log_line", "nullif(e.log_line, 0)"},
				{"log_line_end", "nullif(e.log_line_end, 0)"},
				{"started_at", timeSQL("r.started_at")},
				{"git_commit", "nullif(r.git_commit, '')"},
				{"git_branch", "nullif(r.git_branch, '')"},
				{"status", statusSQL},
				{"repo", "r.repo"},
			},
		},
		{
			name: "blq_load_runs", inner: "r" + secret, from: "main.runs r",
			values: [][2]string{
				{"run_id", "r.serial"},
				{"run_ref", "r.ref"},
				{"source_name", "r.source"},
				{"command", "r.command"},
				{"status", statusSQL},
				{"state", "r.state"},
				{"exit_code", "r.exit_code"},
				{"signal", "nullif(r.signal, '')"},
				{"started_at", timeSQL("r.started_at")},
				{"finished_at", timeSQL("r.finished_at")},
				{"duration_seconds", "iif(r.finished_at = 0, NULL, (r.finished_at - r.started_at) / 1000000.0)"},
				{"error_count", "r.errors"},
				{"warning_count", "r.warnings"},
				{"git_commit", "nullif(r.git_commit, '')"},
				{"git_branch", "nullif(r.git_branch, '')"},
				{"git_dirty", "r.git_dirty"},
				{"hostname", "nullif(r.hostname, '')"},
				{"platform", "nullif(r.platform, '')"},
				{"arch", "nullif(r.arch, '')"},
				{"cwd", "nullif(r.cwd, '')"},
				{"attempt_id", "r.attempt"},
				{"ci", "r.ci"},
				{"pr_number", "nullif(r.pr, 0)"},
				{"repo", "r.repo"},
			},
		},
		{
			name: "lq_events", inner: "l" + secret, from: eventsFromSQL,
			values: [][2]string{
				{"run_id", "r.serial"},
				{"event_id", "e.id"},
				{"ref", "r.ref || ':' || e.id"},
				{"severity", "e.severity"},
				{"file_path", "nullif(e.file, '')"},
				{"line_number", "nullif(e.line, 0)"},
				{"column_number", "nullif(e.col, 0)"},
				{"message", "e.message"},
				{"tool_name", "nullif(e.tool, '')"},
				{"category", "nullif(e.category, '')"},
				{"error_fingerprint", labelSQL("e.fingerprint")},
				{"log_line_start", "nullif(e.log_line, 0)"},
				{"log_line_end", "nullif(e.log_line_end, 0)"},
				{"source_name", "r.source"},
			},
		},
	}
})
