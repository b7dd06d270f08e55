package sqlite_test

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/sqlite"
)

// After the migrations, runs that were stored with the first schema are found by the leg of their matrix.
func TestRunsOfTheFirstSchemaGetTheirLegs(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "blq.db")
	first, err := os.ReadFile("migrations/00001_runs.sql")
	if err != nil {
		t.Fatal(err)
	}
	execute(t, path, string(first))
	execute(t, path, `
		CREATE TABLE goose_db_version (
			id INTEGER PRIMARY KEY AUTOINCREMENT,
			version_id INTEGER NOT NULL,
			is_applied INTEGER NOT NULL,
			tstamp TIMESTAMP DEFAULT (datetime('now'))
		);
		INSERT INTO goose_db_version (version_id, is_applied) VALUES (0, 1), (1, 1);
		INSERT INTO repos VALUES ('', 9);
		INSERT INTO sources VALUES (1, '', 'build')`)
	matrices := []string{"", "{ \"os\": \"linux\",\n\"n\": [1.50, true], \"ok\": false, \"none\": null, \"v\": 2 }",
		"{}", " windows ", "[1]", "5"}
	for i, m := range matrices {
		r := store.Run{CI: &store.CI{Matrix: m}}
		matrices[i] = r.Leg()
		insertOld(t, path, i+1, m)
	}
	s, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for i, leg := range matrices {
		runs, err := s.Runs(t.Context(), store.Everything(), store.RunFilter{Leg: &leg, Serials: []int{i + 1}})
		if err != nil || len(runs) != 1 {
			t.Errorf("leg %q: %d runs, %v", leg, len(runs), err)
		}
	}
	want := `{"n":[1.50,true],"none":null,"ok":false,"os":"linux","v":2}`
	if diff := cmp.Diff(want, matrices[1]); diff != "" {
		t.Error(diff)
	}
}

func insertOld(t *testing.T, path string, n int, matrix string) {
	t.Helper()
	executeWith(t, path, `
		INSERT INTO runs (
			attempt, repo, serial, source_id, source, command, cwd, started_at, hostname, platform, arch,
			git_commit, git_branch, git_dirty, git_root, ci, pr, format, state, heartbeat_at
		) VALUES (?1, '', ?1, 1, 'build', '', '', 0, '', '', '',
			'', '', 0, '', json_object('matrix', ?2), 0, '', 'completed', 0)`, n, matrix)
}

// A run from an older program has no stored step. Its step comes from its command, even if the older program adds the
// run after the migration.
func TestRunsOfAnOlderProgramGetTheirSteps(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "blq.db")
	s, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	for i, command := range []string{"make lint", "make test", "make lint -j8", "make lint"} {
		if _, err := s.StartRun(
			t.Context(), store.Run{Attempt: strconv.Itoa(i), Source: "make", Command: command}); err != nil {
			t.Fatal(err)
		}
	}
	newest := func(s *sqlite.Store) (refs []string) {
		runs, err := s.Runs(t.Context(), store.Everything(), store.RunFilter{Newest: true})
		if err != nil {
			t.Fatal(err)
		}
		onBranches, err := s.Runs(t.Context(), store.Everything(),
			store.RunFilter{Newest: true, Branches: []string{"main", ""}})
		if diff := cmp.Diff(runs, onBranches); err != nil || diff != "" {
			t.Errorf("on each branch: %v\n%s", err, diff)
		}
		for _, r := range runs {
			refs = append(refs, r.Ref().String())
		}
		return refs
	}
	last, err := s.Run(t.Context(), store.Everything(), store.Ref{Serial: 4})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"make:4", "make:2"}
	for _, old := range []string{
		`UPDATE runs SET shape = '', step = '' WHERE serial = 4`,
		`UPDATE runs SET shape = '', step = ''`,
	} {
		execute(t, path, old)
		if diff := cmp.Diff(want, newest(s)); diff != "" {
			t.Errorf("%s:\n%s", old, diff)
		}
		if r, err := s.Run(t.Context(), store.Everything(), store.Ref{Serial: 4}); err != nil || r.Shape != last.Shape {
			t.Errorf("%s: shape %q, %v; want %q", old, r.Shape, err, last.Shape)
		}
	}
	s.Close()
	execute(t, path, `
		DELETE FROM goose_db_version WHERE version_id >= 8;
		DROP INDEX runs_step; DROP INDEX runs_step_branch;`+undoUsage)
	if s, err = sqlite.Open(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	execute(t, path, `UPDATE runs SET command = 'other'`) // the stored step counts
	if diff := cmp.Diff(want, newest(s)); diff != "" {
		t.Error(diff)
	}
}

// An older version stored runs of a fork under the branch name alone. After the migration, they are not runs of the
// repository's own branch with this name.
func TestRunsOfForksGetTheirBranch(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "blq.db")
	s, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	for i, ci := range []*store.CI{nil, {PR: 9}, {PR: 9, Fork: true}, {Fork: true}} {
		r := store.Run{Attempt: strconv.Itoa(i), Source: "make", CI: ci, Git: store.Git{Branch: "main"}}
		if _, err := s.StartRun(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	s.Close()
	step, err := os.ReadFile("migrations/00016_fork_branch.sql")
	if err != nil {
		t.Fatal(err)
	}
	execute(t, path, `UPDATE runs SET git_branch = 'main';`+string(step))
	if s, err = sqlite.Open(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for branch, want := range map[string]int{"main": 2, "pull/9:main": 1, "fork:main": 1} {
		if runs, err := s.Runs(t.Context(), store.Everything(), store.RunFilter{Branch: branch}); err != nil ||
			len(runs) != want {
			t.Errorf("%s: %d runs, %v; want %d", branch, len(runs), err, want)
		}
	}
}
