package markdown_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/blob"
	"github.com/blq-ci/blq/store/chunk"
	"github.com/blq-ci/blq/store/sqlite/sqlitetest"
)

// fixture is a store with runs of a branch's pull request and of main.
type fixture struct {
	*query.Asker
	n int
}

var epoch = time.Date(2024, 1, 15, 10, 0, 0, 0, time.UTC)

const (
	mainSHA  = "1111111111111111111111111111111111111111"
	topicSHA = "2222222222222222222222222222222222222222"
)

func empty(t *testing.T) *fixture {
	t.Helper()
	ctx, dir := context.Background(), t.TempDir()
	st := sqlitetest.OpenAt(t, filepath.Join(dir, "blq.db"))
	blobs, err := blob.Open(ctx, "file://"+filepath.ToSlash(dir)+"/blobs")
	check(t, err)
	return &fixture{Asker: &query.Asker{Store: st, Blobs: blobs, Scope: store.Everything()}}
}

func onMain(r *store.Run) {
	r.Git = store.Git{Commit: mainSHA, Branch: "main"}
	r.CI = &store.CI{Provider: "github", Repo: "acme/app", HeadSHA: mainSHA, HeadRef: "main",
		URL: "https://github.com/acme/app/actions/runs/76", RunID: "76"}
}

func onTopic(r *store.Run) {
	r.Git = store.Git{Commit: topicSHA, Branch: "topic"}
	r.CI = &store.CI{Provider: "github", Repo: "acme/app", Workflow: "CI", Job: "build", PR: 12, HeadSHA: topicSHA,
		HeadRef: "topic", BaseRef: "main", BaseSHA: mainSHA,
		URL: "https://github.com/acme/app/actions/runs/77", RunID: "77"}
}

// failing returns a fixture with a failed build of main and a failed build of topic. The build of topic has new errors
// and warnings. It also has an error and a warning of the build of main, on other lines of the file.
func failing(t *testing.T) *fixture {
	f := empty(t)
	f.add(t, ended{exit: 1, events: []store.Event{
		failure("src/old.c", 7, "'gone' undeclared"), failure("src/util.c", 3, "expected ';' before 'return'"),
		warning("src/util.c", 4),
	}}, onMain)
	f.add(t, ended{exit: 2, took: 45200 * time.Millisecond, events: []store.Event{
		failure("src/auth.c", 156,
			"implicit declaration of function 'validate_token'\n  156 |   validate_token(t);\n      |   ^~~~~~~~~~~~~~"),
		failure("src/auth.c", 203, "'TOKEN_EXPIRY' undeclared"), failure("src/session.c", 9, "'TOKEN_SIZE' undeclared"),
		failure("src/util.c", 5, "expected ';' before 'return'"),
		warning("src/util.c", 6), warning("src/new.c", 6),
	}}, onTopic)
	return f
}

func failure(file string, line int, message string) store.Event {
	return store.Event{Severity: store.SeverityError, File: file, Line: line, Column: 8, Message: message, Tool: "gcc",
		Category: store.CategoryCompile}
}

func warning(file string, line int) store.Event {
	e := failure(file, line, "unused variable 'z'")
	e.Severity, e.Code = store.SeverityWarning, "-Wunused-variable"
	return e
}

// ended describes a run of the fixture. The run's log has the messages of the events, and then the text of the field
// log.
type ended struct {
	source  string
	exit    int
	reason  store.Reason
	took    time.Duration
	running bool
	log     string
	events  []store.Event
}

func (f *fixture) add(t *testing.T, e ended, change ...func(*store.Run)) store.Run {
	t.Helper()
	ctx := context.Background()
	f.n++
	start := epoch.Add(time.Duration(f.n) * time.Minute)
	r := store.Run{
		Attempt: fmt.Sprintf("018d0c00-0000-7000-8000-%012d", f.n), Source: "build", Command: "make -j8", StartedAt: start,
		HeartbeatAt: start, State: store.StateRunning,
	}
	if e.source != "" {
		r.Source = e.source
	}
	for _, c := range change {
		c(&r)
	}
	to := f.Store.(store.Recorder) // the asker can only read the store
	r, err := to.StartRun(ctx, r)
	check(t, err)
	log, line := []string{}, 1
	for i := range e.events {
		ev := &e.events[i]
		text := strings.Split(ev.Message, "\n")
		log = append(log, fmt.Sprintf("%s:%d:%d: %s: %s", ev.File, ev.Line, ev.Column, ev.Severity, ev.Message))
		ev.ID, ev.LogLine, ev.LogLineEnd, ev.Message = i+1, line, line+len(text)-1, text[0]
		ev.Fingerprint, ev.Pattern = store.Fingerprint(*ev), store.Pattern(*ev)
		line += len(text)
	}
	w, err := chunk.NewWriter(to, f.Blobs.(chunk.Putter), r.Attempt)
	check(t, err)
	text := strings.Join(append(log, e.log), "\n")
	_, err = w.Write(ctx, store.StreamCombined, []byte(text))
	check(t, err)
	check(t, w.Flush(ctx))
	batches := 0
	if len(e.events) > 0 {
		check(t, to.AddEvents(ctx, r.Attempt, 0, e.events))
		batches = 1
	}
	if e.running {
		return r
	}
	if e.took == 0 {
		e.took = time.Second
	}
	ending := store.Ending{FinishedAt: start.Add(e.took), ExitCode: &e.exit, Reason: e.reason}
	if e.reason != "" {
		ending.ExitCode, ending.Signal = nil, "SIGTERM"
	}
	r, err = to.FinishRun(
		ctx, r.Attempt, store.Finish{Ending: ending, Chunks: w.Chunks(), Batches: batches, Lines: w.Lines()})
	check(t, err)
	return r
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
