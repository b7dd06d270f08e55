// Package querytest makes stores with known runs, for tests of questions and of front ends.
package querytest

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/blq-ci/blq/internal/ci"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/blob"
	"github.com/blq-ci/blq/store/chunk"
	"github.com/blq-ci/blq/store/sqlite/sqlitetest"
)

// Fixture is a project with runs of four sources. build failed, passed and failed again. test failed with two streams
// and no recognised error. lint passed with a warning. deploy is running.
type Fixture struct {
	*query.Asker
	Tree string // the work tree
}

// epoch is the start of the first run.
var epoch = time.Date(2024, 1, 15, 10, 0, 0, 0, time.UTC)

const mainC = "int main() {\n    int y = 10;\n    int x = foo + 1;\n    return x + y;\n}\n"

// BuildLog is the log of a failing build.
const BuildLog = `gcc -c src/main.c -o main.o
src/main.c: In function 'main':
src/main.c:3:13: error: 'foo' undeclared
    3 |     int x = foo + 1;
      |             ^~~
src/main.c:9:1: error: 'bar' undeclared
src/util.c:4:2: warning: unused variable 'z'
src/main.c:11:1: error: 'bar' undeclared
make: *** [main.o] Error 1
`

// BuildEvents returns the events of BuildLog.
func BuildEvents() []store.Event {
	return []store.Event{
		Event("error", "src/main.c", 3, 13, "'foo' undeclared", 3, 5),
		Event("error", "src/main.c", 9, 1, "'bar' undeclared", 6, 6),
		Event("warning", "src/util.c", 4, 2, "unused variable 'z'", 7, 7),
		Event("error", "src/main.c", 11, 1, "'bar' undeclared", 8, 8),
	}
}

// Event returns an event of gcc on lines from..to of a log.
func Event(severity store.Severity, file string, line, column int, message string, from, to int) store.Event {
	e := store.Event{
		Severity: severity, File: file, Line: line, Column: column, Message: message, Tool: "gcc",
		Category: store.CategoryCompile, LogLine: from, LogLineEnd: to,
	}
	e.Fingerprint, e.Pattern = store.Fingerprint(e), store.Pattern(e)
	return e
}

// New returns the Fixture: the project that the comment of that type describes.
func New(t *testing.T) *Fixture {
	t.Helper()
	root := Repository(t)
	f := &Fixture{Tree: root, Asker: NewAsker(t, root)}
	f.Add(t, Run{Source: "build", At: 0, Exit: 1, Log: BuildLog, Events: BuildEvents()[:1]})
	f.Add(t, Run{Source: "build", At: 10, Exit: 0, Log: "ok\n"})
	f.Add(t, Run{Source: "build", At: 20, Exit: 2, Log: BuildLog, Events: BuildEvents(), Took: 12500 * time.Millisecond})
	f.Add(t, Run{Source: "test", At: 21, Exit: 1, Stdout: Lines("out", 60), Log: "one on stderr\ntwo on stderr\n"})
	f.Add(t, Run{Source: "lint", At: 22, Exit: 0, Log: "src/util.c:4:2: warning: unused variable 'z'\n",
		Events: []store.Event{Event("warning", "src/util.c", 4, 2, "unused variable 'z'", 1, 1)}})
	f.Add(t, Run{Source: "deploy", At: 23, Running: true, Log: "deploying\n",
		CI: &store.CI{Provider: "github", Workflow: "CI", RunID: "77", PR: 12, HeadRef: "topic"}})
	return f
}

// NewAsker returns an asker for an empty store. The asker reads source files under root.
func NewAsker(t *testing.T, root string) *query.Asker {
	t.Helper()
	return NewAskerOf(t, root, sqlitetest.OpenAt(t, filepath.Join(t.TempDir(), "blq.db")))
}

// NewAskerOf does the same as NewAsker, but with the given store.
func NewAskerOf(t *testing.T, root string, st store.Reader) *query.Asker {
	t.Helper()
	ctx, dir := context.Background(), t.TempDir()
	blobs, err := blob.Open(ctx, "file://"+filepath.ToSlash(dir)+"/blobs")
	if err != nil {
		t.Fatal(err)
	}
	return &query.Asker{Store: st, Blobs: blobs, Scope: store.Everything(), Root: root, Git: git{},
		Parts: &query.Parts{}, Now: func() time.Time { return epoch.Add(30 * time.Minute) }}
}

// Run describes a run to store.
type Run struct {
	Repo        string // "" for the local repository
	Source      string
	At          int           // minutes after epoch; also part of the attempt's ID
	Took        time.Duration // duration of the run; 0 means one second
	Early       time.Duration // for runs that arrive late: time between the run's start and At
	Exit        int
	Reason      store.Reason
	Running     bool
	Log, Stdout string // with Stdout, the run has separate streams, and Log is stderr
	Events      []store.Event
	Files       store.FileDigests
	CI          *store.CI
	Git         *store.Git // nil for commit abc1234 on main
	Command     string     // "" for make -j8
	Cwd         string     // "" for /home/user/project
	Shape       string     // "" for the shape of the command
	Hostname    string     // "" for dev-machine
	Imported    bool       // the run is a log from a pipe, so its exit code is unknown
	Tests       []store.TestResult
}

// Add stores a run.
func (f *Fixture) Add(t *testing.T, r Run) store.Run {
	t.Helper()
	ctx, start := context.Background(), epoch.Add(time.Duration(r.At)*time.Minute)
	to := f.Store.(store.Recorder) // the asker's own interface can only read
	exit := &r.Exit
	if r.Imported {
		exit, r.Command = nil, "capture"
	}
	stored, err := to.StartRun(ctx, store.Run{
		Attempt: fmt.Sprintf("018d0c00-0000-7000-8000-%012d", r.At), Repo: r.Repo, Source: r.Source,
		Command: cmp.Or(r.Command, "make -j8"), Cwd: cmp.Or(r.Cwd, "/home/user/project"), Shape: r.Shape,
		StartedAt: start.Add(-r.Early), HeartbeatAt: start,
		Hostname: cmp.Or(r.Hostname, "dev-machine"), Platform: "Linux", Arch: "x86_64", Git: f.git(r), CI: r.CI,
		State: store.StateRunning,
	})
	Check(t, err)
	log, err := chunk.NewWriter(to, f.Blobs.(chunk.Putter), stored.Attempt)
	Check(t, err)
	stream := store.StreamCombined
	if r.Stdout != "" {
		_, err = log.Write(ctx, store.StreamStdout, []byte(r.Stdout))
		Check(t, err)
		stream = store.StreamStderr
	}
	_, err = log.Write(ctx, stream, []byte(r.Log))
	Check(t, err)
	Check(t, log.Flush(ctx))
	for i := range r.Events {
		r.Events[i].ID = i + 1
	}
	batches := 0
	if len(r.Events) > 0 {
		Check(t, to.AddEvents(ctx, stored.Attempt, 0, r.Events))
		batches = 1
	}
	if len(r.Tests) > 0 {
		Check(t, to.AddTests(ctx, stored.Attempt, r.Tests))
	}
	if r.Running {
		return stored
	}
	took := r.Took
	if took == 0 {
		took = time.Second
	}
	stored, err = to.FinishRun(ctx, stored.Attempt, store.Finish{
		Ending: store.Ending{FinishedAt: start.Add(took - r.Early), ExitCode: exit, Reason: r.Reason},
		Chunks: log.Chunks(), Batches: batches, Lines: log.Lines(), Files: r.Files,
	})
	Check(t, err)
	return stored
}

// Lines returns n numbered lines that begin with the given word.
func Lines(word string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%s %d\n", word, i+1)
	}
	return b.String()
}

// Check ends the test on an error.
func Check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Repository makes a git repository with one commit. The commit has the same hash in every test.
func Repository(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	Write(t, root, "src/main.c", mainC)
	Write(t, root, "src/util.c", Lines("line", 8))
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"add", "."},
		{"commit", "-q", "-m", "Refactor data processing"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir = root
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", "GIT_AUTHOR_NAME=Alice",
			"GIT_AUTHOR_EMAIL=alice@example.com",
			"GIT_COMMITTER_NAME=Alice", "GIT_COMMITTER_EMAIL=alice@example.com", "GIT_AUTHOR_DATE=2024-01-15T09:00:00Z",
			"GIT_COMMITTER_DATE=2024-01-15T09:00:00Z")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	for _, name := range []string{"src/main.c", "src/util.c"} { // older than the first run
		Check(t, os.Chtimes(filepath.Join(root, name), epoch.Add(-time.Hour), epoch.Add(-time.Hour)))
	}
	return root
}

// Write writes a file of a project.
func Write(t *testing.T, root, name, text string) {
	t.Helper()
	path := filepath.Join(root, name)
	Check(t, os.MkdirAll(filepath.Dir(path), 0o755))
	Check(t, os.WriteFile(path, []byte(text), 0o644))
}

// git implements query.Git with the git program.
type git struct{}

func (git) Blame(ctx context.Context, root, commit, file string, line int) (query.Blame, error) {
	b, err := ci.Blame(ctx, root, commit, file, line)
	return query.Blame{Author: b.Author, Commit: b.Commit, Time: b.Time}, err
}

func (git) Show(ctx context.Context, root, commit, file string) ([]byte, error) {
	return ci.Show(ctx, root, commit, file)
}

func (git) Branch(root string) string { return ci.Branch(root) }

func (git) Branches(ctx context.Context, root string) (map[string]bool, error) {
	return ci.Branches(ctx, root)
}

func (git) OnBranches(ctx context.Context, root string, commits []string) (map[string]bool, error) {
	return new(ci.Lookups).OnBranches(ctx, root, commits)
}

func (git) Inside(ctx context.Context, root, of string, commits []string) (map[string]bool, error) {
	return new(ci.Lookups).Inside(ctx, root, of, commits)
}

func (git) SameFiles(ctx context.Context, root, of string, commits []string) (map[string]bool, error) {
	return new(ci.Lookups).SameFiles(ctx, root, of, commits)
}

func (git) ChangedFiles(ctx context.Context, root, commit string) ([]string, error) {
	return ci.ChangedFiles(ctx, root, commit)
}

func (git) RecentCommits(ctx context.Context, root, file string, n int) ([]query.Commit, error) {
	commits, err := ci.RecentCommits(ctx, root, file, n)
	var list []query.Commit
	for _, c := range commits {
		list = append(list, query.Commit{Hash: c.Hash, Author: c.Author, Message: c.Message})
	}
	return list, err
}

func (f *Fixture) git(r Run) store.Git {
	if r.Git != nil {
		return *r.Git
	}
	return store.Git{Commit: "abc1234", Branch: "main", Root: f.Tree}
}
