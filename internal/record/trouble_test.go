package record

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/blq-ci/blq/internal/capture"
	"github.com/blq-ci/blq/internal/project"
	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/chunk"
)

// breakBlobs replaces the folder of the logs by a file. So every write of a log fails, even for root.
func breakBlobs(t *testing.T, w *project.Project) {
	t.Helper()
	check(t, os.RemoveAll(filepath.Join(w.Dir, "blobs")))
	check(t, os.WriteFile(filepath.Join(w.Dir, "blobs"), nil, 0o644))
}

func TestLostLogLeavesTheEndingAndTheEvents(t *testing.T) {
	t.Parallel()
	w := newProject(t)
	breakBlobs(t, w)
	rec, err := Command(context.Background(), w, sh(w, `echo "a.c:1:1: error: no"; exit 5`))
	check(t, err)
	if rec.Result.ExitCode != 5 || *rec.Run.ExitCode != 5 || rec.Run.Status() != store.StatusFail {
		t.Errorf("ended with %+v, recorded as %+v", rec.Result, rec.Run)
	}
	if rec.Err == nil || !strings.HasPrefix(rec.Run.Lost, "part of the log: ") || rec.Run.Errors != 1 {
		t.Errorf("error %v, lost %q, %d errors", rec.Err, rec.Run.Lost, rec.Run.Errors)
	}
	// A log without an exit code may have had errors in the part that is lost.
	r, err := Log(context.Background(), w, Spec{Source: "ci", Dir: w.Root()}, strings.NewReader("x\n"), nil)
	if err == nil || !strings.Contains(err.Error(), "part of the log") || r.Status() != store.StatusFail {
		t.Errorf("an imported log that is lost: %v, recorded as %s", err, r.Status())
	}
	broken := io.MultiReader(strings.NewReader("x\n"), iotest.ErrReader(errors.New("no such device")))
	r, err = Log(context.Background(), newProject(t), Spec{Source: "ci", Dir: w.Root()}, broken, nil)
	if err == nil || !strings.Contains(err.Error(), "no such device") || r.Status() != store.StatusFail {
		t.Errorf("a log that cannot be read to its end: %v, recorded as %s", err, r.Status())
	}
}

func TestLostStoreLeavesTheEnding(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]string{
		"from the start": "echo x; exit 5",
		"midway":         `rm -r .lq/blq.db*; echo nothing > .lq/blq.db; echo "a.c:1:1: error: no"; exit 5`,
	} {
		t.Run(name, func(t *testing.T) {
			w := newProject(t)
			if name == "from the start" {
				w.Store.Close()
			}
			rec, err := Command(context.Background(), w, sh(w, script))
			if err != nil || rec.Result.ExitCode != 5 || !rec.Started {
				t.Errorf("ended with %+v, %v", rec.Result, err)
			}
			if name == "from the start" && rec.Err == nil {
				t.Error("nothing says that nothing was recorded")
			}
		})
	}
}

// full is a store on a full disk. Runs start, but their ends cannot be stored.
type full struct{ store.Store }

func (full) FinishRun(context.Context, string, store.Finish) (store.Run, error) {
	return store.Run{}, errors.New("no space is left")
}

func TestAnEndThatCannotBeStoredIsReturned(t *testing.T) {
	t.Parallel()
	for script, want := range map[string]store.Status{"exit 5": store.StatusFail, "true": store.StatusOK} {
		w := newProject(t)
		w.Store = full{w.Store}
		rec, err := Command(t.Context(), w, sh(w, script))
		if err != nil || rec.Err == nil || rec.Run.Status() != want {
			t.Errorf("%s: %v, %v, recorded as %s", script, err, rec.Err, rec.Run.Status())
		}
	}
}

// The store gets the end of a run later, from a note.
func TestAnEndThatCannotBeStoredIsStoredLater(t *testing.T) {
	t.Parallel()
	w := newProject(t)
	kept := w.Store
	w.Store = full{kept}
	spec := sh(w, `echo "a.c:1:1: error: no"; exit 5`)
	spec.Source = "test"
	_, err := Command(t.Context(), w, spec)
	check(t, err)
	if err := Salvage(t.Context(), w); store.CodeOf(err) != store.Unavailable || !strings.Contains(err.Error(), "FAIL") {
		t.Errorf("a question while the end cannot be stored: %v", err)
	}
	w.Store = kept
	check(t, Salvage(t.Context(), w))
	if diff := cmp.Diff([]string{"test:1 FAIL"}, statuses(t, w)); diff != "" {
		t.Errorf("runs (-want +got):\n%s", diff)
	}
	r, err := kept.Run(t.Context(), store.Everything(), store.Ref{Source: "test", Serial: 1})
	check(t, err)
	if r.Errors != 1 || *r.ExitCode != 5 || !strings.Contains(r.Lost, "no space is left") || len(notes(t, w)) > 0 {
		t.Errorf("recorded as %+v", r)
	}
}

// If neither the store nor a note gets the end of a run, the run counts as orphaned at once. It does not count as
// running.
func TestARunWithoutAnEndAndWithoutANoteIsOrphaned(t *testing.T) {
	w := newProject(t)
	for _, name := range []string{"XDG_CACHE_HOME", "HOME", "LocalAppData"} { // the other place for notes
		t.Setenv(name, filepath.Join(w.Dir, "missed", "cache"))
	}
	kept := w.Store
	w.Store = full{kept}
	check(t, os.RemoveAll(filepath.Join(w.Dir, "missed")))
	check(t, os.WriteFile(filepath.Join(w.Dir, "missed"), nil, 0o644))
	s, _, err := begin(t.Context(), w, sh(w, "true"))
	check(t, err)
	s.missEnd(store.Ending{FinishedAt: time.Now()}, errors.New("no space is left"))
	s.lock.Release()
	w.Store = kept
	check(t, Salvage(t.Context(), w))
	if got := statuses(t, w); len(got) != 1 || !strings.HasSuffix(got[0], string(store.StatusOrphaned)) {
		t.Errorf("runs %v", got)
	}
}

// stuck is a store in which runs do not end until it is released.
type stuck struct {
	store.Store
	release chan struct{}
}

func (s stuck) FinishRun(ctx context.Context, attempt string, f store.Finish) (store.Run, error) {
	<-s.release
	return s.Store.FinishRun(ctx, attempt, f)
}

func TestSignalsEndTheWaitForTheEndOfARun(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, 2} {
		w := newProject(t)
		s, _, err := begin(t.Context(), w, sh(w, "true"))
		check(t, err)
		release := make(chan struct{})
		w.Store = stuck{w.Store, release}
		signals := make(chan os.Signal, n)
		for range n {
			signals <- os.Interrupt
		}
		if n == 1 {
			close(release) // the run ends soon, within the time after one signal
		}
		run, err := s.finishInTime(t.Context(), store.Ending{FinishedAt: time.Now()}, signals, nil)
		if n == 1 && (err != nil || run.State != store.StateCompleted) {
			t.Errorf("after a signal: %+v %v", run, err)
		}
		if n == 2 && (err == nil || !strings.Contains(err.Error(), "interrupted")) {
			t.Errorf("after two signals: %v", err)
		}
		if n == 2 {
			close(release)
		}
		s.lock.Release()
	}
}

func TestReadingALongLogIsTold(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "log")
	check(t, os.WriteFile(path, make([]byte, 1000), 0o600))
	f, err := os.Open(path)
	check(t, err)
	defer f.Close()
	var calls []int64
	spec := Spec{Waiting: func(done, all int64) { calls = append(calls, done, all) }}
	spec.teller(f, -1)(400)
	spec.teller(strings.NewReader("x"), -1)(1)
	if diff := cmp.Diff([]int64{400, 1000, 1, 0}, calls); diff != "" {
		t.Error(diff)
	}
}

func TestBareRunsWithoutAnything(t *testing.T) {
	t.Parallel()
	why := store.Errorf(store.Unavailable, "no disk")
	rec, err := Bare(context.Background(), Spec{Command: project.Plain([]string{"sh", "-c", "exit 4"})}, why)
	if err != nil || !errors.Is(rec.Err, why) || rec.Result.ExitCode != 4 || rec.Run.Serial != 0 {
		t.Errorf("%+v, %v", rec, err)
	}
}

// abandon stores a run in the state that a killed recorder leaves: a log, and the events that were already sent.
func abandon(t *testing.T, w *project.Project, logs map[string]string, sent []store.Event) store.Run {
	t.Helper()
	ctx := context.Background()
	long := time.Now().Add(-time.Hour)
	r, err := w.Store.StartRun(ctx, store.Run{Attempt: uuid.Must(uuid.NewV7()).String(), Source: "build", Cwd: w.Root(),
		StartedAt: long, HeartbeatAt: long, State: store.StateRunning})
	check(t, err)
	log, err := chunk.NewWriter(w.Store, w.Blobs, r.Attempt)
	check(t, err)
	for _, stream := range []string{store.StreamCombined, store.StreamStdout, store.StreamStderr} {
		_, err := log.Write(ctx, stream, []byte(logs[stream]))
		check(t, err)
	}
	check(t, log.Flush(ctx))
	// the lock file stays when its owner dies
	check(t, os.WriteFile(filepath.Join(w.Dir, "live", r.Attempt+".lock"), nil, 0o644))
	if sent != nil {
		check(t, w.Store.AddEvents(ctx, r.Attempt, 0, sent))
	}
	return r
}

func TestOrphansAreSalvagedOnceWithStableIDs(t *testing.T) {
	t.Parallel()
	out, errs := "a.c:1:1: error: one\na.c:2:1: error: two\n", "b.c:1:1: error: three\nb.c:2:1: error: four\n"
	sent := func(id int, stream, file string, line int, message string) store.Event {
		return store.Event{ID: id, Stream: stream, Severity: store.SeverityError, File: file, Line: line, Message: message}
	}
	for _, tt := range []struct {
		name string
		logs map[string]string
		sent []store.Event
		want []string
	}{
		{"nothing sent", map[string]string{"combined": out}, nil, []string{"1 a.c:1 one", "2 a.c:2 two"}},
		{"one sent", map[string]string{"combined": out}, []store.Event{sent(1, "", "a.c", 1, "one")},
			[]string{"1 a.c:1 one", "2 a.c:2 two"}},
		{"all sent", map[string]string{"combined": out},
			[]store.Event{sent(1, "", "a.c", 1, "one"), sent(2, "", "a.c", 2, "two")}, []string{"1 a.c:1 one", "2 a.c:2 two"}},
		{"one of each stream sent", map[string]string{"stdout": out, "stderr": errs},
			[]store.Event{sent(1, "stderr", "b.c", 1, "three"), sent(2, "stdout", "a.c", 1, "one")},
			[]string{"1 stderr b.c:1 three", "2 stdout a.c:1 one", "3 stdout a.c:2 two", "4 stderr b.c:2 four"}},
		{"no log", nil, nil, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newProject(t)
			r := abandon(t, w, tt.logs, tt.sent)
			check(t, salvage(context.Background(), w, r)) // as if the process had died at this point
			for range 2 {
				check(t, Salvage(context.Background(), w))
				if diff := cmp.Diff(tt.want, eventsOf(t, w, r)); diff != "" {
					t.Error(diff)
				}
			}
			if got, err := w.Store.Run(context.Background(), everything, store.Ref{Attempt: r.Attempt}); err != nil ||
				got.Status() != store.StatusOrphaned || got.Errors != len(tt.want) {
				t.Errorf("%s with %d errors, %v", got.Status(), got.Errors, err)
			}
		})
	}
}

func TestRetentionIsAppliedNowAndThen(t *testing.T) {
	t.Parallel()
	w := newProject(t)
	w.Config.Retention = project.Retention{RunsPerSource: 3}
	for range 20 {
		rec, err := Command(context.Background(), w, sh(w, "true"))
		check(t, err)
		check(t, rec.Err)
	}
	runs, err := w.Store.Runs(context.Background(), everything, store.RunFilter{})
	if err != nil || len(runs) != 3 || runs[0].Serial != 20 {
		t.Errorf("%d runs, %v", len(runs), err)
	}
}

// A command that blq could not start counts as failed, even if the system was the reason and not the command.
func TestACommandThatDidNotStartFailed(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		err  error
		code int
	}{
		{errors.New("open a terminal: EOF"), 1}, {&capture.StartError{Name: "x", Code: 127, Err: os.ErrNotExist}, 127},
	} {
		r := store.Run{State: store.StateCompleted, Ending: endingOf(capture.Result{}, tt.err)}
		if r.Status() != store.StatusFail || r.ExitCode == nil || *r.ExitCode != tt.code {
			t.Errorf("%v: %s, %+v", tt.err, r.Status(), r.Ending)
		}
	}
}
