package ask_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/blq-ci/blq/ask"
	"github.com/blq-ci/blq/internal/facts"
	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/blob"
	"github.com/blq-ci/blq/store/chunk"
	"github.com/blq-ci/blq/store/sqlite"
)

// fixture is a project with a history: build failed, passed and failed again,
// test failed with both streams and nothing recognised, lint passed with a
// warning, deploy is running.
type fixture struct {
	*ask.Asker
	root string
}

var epoch = time.Date(2024, 1, 15, 10, 0, 0, 0, time.UTC)

const mainC = "int main() {\n    int y = 10;\n    int x = foo + 1;\n    return x + y;\n}\n"

const buildLog = `gcc -c src/main.c -o main.o
src/main.c: In function 'main':
src/main.c:3:13: error: 'foo' undeclared
    3 |     int x = foo + 1;
      |             ^~~
src/main.c:9:1: error: 'bar' undeclared
src/util.c:4:2: warning: unused variable 'z'
src/main.c:11:1: error: 'bar' undeclared
make: *** [main.o] Error 1
`

func buildEvents() []store.Event {
	return []store.Event{
		event("error", "src/main.c", 3, 13, "'foo' undeclared", 3, 5),
		event("error", "src/main.c", 9, 1, "'bar' undeclared", 6, 6),
		event("warning", "src/util.c", 4, 2, "unused variable 'z'", 7, 7),
		event("error", "src/main.c", 11, 1, "'bar' undeclared", 8, 8),
	}
}

func event(severity store.Severity, file string, line, column int, message string, from, to int) store.Event {
	e := store.Event{
		Severity: severity, File: file, Line: line, Column: column, Message: message, Tool: "gcc", Category: store.CategoryCompile, LogLine: from, LogLineEnd: to,
	}
	e.Fingerprint, e.Pattern = store.Fingerprint(e), store.Pattern(e)
	return e
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	root := repository(t)
	f := &fixture{root: root, Asker: newAsker(t, root)}
	f.add(t, run{source: "build", at: 0, exit: 1, log: buildLog, events: buildEvents()[:1]})
	f.add(t, run{source: "build", at: 10, exit: 0, log: "ok\n"})
	f.add(t, run{source: "build", at: 20, exit: 2, log: buildLog, events: buildEvents(), took: 12500 * time.Millisecond})
	f.add(t, run{source: "test", at: 21, exit: 1, stdout: lines("out", 60), log: "one on stderr\ntwo on stderr\n"})
	f.add(t, run{source: "lint", at: 22, exit: 0, log: "src/util.c:4:2: warning: unused variable 'z'\n", events: []store.Event{event("warning", "src/util.c", 4, 2, "unused variable 'z'", 1, 1)}})
	f.add(t, run{source: "deploy", at: 23, running: true, log: "deploying\n", ci: &store.CI{Provider: "github", Workflow: "CI", RunID: "77", PR: 12, HeadRef: "topic"}})
	return f
}

func newAsker(t *testing.T, root string) *ask.Asker {
	t.Helper()
	ctx, dir := context.Background(), t.TempDir()
	st, err := sqlite.Open(ctx, filepath.Join(dir, "blq.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { st.Close() })
	blobs, err := blob.Open(ctx, "file://"+filepath.ToSlash(dir)+"/blobs")
	if err != nil {
		t.Fatal(err)
	}
	return &ask.Asker{Store: st, Blobs: blobs, Scope: store.Everything(), Root: root, Git: git{}}
}

// run is what the fixture stores of a run. A run with stdout has its streams
// apart, and log is its stderr.
type run struct {
	source      string
	at          int // minutes after the epoch
	took        time.Duration
	exit        int
	running     bool
	log, stdout string
	events      []store.Event
	ci          *store.CI
}

func (f *fixture) add(t *testing.T, r run) store.Run {
	t.Helper()
	ctx, start := context.Background(), epoch.Add(time.Duration(r.at)*time.Minute)
	stored, err := f.Store.StartRun(ctx, store.Run{
		Attempt: fmt.Sprintf("018d0c00-0000-7000-8000-%012d", r.at), Source: r.source, Command: "make -j8", Cwd: "/home/user/project", StartedAt: start, HeartbeatAt: start,
		Hostname: "dev-machine", Platform: "Linux", Arch: "x86_64", Git: store.Git{Commit: "abc1234", Branch: "main", Root: f.root}, CI: r.ci, State: store.StateRunning,
	})
	check(t, err)
	log, err := chunk.NewWriter(f.Store, f.Blobs, stored.Attempt)
	check(t, err)
	stream := store.StreamCombined
	if r.stdout != "" {
		_, err = log.Write(ctx, store.StreamStdout, []byte(r.stdout))
		check(t, err)
		stream = store.StreamStderr
	}
	_, err = log.Write(ctx, stream, []byte(r.log))
	check(t, err)
	check(t, log.Flush(ctx))
	for i := range r.events {
		r.events[i].ID = i + 1
	}
	batches := 0
	if len(r.events) > 0 {
		check(t, f.Store.AddEvents(ctx, stored.Attempt, 0, r.events))
		batches = 1
	}
	if r.running {
		return stored
	}
	took := r.took
	if took == 0 {
		took = time.Second
	}
	stored, err = f.Store.FinishRun(ctx, stored.Attempt, store.Finish{
		Ending: store.Ending{FinishedAt: start.Add(took), ExitCode: &r.exit}, Chunks: log.Chunks(), Batches: batches, Lines: log.Lines(),
	})
	check(t, err)
	return stored
}

func lines(word string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%s %d\n", word, i+1)
	}
	return b.String()
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// repository makes a git repository whose commits are the same every time.
func repository(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	write(t, root, "src/main.c", mainC)
	write(t, root, "src/util.c", lines("line", 8))
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"add", "."}, {"commit", "-q", "-m", "Refactor data processing"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir = root
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", "GIT_AUTHOR_NAME=Alice", "GIT_AUTHOR_EMAIL=alice@example.com",
			"GIT_COMMITTER_NAME=Alice", "GIT_COMMITTER_EMAIL=alice@example.com", "GIT_AUTHOR_DATE=2024-01-15T09:00:00Z", "GIT_COMMITTER_DATE=2024-01-15T09:00:00Z")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	return root
}

func write(t *testing.T, root, name, text string) {
	t.Helper()
	path := filepath.Join(root, name)
	check(t, os.MkdirAll(filepath.Dir(path), 0o755))
	check(t, os.WriteFile(path, []byte(text), 0o644))
}

// git is the real one.
type git struct{}

func (git) Blame(ctx context.Context, root, file string, line int) (ask.Blame, error) {
	b, err := facts.Blame(ctx, root, file, line)
	return ask.Blame{Author: b.Author, Commit: b.Commit, Time: b.Time}, err
}

func (git) RecentCommits(ctx context.Context, root, file string, n int) ([]ask.Commit, error) {
	commits, err := facts.RecentCommits(ctx, root, file, n)
	var list []ask.Commit
	for _, c := range commits {
		list = append(list, ask.Commit{Hash: c.Hash, Author: c.Author, Message: c.Message})
	}
	return list, err
}
