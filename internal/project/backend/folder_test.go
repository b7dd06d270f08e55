package backend_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/blq-ci/blq/internal/cmdline"
	"github.com/blq-ci/blq/internal/project"
	"github.com/blq-ci/blq/internal/runner"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

// refs returns the serials of the runs in the history, newest first.
func refs(t *testing.T, a *query.Asker) []string {
	t.Helper()
	h, err := a.History(t.Context(), query.HistoryParams{})
	check(t, err)
	list := []string{}
	for _, r := range h.Runs {
		list = append(list, fmt.Sprint(r.RunID))
	}
	return list
}

func TestFolderThatOthersReplace(t *testing.T) {
	t.Parallel()
	for name, replace := range map[string]func(dir string) error{
		"deleted":  os.RemoveAll,
		"database": func(dir string) error { return os.Remove(filepath.Join(dir, "blq.db")) },
		"reset": func(dir string) error {
			_, err := project.Reset(t.Context(), dir, project.CleanSchema)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			b, dir := newBackend(t)
			a := asker(t, b)
			exec(t, b, "true")
			exec(t, b, "true")
			check(t, replace(filepath.Join(dir, ".lq")))
			if got := refs(t, a); len(got) != 0 {
				t.Errorf("runs of before: %v", got)
			}
			if r := exec(t, b, "true"); r.RunRef != "true:1" || r.Warning != "" {
				t.Errorf("the first run of the new one is %s, warning %q", r.RunRef, r.Warning)
			}
			if got := refs(t, a); len(got) != 1 {
				t.Errorf("runs %v, want the new one", got)
			}
		})
	}
}

func TestWhatOthersDoIsSeen(t *testing.T) {
	t.Parallel()
	b, dir := newBackend(t)
	exec(t, b, "true")
	other := backendOf(t, dir)
	register(t, other, runner.Command{Name: "build", Cmd: "echo"})
	exec(t, other, "false")
	if got := refs(t, asker(t, b)); len(got) != 2 {
		t.Errorf("runs %v, want both", got)
	}
	if r := exec(t, b, "echo x"); r.RunRef != "build:3" {
		t.Errorf("ran as %s, want as the command that was registered meanwhile", r.RunRef)
	}
}

func TestFolderThatCannotBeWrittenAnswers(t *testing.T) {
	t.Parallel()
	b, dir := newBackend(t)
	exec(t, b, "true")
	check(t, b.Close())
	check(t, os.Chmod(filepath.Join(dir, ".lq", "blq.db"), 0o444))
	check(t, os.Chmod(filepath.Join(dir, ".lq"), 0o555))
	t.Cleanup(func() { check(t, os.Chmod(filepath.Join(dir, ".lq"), 0o755)) })
	again := backendOf(t, dir)
	if got := refs(t, asker(t, again)); len(got) != 1 {
		t.Errorf("runs %v, want the one", got)
	}
	if os.Getuid() == 0 {
		return // root can write everywhere
	}
	if r := exec(t, again, "true"); r.RunRef != "" || r.Warning == "" || r.Status != store.StatusOK {
		t.Errorf("answer %+v", r)
	}
}

func TestClean(t *testing.T) {
	t.Parallel()
	for mode, want := range map[string]struct {
		message  string
		commands int
		next     string
	}{
		"data":   {"Cleared all run data. Config and commands preserved.", 1, "true:2"},
		"schema": {"Recreated the database. Config and commands preserved.", 1, "true:1"},
		"full":   {"Recreated the .lq folder.", 0, "true:1"},
	} {
		t.Run(mode, func(t *testing.T) {
			b, _ := newBackend(t)
			register(t, b, runner.Command{Name: "build", Cmd: "echo"})
			exec(t, b, "true")
			done, err := b.Clean(t.Context(), mode, 0, "")
			check(t, err)
			if !done.Success || done.Message != want.message || done.Mode != mode {
				t.Errorf("answer %+v", done)
			}
			if mode == "data" && (done.Removed == nil || done.Removed.Invocations != 1) {
				t.Errorf("removed %+v, want one run", done.Removed)
			}
			list, err := b.List(t.Context())
			check(t, err)
			if r := exec(t, b, "true"); r.RunRef != want.next || len(list) != want.commands {
				t.Errorf("next run %s, want %s; commands %v, want %d", r.RunRef, want.next, list, want.commands)
			}
		})
	}
	b, _ := newBackend(t)
	exec(t, b, "true")
	_, err := b.Clean(t.Context(), "prune", 0, "")
	wantCode(t, err, store.Invalid, "pruning needs an age")
	_, err = b.Clean(t.Context(), "all", 0, "")
	wantCode(t, err, store.Invalid, `no clean mode "all"`)
}

func TestQuestionsInFlightSurviveACleaning(t *testing.T) {
	t.Parallel()
	b, _ := newBackend(t)
	a := asker(t, b)
	exec(t, b, `echo "a.c:1:1: error: no"; exit 1`)
	done := make(chan struct{})
	var wg sync.WaitGroup
	stop := sync.OnceFunc(func() { close(done); wg.Wait() })
	defer stop()
	for range 4 {
		wg.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				if _, err := a.Events(t.Context(), query.EventsParams{}); err != nil {
					t.Error(err)
				}
				if _, err := a.Result(t.Context(), "latest", 0); err != nil && store.CodeOf(err) != store.NotFound {
					t.Error(err)
				}
			}
		})
	}
	for _, mode := range []string{"schema", "full", "data", "schema"} {
		_, err := b.Clean(t.Context(), mode, 0, "")
		check(t, err)
		exec(t, b, "true")
	}
	stop()
	if got := refs(t, a); len(got) != 1 {
		t.Errorf("runs %v, want the one since", got)
	}
}

func TestDamagedDatabase(t *testing.T) {
	t.Parallel()
	b, dir := newBackend(t)
	check(t, os.Mkdir(filepath.Join(dir, ".lq"), 0o755))
	check(t, os.WriteFile(filepath.Join(dir, ".lq", "blq.db"), []byte(strings.Repeat("garbage", 1000)), 0o644))
	_, err := asker(t, b).Status(t.Context(), query.StatusParams{})
	wantCode(t, err, store.Invalid, "is not a database")
	aside, _ := store.NextOf(err).(store.Shell)
	if !strings.HasPrefix(aside.Line, "mv ") || aside.Or == nil || cmdline.Words(*aside.Or) != "blq clean schema --yes" {
		t.Errorf("next step %+v, want to move it away, or to make it anew", aside)
	}
	if r := exec(t, b, "exit 3"); *r.ExitCode != 3 || r.Warning == "" {
		t.Errorf("answer %+v", r)
	}
	_, err = b.Clean(t.Context(), "schema", 0, "")
	check(t, err)
	if r := exec(t, b, "true"); r.RunRef != "true:1" {
		t.Errorf("the next run is %q", r.RunRef)
	}
}

func TestFolderThatTheCommandRemoves(t *testing.T) {
	t.Parallel()
	b, dir := newBackend(t)
	exec(t, b, "true")
	r := exec(t, b, "rm -r .lq; echo a.c:1:1: error: no; exit 2")
	if r.Status != store.StatusFail || *r.ExitCode != 2 || r.Warning == "" {
		t.Errorf("answer %+v, want its end and a warning", r)
	}
	if _, err := os.Stat(filepath.Join(dir, ".lq")); err == nil {
		t.Error("the folder is back before anything is recorded")
	}
	if r := exec(t, b, "true"); r.RunRef != "true:1" || r.Warning != "" {
		t.Errorf("the next run is %s, warning %q", r.RunRef, r.Warning)
	}
}
