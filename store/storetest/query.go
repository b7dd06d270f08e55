package storetest

import (
	"fmt"
	"strings"
	"time"

	"github.com/blq-ci/blq/store"
)

var queryTests = map[string]func(f fixture){
	"the relations and their columns": func(f fixture) {
		f.sample()
		for relation, want := range map[string]string{
			"blq_load_events()": "ref run_ref run_id event_id source_name severity ref_file ref_line ref_column message " +
				"tool_name category code test_name fingerprint pattern log_line log_line_end started_at git_commit git_branch " +
				"status repo",
			"blq_load_runs()": "run_id run_ref source_name command status state exit_code signal started_at finished_at " +
				"duration_seconds error_count warning_count git_commit git_branch git_dirty hostname platform arch cwd " +
				"attempt_id ci pr_number repo",
			"lq_events": "run_id event_id ref severity file_path line_number column_number message tool_name category " +
				"error_fingerprint log_line_start log_line_end source_name",
		} {
			f.equal(strings.Join(f.query("SELECT * FROM "+relation).Columns, " "), want)
		}
		f.rows("SELECT ref, run_ref, run_id, event_id, source_name, severity, ref_file, ref_line, ref_column, message, "+
			"tool_name, category, code, fingerprint, log_line, log_line_end, started_at, git_branch, status, repo FROM "+
			"blq_load_events() ORDER BY event_id LIMIT 1",
			[]any{"build:1:1", "build:1", int64(1), int64(1), "build", "error", "src/main.c", int64(10), int64(5), "one",
				"gcc", "compile", nil,
				event(1, "one").Fingerprint, int64(101), int64(103), "2026-03-01T12:01:00.123Z", "main", "FAIL", ""})
		f.rows("SELECT run_id, run_ref, status, state, exit_code, signal, started_at, finished_at, duration_seconds, "+
			"error_count, warning_count, git_dirty, pr_number FROM blq_load_runs() ORDER BY run_id",
			[]any{int64(1), "build:1", "FAIL", "completed", int64(1), nil, "2026-03-01T12:01:00.123Z",
				"2026-03-01T12:01:30.123Z", 30.0, int64(2), int64(0), int64(0), int64(7)},
			[]any{int64(2), "test:2", "OK", "completed", int64(0), nil, "2026-03-01T12:02:00.123Z", "2026-03-01T12:02:30.123Z",
				30.0, int64(0), int64(0), int64(0), nil},
			[]any{int64(3), "test:3", "RUNNING", "running", nil, nil, "2026-03-01T12:03:00.123Z", nil, nil, int64(0),
				int64(0), int64(0), nil})
		f.rows("SELECT ref, file_path, line_number, error_fingerprint, log_line_start FROM lq_events WHERE event_id = 2",
			[]any{"build:1:2", "src/main.c", int64(20), event(2, "two").Fingerprint, int64(102)})
	},
	"analytic SQL works": func(f fixture) {
		f.sample()
		for _, test := range []struct{ q, want string }{
			{"SELECT count(*) FROM blq_load_events()", "2"},
			{"SELECT count(*) FROM blq_load_runs", "3"},
			{"select COUNT(1) from BLQ_LOAD_RUNS ( /* all */ ) AS r where r.status = 'OK'", "1"},
			{"SELECT e.message FROM blq_load_events() e JOIN blq_load_runs() r ON e.run_ref = r.run_ref WHERE r.status = " +
				"'FAIL' ORDER BY length(e.message) DESC, 1 DESC LIMIT 1", "two"},
			{"SELECT count(e.ref) FROM blq_load_runs() r LEFT JOIN blq_load_events() e USING (run_id)", "2"},
			{"SELECT max(n) FROM (SELECT row_number() OVER (PARTITION BY severity ORDER BY event_id) AS n FROM lq_events)", "2"},
			{"WITH e AS (SELECT * FROM blq_load_events()) SELECT count(*) FROM e", "2"},
			{"WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 5) SELECT count(*) FROM c", "5"},
			{"SELECT group_concat(message, '; ') FROM (SELECT message FROM lq_events ORDER BY event_id)", "one; two"},
			{"SELECT ci ->> '$.workflow' FROM blq_load_runs() WHERE json_extract(ci, '$.pr_number') = 7", "CI"},
			{"SELECT value FROM blq_load_runs() r, json_each(r.ci) WHERE key = 'workflow'", "CI"},
			{"SELECT CASE WHEN message LIKE 'O%' AND message GLOB 'o*' THEN 'y' ELSE 'n' END FROM lq_events WHERE event_id = 1",
				"y"},
			{"SELECT date(started_at) FROM blq_load_runs() WHERE run_id = 1", "2026-03-01"},
			{"SELECT severity FROM blq_load_events() UNION SELECT 'zzz' ORDER BY 1 DESC LIMIT 1", "zzz"},
			{"SELECT 'blq_load_runs()' -- blq_load_runs()", "blq_load_runs()"},
			{"VALUES ('x');", "x"},
			{`SELECT "message" FROM [blq_load_events] WHERE ` + "`event_id` = 2", "two"},
			{"SELECT EXISTS (SELECT 1 FROM blq_load_events() WHERE ref = 'build:1:2')", "1"},
		} {
			if got := f.query(test.q); len(got.Rows) != 1 || fmt.Sprint(got.Rows[0][0]) != test.want {
				f.Errorf("%s: got %v, want %s", test.q, got.Rows, test.want)
			}
		}
	},
	"an empty answer has columns and no rows": func(f fixture) {
		f.equal(f.query("SELECT ref FROM blq_load_events()"), store.Table{Columns: []string{"ref"}, Rows: [][]any{}})
	},
	"all else is refused": func(f fixture) {
		f.sample()
		for _, q := range []string{
			"", "  -- nothing", "SELEC 1", "SELECT", "SELECT 1; SELECT 2", "SELECT 'open", "SELECT ?", "SELECT :a",
			"SELECT none FROM blq_load_runs()",
			"SELECT * FROM runs", "SELECT * FROM events", "SELECT count(*) FROM events", "SELECT 1 FROM main.runs",
			"SELECT count(*) FROM goose_db_version",
			"SELECT * FROM sqlite_master", "SELECT count(*) FROM sqlite_schema", "SELECT count(*) FROM sqlite_temp_master",
			"SELECT * FROM pg_class",
			"PRAGMA user_version", "PRAGMA table_info(runs)", "SELECT * FROM pragma_table_info('runs')",
			"SELECT count(*) FROM pragma_database_list",
			"ATTACH ':memory:' AS x", "DETACH main", "VACUUM", "VACUUM INTO '/tmp/x'", "REINDEX", "ANALYZE", "EXPLAIN SELECT 1",
			"EXPLAIN QUERY PLAN SELECT * FROM lq_events",
			"INSERT INTO runs (id) VALUES (1)", "DELETE FROM events", "UPDATE runs SET state = 'x'", "DROP TABLE runs",
			"DROP VIEW lq_events",
			"CREATE TABLE x (y)", "CREATE TEMP TABLE x (y)", "CREATE TEMP VIEW x AS SELECT 1", "BEGIN", "COMMIT", "SAVEPOINT a",
			"WITH x AS (SELECT 1) DELETE FROM events", "WITH x AS (SELECT 1) INSERT INTO lq_events SELECT 1",
			"SELECT load_extension('x')", "SELECT readfile('/etc/passwd')", "SELECT writefile('x', 'y')",
			"SELECT randomblob(1000000000)", "SELECT zeroblob(1000000000)",
			"SELECT sqlite_version()", "SELECT * FROM dbstat", "SELECT count(*) FROM blq_load_runs(1)", "SELECT * FROM 'runs'",
			`SELECT * FROM "events"`,
			"WITH blq_load_events AS (SELECT * FROM events) SELECT * FROM blq_load_events",
			"WITH lq_events AS (SELECT * FROM main.events) SELECT * FROM lq_events",
			"SELECT (SELECT count(*) FROM runs) FROM blq_load_runs()",
			"SELECT " + strings.Repeat("~", 2000) + "1",
			"SELECT 1" + strings.Repeat(" UNION ALL SELECT 1", 1000),
		} {
			_, err := f.s.Query(f.Context(), everything, store.Query{SQL: q})
			if err == nil || store.CodeOf(err) != store.Invalid {
				f.Errorf("%.80s: got error %v (code %q)", q, err, store.CodeOf(err))
			}
		}
		f.equal(len(f.runs(everything, store.RunFilter{})), 3)
	},
	"errors say what there is": func(f fixture) {
		for q, words := range map[string][]string{
			"SELECT file FROM blq_load_events()": {"no such column: file", "ref_file"},
			"SELECT * FROM failures":             {"failures", "blq_load_events()", "blq_load_runs()", "lq_events"},
			"SELECT * FORM lq_events":            {"syntax error"},
			"DELETE FROM runs":                   {"SELECT"},
		} {
			_, err := f.s.Query(f.Context(), everything, store.Query{SQL: q})
			if err == nil {
				f.Fatalf("%s: no error", q)
			}
			all := fmt.Sprint(err, " ", store.NextOf(err))
			for _, w := range words {
				if !strings.Contains(all, w) {
					f.Errorf("%s: %q does not name %s", q, all, w)
				}
			}
		}
	},
	"only the scope's rows are there": func(f fixture) {
		f.fail("o/secret", "build", "hidden")
		f.fail("o/mine", "build", "shown")
		f.fail("o'x", "build", "quoted")
		for _, test := range []struct {
			sc   store.Scope
			want string
		}{
			{store.Repos("o/mine"), "shown"}, {store.Repos("o'x"), "quoted"}, {store.Repos(), ""}, {store.Scope{}, ""},
			{store.Repos("o/mine', 'o/secret"), ""}, {store.Repos("o/mine", "o/secret"), "hidden,shown"},
		} {
			for _, q := range []string{
				"SELECT coalesce(group_concat(message), '') FROM (SELECT message FROM blq_load_events() ORDER BY message)",
				"SELECT coalesce(group_concat(message), '') FROM (SELECT message FROM lq_events ORDER BY message)",
				"SELECT coalesce(group_concat(message), '') FROM (SELECT message FROM blq_load_events() WHERE repo <> '' OR 1 " +
					"ORDER BY message)",
			} {
				got, err := f.s.Query(f.Context(), test.sc, store.Query{SQL: q})
				f.ok(err)
				f.equal(got.Rows, [][]any{{test.want}})
			}
			got, err := f.s.Query(f.Context(), test.sc, store.Query{SQL: "SELECT count(*) FROM blq_load_runs()"})
			f.ok(err)
			n := int64(0)
			if test.want != "" {
				n = int64(strings.Count(test.want, ",") + 1)
			}
			f.equal(got.Rows, [][]any{{n}})
		}
	},
	"rows and bytes are bounded": func(f fixture) {
		const count = "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 10) SELECT " +
			"printf('%10d', n) FROM c"
		for _, test := range []struct {
			q         store.Query
			rows      int
			truncated bool
		}{
			{store.Query{MaxRows: 10, MaxBytes: 100}, 10, false},
			{store.Query{MaxRows: 9}, 9, true},
			{store.Query{MaxBytes: 99}, 9, true},
			{store.Query{MaxBytes: 5}, 0, true},
			{store.Query{}, 10, false},
		} {
			test.q.SQL = count
			got, err := f.s.Query(f.Context(), everything, test.q)
			f.ok(err)
			f.equal([]any{len(got.Rows), got.Truncated}, []any{test.rows, test.truncated})
		}
		got, err := f.s.Query(f.Context(), everything,
			store.Query{SQL: "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT n FROM c", MaxRows: 3})
		f.ok(err)
		f.equal([]any{len(got.Rows), got.Truncated}, []any{3, true})
	},
	"a statement that does not end is stopped": func(f fixture) {
		for _, q := range []string{
			"WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT max(n) FROM c",
			"WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT n FROM c WHERE n < 0 OR n = 1",
		} {
			_, err := f.s.Query(f.Context(), everything, store.Query{SQL: q, Timeout: 50 * time.Millisecond})
			f.refused(err, store.TooLarge, "50ms")
		}
	},
	"a value may not be huge": func(f fixture) {
		_, err := f.s.Query(f.Context(), everything,
			store.Query{SQL: "SELECT replace(printf('%1000000d', 1), ' ', printf('%100000d', 1))", Timeout: time.Minute})
		f.refused(err, store.TooLarge)
	},
}

// sample records a failed build, a passed test and a running test.
func (f fixture) sample() {
	f.Helper()
	r := f.start("", "build", func(r *store.Run) {
		r.Git.Branch = "main"
		r.CI = &store.CI{Provider: "github", Workflow: "CI", PR: 7}
	})
	f.events(r, "one", "two")
	f.finish(r, 1)
	f.finish(f.start("", "test"), 0)
	f.start("", "test")
}

func (f fixture) query(q string) store.Table {
	f.Helper()
	t, err := f.s.Query(f.Context(), everything, store.Query{SQL: q})
	if err != nil {
		f.Fatalf("%s: %v", q, err)
	}
	return t
}

func (f fixture) rows(q string, want ...[]any) {
	f.Helper()
	f.equal(f.query(q).Rows, want)
}
