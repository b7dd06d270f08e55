package sqlite_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/blq-ci/blq/store"
)

func TestQuerySmoke(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "blq.db"))
	r, err := s.StartRun(t.Context(), store.Run{Attempt: "a", Source: "build", StartedAt: time.Unix(1e9, 0)})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.AddEvents(t.Context(), "a", 0, []store.Event{{ID: 1, Severity: "error", Message: "m", File: "a.c"}, {ID: 2, Severity: "warning", Message: "n"}}); err != nil {
		t.Fatal(err)
	}
	t.Log(r)
	for _, q := range []string{
		"SELECT * FROM blq_load_events()", "SELECT * FROM blq_load_runs()", "SELECT count(*) FROM lq_events", "SELECT count(*) FROM blq_load_runs()",
		"WITH blq_load_events AS (SELECT * FROM events) SELECT * FROM blq_load_events",
		"WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM c WHERE n < 5) SELECT * FROM c",
		"WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM c WHERE n < 5) SELECT count(*) FROM c",
		"SELECT file FROM lq_events", "SELECT * FROM events", "SELECT count(*) FROM main.events", "SELECT * FROM sqlite_master", "PRAGMA user_version", "SELECT count(*) FROM pragma_table_info('events')",
		"ATTACH 'x' AS y", "SELECT load_extension('x')", "SELECT zeroblob(100)", "DELETE FROM events", "SELECT 1; SELECT 2", "SELECT 'a;b' /* ; */ -- x",
		"WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM c) SELECT max(n) FROM c", "SELEC 1", "EXPLAIN SELECT 1", "SELECT ?", "SELECT value FROM json_each('[1,2]')",
		"SELECT * FROM blq_load_events() e JOIN blq_load_runs() r ON r.run_ref = e.run_ref LEFT JOIN lq_events l USING (ref)",
	} {
		tab, err := s.Query(t.Context(), store.Everything(), store.Query{SQL: q, Timeout: 100 * time.Millisecond})
		t.Log(q, "\n   ", tab.Columns, tab.Rows, "\n   ", err, "| hint:", store.HintOf(err))
	}
}
