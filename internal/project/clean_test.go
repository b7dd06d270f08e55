package project

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/chunk"
)

// startRun stores a run that is running.
func startRun(t *testing.T, w *Project, source string, at time.Time) store.Run {
	t.Helper()
	r, err := w.Store.StartRun(context.Background(), store.Run{
		Attempt: uuid.Must(uuid.NewV7()).String(), Source: source, Command: "make", StartedAt: at, HeartbeatAt: at,
		State: store.StateRunning,
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// addRun stores a completed run with one event and a separate log.
func addRun(t *testing.T, w *Project, source string, age time.Duration) store.Run {
	t.Helper()
	ctx, at := context.Background(), time.Now().Add(-age)
	r := startRun(t, w, source, at)
	log, err := chunk.NewWriter(w.Store, w.Blobs, r.Attempt)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := log.Write(ctx, store.StreamCombined, []byte("log of "+r.Attempt+"\n")); err != nil {
		t.Fatal(err)
	}
	if err := log.Flush(ctx); err != nil {
		t.Fatal(err)
	}
	if err := w.Store.AddEvents(
		ctx, r.Attempt, 0, []store.Event{{ID: 1, Severity: store.SeverityError, Message: "no"}}); err != nil {
		t.Fatal(err)
	}
	failed := 1
	r, err = w.Store.FinishRun(ctx, r.Attempt,
		store.Finish{Ending: store.Ending{FinishedAt: at, ExitCode: &failed}, Chunks: log.Chunks(), Batches: 1, Lines: 1})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func refs(t *testing.T, w *Project) string {
	t.Helper()
	runs, err := w.Store.Runs(context.Background(), store.Everything(), store.RunFilter{})
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, r := range runs {
		list = append(list, r.Ref().String())
	}
	return strings.Join(list, " ")
}

func blobs(t *testing.T, w *Project) int {
	t.Helper()
	keys, err := w.Blobs.List(context.Background(), "", "", 0)
	if err != nil {
		t.Fatal(err)
	}
	return len(keys)
}

const day = 24 * time.Hour

func TestRetentionBecomesAPolicy(t *testing.T) {
	t.Parallel()
	now := time.Date(2024, 3, 31, 12, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		retention Retention
		want      store.Policy
	}{
		{Retention{}, store.Policy{}},
		{Retention{Days: 30}, store.Policy{Before: now.AddDate(0, 0, -30)}},
		{Retention{RunsPerSource: 5, MaxMB: 3}, store.Policy{KeepPerSource: 5, MaxBytes: 3 << 20}},
	} {
		if diff := cmp.Diff(tt.want, tt.retention.Policy(now)); diff != "" {
			t.Error(diff)
		}
		if tt.retention.IsZero() != cmp.Equal(tt.want, store.Policy{}) {
			t.Errorf("IsZero of %v", tt.retention)
		}
	}
}

func TestCleanRemovesWhatTheModeSays(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		mode    CleanMode
		days    int
		keep    Retention
		left    string
		removed int
		message string
		code    store.Code
	}{
		{mode: CleanData, removed: 3, message: "Cleared all run data. Config and commands preserved."},
		{mode: CleanPrune, days: 30, left: "test:3 build:2", removed: 1, message: "Removed data older than 30 days."},
		{mode: CleanPrune, days: 90, left: "test:3 build:2 build:1", message: "Removed data older than 90 days."},
		{mode: CleanPrune, keep: Retention{RunsPerSource: 1}, left: "test:3 build:2", removed: 1,
			message: "Removed what the retention settings do not keep."},
		{mode: CleanPrune, left: "test:3 build:2 build:1", code: store.Invalid},
		{mode: "nosuch", left: "test:3 build:2 build:1", code: store.Invalid},
		{mode: CleanFull, left: "test:3 build:2 build:1", code: store.Invalid},
	} {
		w := newProject(t)
		w.Config.Retention = tt.keep
		addRun(t, w, "build", 60*day)
		addRun(t, w, "build", 2*day)
		addRun(t, w, "test", day)
		got, err := w.Clean(context.Background(), tt.mode, tt.days, "")
		wantCode(t, err, tt.code)
		if left := refs(t, w); left != tt.left {
			t.Errorf("%s left %q, want %q", tt.mode, left, tt.left)
		}
		if want := 3 - tt.removed; blobs(t, w) != want {
			t.Errorf("%s left %d objects, want %d", tt.mode, blobs(t, w), want)
		}
		if err != nil {
			continue
		}
		if got.Message != tt.message || got.Mode != tt.mode {
			t.Errorf("answer %+v", got)
		}
		if r := got.Removed; r.Runs != tt.removed || r.Events != tt.removed || r.Blobs != tt.removed ||
			(r.Bytes > 0) != (tt.removed > 0) {
			t.Errorf("%s removed %+v, want %d of each", tt.mode, r, tt.removed)
		}
	}
}

func TestCleanLeavesRunsThatGoOn(t *testing.T) {
	t.Parallel()
	w := newProject(t)
	addRun(t, w, "build", day)
	startRun(t, w, "build", time.Now())
	if _, err := w.Clean(context.Background(), CleanData, 0, ""); err != nil {
		t.Fatal(err)
	}
	if left := refs(t, w); left != "build:2" {
		t.Errorf("left %q", left)
	}
}

func TestResetWorksOnWhatCannotBeOpened(t *testing.T) {
	t.Parallel()
	for mode, commands := range map[CleanMode]int{CleanSchema: 1, CleanFull: 0} {
		w := newProject(t)
		addRun(t, w, "build", day)
		if _, err := w.Config.Register(Command{Name: "build", Cmd: "make"}, false); err != nil {
			t.Fatal(err)
		}
		w.Close()
		for _, name := range []string{"blq.db", "blq.db-wal"} {
			if err := os.WriteFile(filepath.Join(w.Dir, name), []byte(strings.Repeat("no database ", 100)), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := Reset(context.Background(), w.Dir, mode); err != nil {
			t.Fatal(err)
		}
		again, err := Open(context.Background(), w.Dir)
		if err != nil {
			t.Fatal(err)
		}
		defer again.Close()
		if len(again.Config.Names()) != commands || refs(t, again) != "" || blobs(t, again) != 0 {
			t.Errorf("after %s: commands %v, runs %q, %d objects", mode, again.Config.Names(), refs(t, again), blobs(t, again))
		}
	}
}

func TestResetRefusesWhatItMustNotRemove(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	_, err := Reset(ctx, filepath.Join(t.TempDir(), DirName), CleanFull)
	wantCode(t, err, store.NotFound)
	w := newProject(t)
	_, err = Reset(ctx, w.Dir, CleanData)
	wantCode(t, err, store.Invalid)
	live, err := w.MarkLive("a")
	if err != nil {
		t.Fatal(err)
	}
	_, err = Reset(ctx, w.Dir, CleanSchema)
	wantCode(t, err, store.Conflict)
	live.Release()
	foreign := filepath.Join(w.Dir, "thesis.txt")
	if err := os.WriteFile(foreign, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	_, err = Reset(ctx, w.Dir, CleanFull)
	wantCode(t, err, store.Conflict)
	for _, name := range []string{foreign, filepath.Join(w.Dir, "blq.db")} {
		if _, err := os.Stat(name); err != nil {
			t.Error(err)
		}
	}
}
