package postgres_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/internal/cmdline"
	"github.com/blq-ci/blq/internal/pgtest"
	"github.com/blq-ci/blq/store"
)

func TestReplicasMigrateAtOnce(t *testing.T) {
	t.Parallel()
	url := pgtest.New(t)
	atOnce(5, func(int) {
		s := open(t, url)
		if err := s.Migrate(t.Context()); err != nil {
			t.Error(err)
		}
		if err := s.Ready(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

func TestNotReadyBeforeMigration(t *testing.T) {
	t.Parallel()
	s := open(t, pgtest.New(t))
	if err := s.Ready(t.Context()); store.CodeOf(err) != store.Unavailable ||
		!strings.Contains(cmdline.Of(store.NextOf(err)), "blqd migrate") {
		t.Errorf("ready: %v, hint %q", err, cmdline.Of(store.NextOf(err)))
	}
	_, err := s.StartRun(t.Context(), run("o/n", "a"))
	if store.CodeOf(err) != store.Unavailable || !strings.Contains(cmdline.Of(store.NextOf(err)), "blqd migrate") {
		t.Errorf("start: %v, hint %q", err, cmdline.Of(store.NextOf(err)))
	}
}

func TestANewerSchemaIsLeftAlone(t *testing.T) {
	t.Parallel()
	url := database(t)
	s := open(t, url)
	execute(t, url, `INSERT INTO goose_db_version (version_id, is_applied) VALUES (9999, true)`)
	err := s.Migrate(t.Context())
	if store.CodeOf(err) != store.Invalid || !strings.Contains(err.Error(), "9999") ||
		!strings.Contains(cmdline.Of(store.NextOf(err)), "update blqd: run the newer blqd") {
		t.Errorf("%v, hint %q", err, cmdline.Of(store.NextOf(err)))
	}
	if err := s.Ready(t.Context()); err != nil {
		t.Errorf("a replica that is to be replaced: %v", err)
	}
}

func TestADatabaseThatCannotBeWrittenIsNotReady(t *testing.T) {
	t.Parallel()
	url := database(t)
	var name string
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	if err := conn.QueryRow(t.Context(), `SELECT current_database()`).Scan(&name); err != nil {
		t.Fatal(err)
	}
	execute(t, url, `ALTER DATABASE `+name+` SET default_transaction_read_only = on`)
	s := open(t, url)
	if err := s.Ready(t.Context()); store.CodeOf(err) != store.Unavailable {
		t.Errorf("ready: %v", err)
	}
	if _, err := s.StartRun(t.Context(), run("o/n", "a")); store.CodeOf(err) != store.Unavailable ||
		store.NextOf(err) == nil {
		t.Errorf("start: %v", err)
	}
}

func TestOtherEncodingsAreRefused(t *testing.T) {
	t.Parallel()
	s := open(t, pgtest.New(t, "ENCODING 'SQL_ASCII' LC_COLLATE 'C' LC_CTYPE 'C'"))
	if err := s.Migrate(t.Context()); store.CodeOf(err) != store.Invalid || !strings.Contains(err.Error(), "SQL_ASCII") ||
		store.NextOf(err) == nil {
		t.Errorf("%v, hint %q", err, cmdline.Of(store.NextOf(err)))
	}
}

func execute(t *testing.T, url, q string) {
	t.Helper()
	conn, err := pgx.Connect(context.Background(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	if _, err := conn.Exec(context.Background(), q); err != nil {
		t.Fatal(err)
	}
}

// An older program stores runs without a step. The command of such a run gives its step, before and after a migration.
func TestRunsOfAnOlderProgramGetTheirSteps(t *testing.T) {
	t.Parallel()
	url := database(t)
	s := open(t, url)
	for i, command := range []string{"make lint", "make test", "make lint -j8", "make lint"} {
		r := run("o/n", "01999999-0000-7000-8000-00000000000"+string(rune('1'+i)))
		r.Source, r.Command = "make", command
		if _, err := s.StartRun(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	newest := func() (refs string) {
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
			refs += " " + r.Ref().String()
		}
		return refs
	}
	const want = " o/n@make:4 o/n@make:2"
	for _, old := range []string{
		`UPDATE runs SET shape = '', step = '' WHERE serial = 4`,
		`UPDATE runs SET shape = '', step = ''`,
	} {
		execute(t, url, old)
		if got := newest(); got != want {
			t.Errorf("%s: newest are%s, want%s", old, got, want)
		}
	}
	execute(t, url, `
		DELETE FROM goose_db_version WHERE version_id >= 7;
		DROP INDEX runs_step; DROP INDEX runs_step_branch;`+undoUsage)
	if err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	execute(t, url, `UPDATE runs SET command = 'other'`) // the stored step counts
	if got := newest(); got != want {
		t.Errorf("newest are%s, want%s", got, want)
	}
}

// An older program stored runs of forks under the name of the repository's own branch. A migration renames the branches
// of these runs.
func TestRunsOfForksGetTheirBranch(t *testing.T) {
	t.Parallel()
	url := database(t)
	s := open(t, url)
	for i, ci := range []*store.CI{nil, {PR: 9}, {PR: 9, Fork: true}, {Fork: true}} {
		r := run("o/n", fmt.Sprint("attempt-", i))
		r.CI, r.Git.Branch = ci, "main"
		if _, err := s.StartRun(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	step, err := os.ReadFile("migrations/00016_fork_branch.sql")
	if err != nil {
		t.Fatal(err)
	}
	execute(t, url, `UPDATE runs SET git_branch = 'main';`+string(step))
	for branch, want := range map[string]int{"main": 2, "pull/9:main": 1, "fork:main": 1} {
		if runs, err := s.Runs(t.Context(), store.Everything(), store.RunFilter{Branch: branch}); err != nil ||
			len(runs) != want {
			t.Errorf("%s: %d runs, %v; want %d", branch, len(runs), err, want)
		}
	}
}
