package backend_test

import (
	"context"
	"encoding/json"
	"os"
	osexec "os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/internal/cmdline"
	"github.com/blq-ci/blq/internal/project/backend"
	"github.com/blq-ci/blq/internal/runner"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

// patience is longer than any command in these tests takes.
const patience = time.Minute

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// noEnv is an environment without variables.
func noEnv(string) string { return "" }

// newBackend returns the backend of an empty directory, and the directory.
func newBackend(t *testing.T) (*backend.Backend, string) {
	t.Helper()
	dir := t.TempDir()
	return backendOf(t, dir), dir
}

func backendOf(t *testing.T, dir string) *backend.Backend {
	t.Helper()
	b := backend.New(noEnv, dir)
	t.Cleanup(func() { check(t, b.Close()) })
	return b
}

func asker(t *testing.T, b *backend.Backend) *query.Asker {
	t.Helper()
	a, err := b.Ask(t.Context())
	check(t, err)
	return a
}

// exec runs a shell command and returns its result.
func exec(t *testing.T, b *backend.Backend, script string, args ...string) runner.Ran {
	t.Helper()
	r, err := b.Run(t.Context(), runner.Request{Exec: script, Extra: args}, patience)
	check(t, err)
	return r
}

func register(t *testing.T, b *backend.Backend, c runner.Command) {
	t.Helper()
	c.Capture = true
	_, err := b.Register(t.Context(), c, false)
	check(t, err)
}

func wantCode(t *testing.T, err error, code store.Code, text string) {
	t.Helper()
	if store.CodeOf(err) != code || err == nil || !strings.Contains(err.Error(), text) {
		t.Errorf("error %v with code %q, want %q with %q", err, store.CodeOf(err), code, text)
	}
}

func TestNothingIsMadeByAsking(t *testing.T) {
	t.Parallel()
	b, dir := newBackend(t)
	a := asker(t, b)
	status, err := a.Status(t.Context(), query.StatusParams{})
	check(t, err)
	events, err := a.Events(t.Context(), query.EventsParams{})
	check(t, err)
	if len(status.Sources) != 0 || events.Total != 0 {
		t.Errorf("of nothing there is %v, %v", status, events)
	}
	_, err = a.Result(t.Context(), "latest", 0)
	wantCode(t, err, store.NotFound, "nothing has been recorded")
	list, err := b.List(t.Context())
	check(t, err)
	wantCode(t, b.Unregister(t.Context(), "build"), store.NotFound, "'build' is not a registered command")
	_, err = b.Clean(t.Context(), "data", 0, "")
	wantCode(t, err, store.NotFound, "nothing has been recorded")
	_, err = b.Run(t.Context(), runner.Request{Name: "build"}, patience)
	wantCode(t, err, store.NotFound, "'build' is not a registered command")
	files, err := os.ReadDir(dir)
	check(t, err)
	if len(list) != 0 || len(files) != 0 {
		t.Errorf("commands %v, files %v, want none", list, files)
	}
}

func TestRunIsRecordedAndAnswered(t *testing.T) {
	t.Parallel()
	b, dir := newBackend(t)
	a := asker(t, b) // asks before anything is recorded
	r := exec(t, b, `echo "a.c:3:1: error: no"; pwd; exit 2`)
	if r.RunRef != "echo:1" || r.Status != store.StatusFail || *r.ExitCode != 2 || len(r.Errors) != 1 || r.Warning != "" {
		t.Errorf("answer %+v", r)
	}
	if here, err := filepath.EvalSymlinks(dir); err != nil || len(r.Tail) != 2 || r.Tail[1] != here {
		t.Errorf("tail %q, want the end in %s", r.Tail, dir)
	}
	events, err := a.Events(t.Context(), query.EventsParams{})
	check(t, err)
	if events.Total != 1 {
		t.Errorf("an asker from before finds %d events, want 1", events.Total)
	}
}

func TestRegisteredCommand(t *testing.T) {
	t.Parallel()
	b, dir := newBackend(t)
	register(t, b, runner.Command{Name: "test", Cmd: "echo run"})
	check(t, os.Mkdir(filepath.Join(dir, "sub"), 0o755))
	sub := backendOf(t, filepath.Join(dir, "sub"))
	r, err := sub.Run(t.Context(), runner.Request{Name: "test", Extra: []string{"$HOME; pwd"}}, patience)
	check(t, err)
	if r.RunRef != "test:1" || r.Cmd != `echo run '$HOME; pwd'` {
		t.Errorf("answer %+v", r)
	}
	_, err = sub.Run(t.Context(), runner.Request{Name: "tset"}, patience)
	wantCode(t, err, store.NotFound, "'tset' is not a registered command")
	if hint := cmdline.Of(store.NextOf(err)); !strings.HasPrefix(hint, "blq run test ") {
		t.Errorf("hint %q, want the nearest name", hint)
	}
}

func TestExecFindsTheRegisteredCommand(t *testing.T) {
	t.Parallel()
	b, _ := newBackend(t)
	register(t, b, runner.Command{Name: "all", Cmd: "echo -n"})
	register(t, b, runner.Command{Name: "some", Cmd: "echo -n tests"})
	for _, tt := range []struct {
		script string
		args   []string
		ref    string
		cmd    string
	}{
		{"echo -n tests -x", nil, "some:1", "echo -n tests -x"},
		{"echo", []string{"-n", "a b", "$(id)"}, "all:2", `echo -n 'a b' '$(id)'`},
		{"echo -nx", nil, "echo:3", "echo -nx"},
		{"echo -n | cat", nil, "echo:4", "echo -n | cat"},
		{"true", []string{"$(id)"}, "true:5", "true '$(id)'"},
	} {
		if r := exec(t, b, tt.script, tt.args...); r.RunRef != tt.ref || r.Cmd != tt.cmd || r.Status != store.StatusOK {
			t.Errorf("%q %q ran as %s: %s (%s)", tt.script, tt.args, r.RunRef, r.Cmd, r.Status)
		}
	}
	_, err := b.Run(t.Context(), runner.Request{Exec: " \n"}, patience)
	wantCode(t, err, store.Invalid, "nothing to run")
}

func TestTemplates(t *testing.T) {
	t.Parallel()
	b, _ := newBackend(t)
	register(t, b, runner.Command{Name: "test", Cmd: "echo {path} {flags}", Defaults: map[string]string{"flags": "-v"}})
	list, err := b.List(t.Context())
	check(t, err)
	want := []runner.Command{{Name: "test", Tpl: "echo {path} {flags}", Defaults: map[string]string{"flags": "-v"},
		Timeout: 300, Format: "auto", Capture: true}}
	if diff := cmp.Diff(want, list); diff != "" {
		t.Error(diff)
	}
	r, err := b.Run(t.Context(), runner.Request{Name: "test", Args: map[string]string{"path": "a b; exit 3"}}, patience)
	check(t, err)
	if r.Status != store.StatusOK || r.Cmd != "echo 'a b; exit 3' -v" {
		t.Errorf("ran %s: %s", r.Cmd, r.Status)
	}
	_, err = b.Run(t.Context(), runner.Request{Name: "test"}, patience)
	wantCode(t, err, store.Invalid, `needs a value for "path"`)
}

func TestTimeout(t *testing.T) {
	t.Parallel()
	b, _ := newBackend(t)
	r, err := b.Run(t.Context(), runner.Request{Exec: "while :; do sleep 0.01; done", Timeout: time.Millisecond}, patience)
	check(t, err)
	if r.Status != store.StatusTimeout {
		t.Errorf("status %s, want TIMEOUT", r.Status)
	}
}

func TestAWrongTimeoutNamesItsVariable(t *testing.T) {
	t.Parallel()
	for name, env := range map[string]map[string]string{
		"BLQ_TIMEOUT": {"BLQ_TIMEOUT": "soon"},
		"LQ_TIMEOUT":  {"BLQ_TIMEOUT": "soon", "LQ_TIMEOUT": "soon"}, // used by mcp serve --compat lq
	} {
		_, err := backend.Timeout(func(v string) string { return env[v] }, 0, 300)
		wantCode(t, err, store.Invalid, name+` is "soon", not a number of seconds`)
		if err != nil && !strings.HasPrefix(err.Error(), name) {
			t.Errorf("%v does not begin with %s", err, name)
		}
	}
}

func TestCommandThatCannotStart(t *testing.T) {
	t.Parallel()
	b, _ := newBackend(t)
	r := exec(t, b, "no-such-program")
	if r.Status != store.StatusFail || *r.ExitCode != 127 ||
		!strings.Contains(strings.Join(r.Tail, "\n"), "command not found") {
		t.Errorf("answer %+v", r)
	}
}

func TestCommandThatIsNotCaptured(t *testing.T) {
	t.Parallel()
	b, _ := newBackend(t)
	_, err := b.Register(t.Context(), runner.Command{Name: "serve", Cmd: "echo secret; exit 4"}, false)
	check(t, err)
	r, err := b.Run(t.Context(), runner.Request{Name: "serve"}, patience)
	check(t, err)
	if r.RunRef != "" || r.Status != store.StatusFail || *r.ExitCode != 4 ||
		!strings.Contains(r.Warning, "capture = false") || len(r.Tail) != 1 {
		t.Errorf("answer %+v", r)
	}
	h, err := asker(t, b).History(t.Context(), query.HistoryParams{})
	check(t, err)
	if len(h.Runs) != 0 {
		t.Errorf("recorded %v", h.Runs)
	}
}

// Answers about commands, and about unrecorded output, have no secrets either.
func TestAnswersHideSecretsThatAreNotRecorded(t *testing.T) {
	t.Parallel()
	b, _ := newBackend(t)
	said, err := b.Register(t.Context(), runner.Command{Name: "serve", Cmd: "echo ::add-mask::abc; " +
		"curl -u bob:hunter2x 127.0.0.1:1; echo hunter2x abcdef; exit 4"}, false)
	check(t, err)
	r, err := b.Run(t.Context(), runner.Request{Name: "serve"}, patience)
	check(t, err)
	list, err := b.List(t.Context())
	check(t, err)
	if r.Tail[len(r.Tail)-1] != "*** ***def" {
		t.Errorf("the output ends with %q", r.Tail)
	}
	for _, text := range []string{said.Message, r.Cmd, list[0].Cmd, strings.Join(r.Tail, "\n")} {
		if strings.Contains(text, "hunter2x") {
			t.Errorf("an answer shows %q", text)
		}
	}
}

func TestUnwritableFolderRunsUnrecorded(t *testing.T) {
	t.Parallel()
	b, dir := newBackend(t)
	check(t, os.WriteFile(filepath.Join(dir, ".lq"), nil, 0o644)) // a file in place of the folder stops even root
	r := exec(t, b, "echo seen; exit 3")
	if r.RunRef != "" || *r.ExitCode != 3 || !strings.HasPrefix(r.Warning, "not recorded: ") || len(r.Tail) != 1 {
		t.Errorf("answer %+v", r)
	}
}

// obedient waits for a file named stop, and then ends.
const obedient = `while [ ! -e stop ]; do sleep 0.01; done; echo "a.c:1:1: error: stopped"; exit 1`

func TestLongRunGoesOn(t *testing.T) {
	t.Parallel()
	b, dir := newBackend(t)
	r, err := b.Run(t.Context(), runner.Request{Exec: obedient}, 0)
	check(t, err)
	if r.Status != store.StatusRunning || r.RunRef == "" {
		t.Fatalf("answer %+v, want it to be running", r)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	again, err := b.Run(gone, runner.Request{Exec: obedient}, patience)
	check(t, err)
	if again.Status != store.StatusRunning {
		t.Errorf("when the caller goes away, the run is %s", again.Status)
	}
	for _, mode := range []string{"schema", "full"} {
		_, err = b.Clean(t.Context(), mode, 0, "")
		wantCode(t, err, store.Conflict, "is being recorded")
	}
	check(t, os.WriteFile(filepath.Join(dir, "stop"), nil, 0o644))
	for _, ref := range []string{r.RunRef, again.RunRef} {
		if end := await(t, b, ref); end.Status != store.StatusFail || len(end.Errors) != 1 {
			t.Errorf("%s ended as %+v", ref, end)
		}
	}
}

// await returns the result of a run after it has ended.
func await(t *testing.T, b *backend.Backend, ref string) query.Result {
	t.Helper()
	for {
		r, err := asker(t, b).Result(t.Context(), ref, 0)
		check(t, err)
		if r.Status != store.StatusRunning {
			return r
		}
	}
}

func TestCloseEndsRunsAsCancelled(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	b := backend.New(noEnv, dir)
	r, err := b.Run(t.Context(), runner.Request{Exec: obedient}, 0)
	check(t, err)
	check(t, b.Close())
	_, err = b.Run(t.Context(), runner.Request{Exec: "true"}, 0)
	wantCode(t, err, store.Unavailable, "stopping")
	end, err := asker(t, backendOf(t, dir)).Result(t.Context(), r.RunRef, 0)
	check(t, err)
	if end.Status != store.StatusCancelled {
		t.Errorf("the run is %s, want CANCELLED", end.Status)
	}
}

func TestManyRunsAtOnce(t *testing.T) {
	t.Parallel()
	b, _ := newBackend(t)
	const runs = 6
	refs := make(chan string, runs)
	for range runs {
		go func() {
			r, err := b.Run(t.Context(), runner.Request{Exec: `echo "a.c:1:1: error: no"; exit 1`}, patience)
			if err != nil || len(r.Errors) != 1 {
				t.Errorf("%v, %v", r, err)
			}
			refs <- r.RunRef
		}()
	}
	seen := map[string]bool{}
	for range runs {
		seen[<-refs] = true
	}
	if len(seen) != runs {
		t.Errorf("runs %v, want %d", seen, runs)
	}
}

// Git facts are shown without secrets. A default branch with a secret in its name is still the baseline.
func TestGitFactsHaveNoSecrets(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("DEPLOY_TOKEN", "s3cret-of-env")
	git := func(args ...string) {
		t.Helper()
		args = append([]string{"-C", dir, "-c", "user.name=A", "-c", "user.email=s3cret-of-env@example.com"}, args...)
		if out, err := osexec.Command("git", args...).CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	commit := func() {
		t.Helper()
		git("add", "a.c")
		git("commit", "-q", "-m", "about s3cret-of-env")
	}
	git("init", "-q", "-b", "s3cret-of-env")
	check(t, os.WriteFile(filepath.Join(dir, "a.c"), []byte("one s3cret-of-env\n"), 0o644))
	commit()
	b := backendOf(t, dir)
	print := func(lines string) {
		t.Helper()
		check(t, os.WriteFile(filepath.Join(dir, "log"), []byte(lines), 0o644))
		exec(t, b, "cat log; exit 1")
	}
	print("a.c:1:1: error: old\n")
	git("update-ref", "refs/remotes/origin/s3cret-of-env", "HEAD")
	git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/s3cret-of-env")
	git("switch", "-q", "-c", "topic")
	git("commit", "-q", "--allow-empty", "-m", "empty")
	print("a.c:1:1: error: old\na.c:1:2: error: new\n")
	a := asker(t, b)
	in, err := a.Inspect(t.Context(), query.InspectParams{Ref: "2:1", Lines: 1, Source: true, Git: true})
	check(t, err)
	info, err := a.Info(t.Context(), query.InfoParams{Ref: "2"})
	check(t, err)
	text, err := json.Marshal([]any{in, info})
	check(t, err)
	if strings.Contains(string(text), "s3cret") || !strings.Contains(string(text), "about ***") ||
		!strings.Contains(string(text), "one ***") || !strings.Contains(string(text), `***@example.com`) {
		t.Errorf("%s", text)
	}
	triage, err := a.Triage(t.Context(), query.TriageParams{Ref: "2"})
	check(t, err)
	if text, _ := json.Marshal(triage); strings.Contains(string(text), "s3cret") ||
		!strings.Contains(string(text), `"branch":"***"`) {
		t.Errorf("the baseline: %s", text)
	}
}
