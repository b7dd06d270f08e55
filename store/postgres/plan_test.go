package postgres

import (
	"strings"
	"testing"

	"github.com/blq-ci/blq/internal/pgtest"
	"github.com/blq-ci/blq/store"
)

// PostgreSQL uses the index runs_job to find the runs of a job in a repository with many runs.
func TestRunsOfAJobAreFoundByTheirIndex(t *testing.T) {
	t.Parallel()
	s, err := Open(t.Context(), pgtest.New(t), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, q := range []string{
		`INSERT INTO repos (name, last_serial) VALUES ('o/a', 5000)`,
		`INSERT INTO sources (repo, name) VALUES ('o/a', 'build')`,
		`INSERT INTO runs (
			attempt, repo, serial, source_id, source, command, cwd, hostname, platform, arch,
			git_commit, git_branch, git_dirty, git_root, ci, fork, pr, leg, format, state
		)
		SELECT
			'attempt-' || i, 'o/a', i, 1, 'build', '', '', '', '', '',
			'', '', false, '', '{"provider":"github","check_run_id":"' || i || '","run_id":"' || i / 5 || '","run_attempt":1}', false, 0, 0, '', 'running'
		FROM generate_series(1, 5000) i`,
		`ANALYZE`,
	} {
		if _, err := s.pool.Exec(t.Context(), q); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range []store.RunFilter{
		{Repo: "o/a", Job: store.CIJob{RunID: "57", RunAttempt: 1, CheckRunID: "286"}, State: store.StateRunning},
		{Repo: "o/a", Job: store.CIJob{RunID: "57"}, Limit: 1},
		{Job: store.CIJob{RunID: "57"}},
	} {
		q, err := selectRuns(t.Context(), s.pool, store.Repos("o/a"), f)
		if err != nil {
			t.Fatal(err)
		}
		text, args := q.sql("r.id")
		steps, err := query(t.Context(), s.pool, store.ScanOne[string], "EXPLAIN "+text, args...)
		if plan := strings.Join(steps, "\n"); err != nil || !strings.Contains(plan, "runs_job") {
			t.Errorf("%+v: %v\n%s", f, err, plan)
		}
	}
}
