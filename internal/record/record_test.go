package record

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/internal/project"
	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/chunk"
)

var everything = store.Everything()

func newProject(t *testing.T) *project.Project {
	t.Helper()
	dir := filepath.Join(t.TempDir(), project.DirName)
	if _, err := project.Create(dir); err != nil {
		t.Fatal(err)
	}
	w, err := project.Open(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	return w
}

// sh returns the spec of a quiet shell script.
func sh(w *project.Project, script string, args ...string) Spec {
	return Spec{Source: "build", Command: project.Plain(append([]string{"sh", "-c", script, "sh"}, args...)),
		Dir: w.Root(), Quiet: true}
}

func logOf(t *testing.T, w *project.Project, r store.Run, stream string) string {
	t.Helper()
	var b bytes.Buffer
	if _, err := chunk.NewReader(w.Store, w.Blobs, everything, r, stream).WriteTo(context.Background(), &b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// eventsOf returns the events of a run as lines: ID, stream, file, line and message.
func eventsOf(t *testing.T, w *project.Project, r store.Run) []string {
	t.Helper()
	page, err := w.Store.Events(context.Background(), everything,
		store.EventFilter{Runs: store.RunFilter{Attempts: []string{r.Attempt}}})
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, e := range page.Events {
		list = append(
			list, strings.Join(strings.Fields(fmt.Sprint(e.ID, " ", e.Stream, " ", e.File, ":", e.Line, " ", e.Message)), " "))
	}
	return list
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestLogIsKeptWholeAndParsed(t *testing.T) {
	t.Parallel()
	w := newProject(t)
	var log strings.Builder
	for i := range 40_000 {
		fmt.Fprintf(&log, "line %d \x1b[1mof the log\x1b[0m\r\n", i)
	}
	log.WriteString("a.c:3:1: error: no end of line")
	file := filepath.Join(t.TempDir(), "log")
	check(t, os.WriteFile(file, []byte(log.String()), 0o644))
	rec, err := Command(context.Background(), w, sh(w, `cat "$1"; exit 3`, file))
	check(t, err)
	check(t, rec.Err)
	if got := logOf(t, w, rec.Run, store.StreamCombined); got != log.String() {
		t.Errorf("the log has %d bytes, want %d, or differs", len(got), log.Len())
	}
	r := rec.Run
	if r.Status() != store.StatusFail || *r.ExitCode != 3 || r.Errors != 1 || r.Lines != 40_001 ||
		r.Bytes != int64(log.Len()) || !rec.Started || r.Lost != "" {
		t.Errorf("run %+v", r)
	}
	if diff := cmp.Diff([]string{"1 a.c:3 no end of line"}, eventsOf(t, w, r)); diff != "" {
		t.Error(diff)
	}
}

func TestManyEventsComeInBatches(t *testing.T) {
	t.Parallel()
	w := newProject(t)
	const n = 2*batchSize + 10
	rec, err := Command(context.Background(),
		w, sh(w, fmt.Sprintf(`awk 'BEGIN { for (i = 1; i <= %d; i++) print "f" i ".c:" i ":1: error: no " i }'; exit 1`, n)))
	check(t, err)
	check(t, rec.Err)
	events := eventsOf(t, w, rec.Run)
	if len(events) != n || rec.Run.Errors != n {
		t.Fatalf("%d events, %d counted, want %d", len(events), rec.Run.Errors, n)
	}
	for i, e := range events {
		if want := fmt.Sprintf("%d f%d.c:%d no %d", i+1, i+1, i+1, i+1); e != want {
			t.Fatalf("event %d is %q, want %q", i, e, want)
		}
	}
}

func TestSplitStreamsStayApart(t *testing.T) {
	t.Parallel()
	w := newProject(t)
	spec := sh(w, `echo "a.c:1:1: error: out"; echo "b.c:2:1: error: err" >&2; echo "end"; exit 1`)
	spec.Split = true
	rec, err := Command(context.Background(), w, spec)
	check(t, err)
	check(t, rec.Err)
	for stream, want := range map[string]string{
		store.StreamStdout: "a.c:1:1: error: out\nend\n", store.StreamStderr: "b.c:2:1: error: err\n",
		store.StreamCombined: "",
	} {
		if got := logOf(t, w, rec.Run, stream); got != want {
			t.Errorf("%s is %q, want %q", stream, got, want)
		}
	}
	events := strings.Join(eventsOf(t, w, rec.Run), "; ")
	if !strings.Contains(events, "stdout a.c:1 out") || !strings.Contains(events, "stderr b.c:2 err") {
		t.Errorf("events %s", events)
	}
}

func TestEndingsAreRecorded(t *testing.T) {
	t.Parallel()
	w := newProject(t)
	for _, tt := range []struct {
		script  string
		timeout time.Duration
		status  store.Status
		signal  string
	}{
		{"exit 0", 0, store.StatusOK, ""},
		{"echo 'x.c:1:1: error: harmless'; exit 0", 0, store.StatusOK, ""},
		{"exit 7", 0, store.StatusFail, ""},
		{"kill -KILL $$", 0, store.StatusFail, "SIGKILL"},
		{"sleep 60", 200 * time.Millisecond, store.StatusTimeout, "SIGTERM"},
	} {
		spec := sh(w, tt.script)
		spec.Timeout = tt.timeout
		rec, err := Command(context.Background(), w, spec)
		if err != nil || rec.Err != nil || rec.Run.Status() != tt.status || rec.Run.Signal != tt.signal {
			t.Errorf("%s: %s by signal %q, %v, %v, want %s by %q", tt.script, rec.Run.Status(), rec.Run.Signal, err, rec.Err,
				tt.status, tt.signal)
		}
	}
}

func TestCommandThatCannotStartIsRecorded(t *testing.T) {
	t.Parallel()
	w := newProject(t)
	rec, err := Command(
		context.Background(), w, Spec{Source: "build", Command: project.Plain([]string{"no-such-command"}), Dir: w.Root()})
	if err == nil || rec.Started || rec.Run.Status() != store.StatusFail || *rec.Run.ExitCode != 127 {
		t.Errorf("%+v, %v", rec.Run, err)
	}
	if log := logOf(t, w, rec.Run, store.StreamCombined); !strings.Contains(log, "no-such-command: command not found") {
		t.Errorf("its log is %q", log)
	}
}

func TestImportedLogsFailByTheirErrors(t *testing.T) {
	t.Parallel()
	w := newProject(t)
	ok := 0
	for _, tt := range []struct {
		log  string
		exit *int
		want store.Status
	}{
		{"a.c:1:1: error: no\n", nil, store.StatusFail},
		{"a.c:1:1: error: no\n", &ok, store.StatusOK},
		{"a.c:1:1: warning: hm\n", nil, store.StatusOK},
		{"", nil, store.StatusOK},
	} {
		r, err := Log(context.Background(), w, Spec{Source: "ci", Dir: w.Root()}, strings.NewReader(tt.log), tt.exit)
		if err != nil || r.Status() != tt.want || logOf(t, w, r, store.StreamCombined) != tt.log {
			t.Errorf("%q with %v is %s, %v, want %s", tt.log, tt.exit, r.Status(), err, tt.want)
		}
	}
}

// A server that stops ends its commands, and their runs are stored completely.
func TestCancelledCommandIsRecordedAsThat(t *testing.T) {
	t.Parallel()
	w := newProject(t)
	ctx, cancel := context.WithCancel(context.Background())
	spec := sh(w, `echo "a.c:1:1: error: too late"; while :; do sleep 0.01; done`)
	spec.Background, spec.Hurry = true, time.Second
	spec.Begun = func(r store.Run) {
		if r.Serial == 0 || r.State != store.StateRunning {
			t.Errorf("begun as %+v", r)
		}
		go func() {
			for { // wait until the command has printed something
				page, err := w.Store.Chunks(context.Background(), everything, r.Attempt, store.StreamCombined, 1, 0)
				if err != nil || len(page) > 0 {
					break
				}
			}
			cancel()
		}()
	}
	rec, err := Command(ctx, w, spec)
	check(t, err)
	if rec.Err != nil || rec.Run.Status() != store.StatusCancelled || rec.Run.Errors != 1 {
		t.Errorf("error %v, run %+v", rec.Err, rec.Run)
	}
	if got := logOf(t, w, rec.Run, store.StreamCombined); got != "a.c:1:1: error: too late\n" {
		t.Errorf("its log is %q", got)
	}
}

const junit = `<?xml version="1.0" encoding="utf-8"?><testsuites><testsuite name="pytest" errors="0" failures="2" skipped="0" tests="3">
<testcase classname="test_sum" name="test_one" time="0.001"><failure message="assert 1 == 2">def test_one():
&gt;       assert 1 == 2
E       assert 1 == 2

test_sum.py:2: AssertionError</failure></testcase>
<testcase classname="test_sum" name="test_two" time="0.001"><failure message="assert 2 == 3">test_sum.py:5: AssertionError</failure></testcase>
<testcase classname="test_sum" name="test_three" time="0.001"/></testsuite></testsuites>
`

func TestReportsAddWhatTheLogDidNotTell(t *testing.T) {
	t.Parallel()
	w := newProject(t)
	spec := sh(w, `echo "FAILED test_sum.py::test_one - assert 1 == 2"; echo "1 failed, 1 passed in 0.01s"; exit 1`)
	spec.Reports = func() []Report { return []Report{{Name: "junit.xml", Text: []byte(junit)}} }
	rec, err := Command(context.Background(), w, spec)
	check(t, err)
	check(t, rec.Err)
	events := eventsOf(t, w, rec.Run)
	if len(events) != 2 || !strings.Contains(events[0], "1 == 2") || !strings.Contains(events[1], "2 == 3") {
		t.Errorf("events %q, want one of the log and one of the report", events)
	}
}
