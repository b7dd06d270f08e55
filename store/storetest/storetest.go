// Package storetest holds the contract tests for every store.Store.
package storetest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/store"
)

// Test runs the contract tests. The function open returns an empty store for each subtest, and closes the store after
// the subtest.
func Test(t *testing.T, open func(t *testing.T) store.Store) {
	run(t, open, "run", runTests)
	run(t, open, "ref", refTests)
	run(t, open, "list", listTests)
	run(t, open, "branches", branchTests)
	Baselines(t, open)
	run(t, open, "event", eventTests)
	run(t, open, "print", printTests)
	run(t, open, "live", liveTests)
	run(t, open, "history", historyTests)
	run(t, open, "version", versionTests)
	run(t, open, "chunk", chunkTests)
	run(t, open, "rewrite", rewriteTests)
	run(t, open, "prune", pruneTests)
	run(t, open, "usage", usageTests)
	run(t, open, "snapshot", snapshotTests)
	run(t, open, "snapshot/prune", snapshotPruneTests)
	run(t, open, "source", sourceTests)
	run(t, open, "notification", notificationTests)
	run(t, open, "attestation", attestationTests)
	run(t, open, "session", sessionTests)
	run(t, open, "test", testTests)
	run(t, open, "query", queryTests)
}

// Baselines runs the contract tests of store.FindBaseline. The tests start, finish, orphan and read runs.
func Baselines(t *testing.T, open func(t *testing.T) store.Store) {
	run(t, open, "baseline", baselineTests)
}

func run(t *testing.T, open func(t *testing.T) store.Store, group string, tests map[string]func(f fixture)) {
	for name, test := range tests {
		t.Run(group+"/"+name, func(t *testing.T) {
			t.Parallel()
			test(fixture{T: t, s: open(t), n: new(int)})
		})
	}
}

// fixture is a store under test.
type fixture struct {
	*testing.T
	s store.Store
	n *int // number of attempts made so far
}

// start is the time from which the tests count. Each run starts at least a minute after the previous run.
var start = time.Date(2026, 3, 1, 12, 0, 0, 123_456_000, time.UTC)

var everything = store.Everything()

// attempt returns a new attempt ID.
func (f fixture) attempt() string {
	*f.n++
	return fmt.Sprintf("01999999-0000-7000-8000-%012x", *f.n)
}

// start starts a run of repo and source. Before that, the functions in change may alter the run.
func (f fixture) start(repo, source string, change ...func(*store.Run)) store.Run {
	f.Helper()
	r := store.Run{Attempt: f.attempt(), Repo: repo, Source: source, Command: "make " + source}
	r.StartedAt = start.Add(time.Duration(*f.n) * time.Minute)
	for _, c := range change {
		c(&r)
	}
	got, err := f.s.StartRun(f.Context(), r)
	f.ok(err)
	return got
}

// finish finishes a run with an exit code.
func (f fixture) finish(r store.Run, exitCode int) store.Run {
	f.Helper()
	got, err := f.s.FinishRun(f.Context(), r.Attempt, store.Finish{
		Ending: store.Ending{FinishedAt: r.StartedAt.Add(30 * time.Second), ExitCode: &exitCode}, Chunks: -1, Batches: -1,
	})
	f.ok(err)
	return got
}

// fail records a failed run. The run has an event for each of the messages.
func (f fixture) fail(repo, source string, messages ...string) store.Run {
	f.Helper()
	r := f.start(repo, source)
	f.events(r, messages...)
	return f.finish(r, 1)
}

func (f fixture) events(r store.Run, messages ...string) {
	f.Helper()
	var events []store.Event
	for i, m := range messages {
		events = append(events, event(i+1, m))
	}
	f.ok(f.s.AddEvents(f.Context(), r.Attempt, 0, events))
}

// event returns an error with a message.
func event(id int, message string) store.Event {
	e := store.Event{
		ID: id, Severity: store.SeverityError, File: "src/main.c", Line: 10 * id, Column: 5, Message: message,
		Tool: "gcc", Category: store.CategoryCompile, LogLine: 100 + id, LogLineEnd: 102 + id,
	}
	return signed(e)
}

func signed(e store.Event) store.Event {
	e.Fingerprint, e.Pattern = store.Fingerprint(e), store.Pattern(e)
	return e
}

func (f fixture) ok(err error) {
	f.Helper()
	if err != nil {
		f.Fatal(err)
	}
}

// refused checks that an error has the given code, and that its text contains the words.
func (f fixture) refused(err error, code store.Code, words ...string) {
	f.Helper()
	if err == nil || store.CodeOf(err) != code {
		f.Fatalf("got error %v (code %q), want code %q", err, store.CodeOf(err), code)
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			f.Errorf("error %q does not name %q", err, w)
		}
	}
}

func (f fixture) equal(got, want any) {
	f.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		f.Errorf("-want +got:\n%s", diff)
	}
}

func (f fixture) ref(s string) store.Ref {
	f.Helper()
	r, err := store.ParseRef(s)
	f.ok(err)
	return r
}

// found looks up a ref, and returns the ref of its run.
func (f fixture) found(sc store.Scope, s string) string {
	f.Helper()
	r, err := f.s.Run(f.Context(), sc, f.ref(s))
	if err != nil {
		f.Errorf("run %s: %v", s, err)
	}
	return r.Ref().String()
}
