package record

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/internal/project"
	"github.com/blq-ci/blq/store"
)

// closed is a store that records nothing while shut is set.
type closed struct {
	store.Store
	shut  bool
	tried int // number of runs that it did not accept
}

func (c *closed) StartRun(ctx context.Context, r store.Run) (store.Run, error) {
	if c.shut {
		c.tried++
		return store.Run{}, errors.New("no space is left")
	}
	return c.Store.StartRun(ctx, r)
}

// statuses returns the runs of a project, newest first, with their statuses.
func statuses(t *testing.T, w *project.Project) []string {
	t.Helper()
	runs, err := w.Store.Runs(t.Context(), store.Everything(), store.RunFilter{})
	check(t, err)
	var list []string
	for _, r := range runs {
		list = append(list, r.Ref().String()+" "+string(r.Status()))
	}
	return list
}

func notes(t *testing.T, w *project.Project) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(w.Dir, "missed", "*.json"))
	check(t, err)
	return files
}

func TestARunThatCannotBeRecordedIsRecordedLater(t *testing.T) {
	t.Parallel()
	w := newProject(t)
	s := &closed{Store: w.Store}
	w.Store = s
	command := func(script string) {
		t.Helper()
		spec := sh(w, script)
		spec.Source = "test"
		_, err := Command(t.Context(), w, spec)
		check(t, err)
	}
	command("true")
	s.shut = true
	command("exit 3")
	if err := Salvage(t.Context(), w); store.CodeOf(err) != store.Unavailable || !strings.Contains(err.Error(), "FAIL") {
		t.Errorf("a question while nothing can be recorded: %v", err)
	}
	s.shut = false
	check(t, Salvage(t.Context(), w))
	if diff := cmp.Diff([]string{"test:2 FAIL", "test:1 OK"}, statuses(t, w)); diff != "" {
		t.Errorf("runs (-want +got):\n%s", diff)
	}
	r, err := w.Store.Run(t.Context(), store.Everything(), store.Ref{Source: "test", Serial: 2})
	check(t, err)
	if r.ExitCode == nil || *r.ExitCode != 3 || r.Lost != "" || r.Command == "" {
		t.Errorf("recorded as %+v", r)
	}
	check(t, Salvage(t.Context(), w))
	if n := len(statuses(t, w)); n != 2 || notes(t, w) != nil {
		t.Errorf("after a second look: %d runs, notes %v", n, notes(t, w))
	}
}

// If a run cannot be recorded, its log is kept without secrets. Later it is recorded together with the run.
func TestTheLogOfARunThatCannotBeRecordedIsKept(t *testing.T) {
	t.Setenv("DEPLOY_TOKEN", "correct-horse-7")
	for _, split := range []bool{false, true} {
		w := newProject(t)
		s := &closed{Store: w.Store, shut: true}
		w.Store = s
		spec := sh(w, "echo correct-horse-7; echo 'a.c:1:2: error: bad' >&2; exit 3")
		spec.Source, spec.Split = "test", split
		rec, err := Command(t.Context(), w, spec)
		check(t, err)
		var kept []byte
		for _, file := range rec.Kept {
			text, err := os.ReadFile(file)
			check(t, err)
			kept = append(kept, text...)
		}
		if text := string(kept); !strings.Contains(text, "***\n") || !strings.Contains(text, "a.c:1:2: error: bad\n") {
			t.Errorf("kept in %v: %q", rec.Kept, text)
		}
		s.shut = false
		check(t, recordMissed(t.Context(), w, 10, nil)) // the log is larger
		if list := statuses(t, w); list != nil {
			t.Errorf("recorded: %v", list)
		}
		check(t, Salvage(t.Context(), w))
		page, err := w.Store.Events(t.Context(), store.Everything(), store.EventFilter{})
		check(t, err)
		r, err := w.Store.Run(t.Context(), store.Everything(), store.Ref{Source: "test", Serial: 1})
		check(t, err)
		if r.Status() != store.StatusFail || r.Lost != "" || len(page.Events) != 1 || page.Events[0].File != "a.c" {
			t.Errorf("%+v, events %+v", r, page.Events)
		}
		left, err := filepath.Glob(filepath.Join(w.Dir, "missed", "*.log"))
		check(t, err)
		if left != nil || notes(t, w) != nil {
			t.Errorf("left: %v, %v", left, notes(t, w))
		}
	}
}

// If a run that passed cannot be recorded, it stops no question, because it hides no failure. A run that failed does.
func TestAPassThatCannotBeRecordedStopsNoQuestion(t *testing.T) {
	t.Parallel()
	w := newProject(t)
	s := &closed{Store: w.Store, shut: true}
	w.Store = s
	_, err := Command(t.Context(), w, sh(w, "true"))
	check(t, err)
	if err := Salvage(t.Context(), w); err != nil || len(notes(t, w)) != 1 {
		t.Errorf("%v, notes %v", err, notes(t, w))
	}
	for range 3 {
		_, err = Command(t.Context(), w, sh(w, "exit 1"))
		check(t, err)
	}
	s.tried = 0
	// Recording a run could take seconds, so only one of the runs is tried.
	if err := Salvage(t.Context(), w); store.CodeOf(err) != store.Unavailable || s.tried != 1 {
		t.Errorf("after failures: %v, after %d attempts", err, s.tried)
	}
}

// Runs are ordered by their start, even if they are recorded in another order.
func TestALaterRunAnswersARunThatCouldNotBeRecorded(t *testing.T) {
	t.Parallel()
	w := newProject(t)
	begun := time.Now()
	for i, end := range []int{1, 0} { // the failure began first, and is noted last
		r := store.Run{Attempt: string(rune('a' + i)), Source: "test", Command: "make", Shape: "s",
			StartedAt: begun.Add(time.Duration(i) * time.Second), State: store.StateCompleted}
		r.Ending = store.Ending{FinishedAt: r.StartedAt, ExitCode: &end}
		if end == 0 {
			_, err := w.Store.StartRun(t.Context(), r)
			check(t, err)
			_, err = w.Store.FinishRun(t.Context(), r.Attempt, store.Finish{Ending: r.Ending})
			check(t, err)
			continue
		}
		defer func() {
			project.NoteMissed(w.Dir, r, errors.New("the disk is full")).End(r.Ending)
			check(t, Salvage(t.Context(), w))
			newest, err := w.Store.Runs(t.Context(), store.Everything(), store.RunFilter{Newest: true})
			check(t, err)
			if len(newest) != 1 || newest[0].Status() != store.StatusOK {
				t.Errorf("newest: %+v", newest)
			}
		}()
	}
}

func TestAnUnrecordedRunIsRunningUntilItsEndIsKnown(t *testing.T) {
	t.Parallel()
	w := newProject(t)
	r := store.Run{Attempt: "a", Source: "test", Command: "make", StartedAt: time.Now()}
	n := project.NoteMissed(w.Dir, r, errors.New("the disk is full"))
	for range 2 {
		check(t, Salvage(t.Context(), w))
		if diff := cmp.Diff([]string{"test:1 RUNNING"}, statuses(t, w)); diff != "" {
			t.Errorf("while it runs (-want +got):\n%s", diff)
		}
	}
	killed := 137
	n.End(store.Ending{FinishedAt: time.Now(), ExitCode: &killed})
	check(t, Salvage(t.Context(), w))
	if diff := cmp.Diff([]string{"test:1 FAIL"}, statuses(t, w)); diff != "" {
		t.Errorf("after its end (-want +got):\n%s", diff)
	}
}

func TestAnUnrecordedRunWhoseRecorderDiedIsAnOrphan(t *testing.T) {
	t.Parallel()
	w := newProject(t)
	r := store.Run{Attempt: "a", Source: "test", Command: "make", StartedAt: time.Now()}
	project.NoteMissed(w.Dir, r, errors.New("the disk is full")).Leave()
	check(t, Salvage(t.Context(), w))
	if diff := cmp.Diff([]string{"test:1 ORPHANED"}, statuses(t, w)); diff != "" {
		t.Errorf("runs (-want +got):\n%s", diff)
	}
}

func TestNotesHaveNoSecrets(t *testing.T) {
	t.Setenv("DEPLOY_TOKEN", "correct-horse-7")
	w := newProject(t)
	w.Store = &closed{Store: w.Store, shut: true}
	_, err := Command(t.Context(), w, sh(w, "echo correct-horse-7; exit 1"))
	check(t, err)
	spec := sh(w, "curl -u bob:correct-horse-7 x; exit 1")
	spec.Folder, spec.Raw = w.Dir, true
	_, err = Bare(t.Context(), spec, errors.New("correct-horse-7 is damaged"))
	check(t, err)
	if len(notes(t, w)) != 2 {
		t.Errorf("notes: %v", notes(t, w))
	}
	for _, file := range notes(t, w) {
		text, err := os.ReadFile(file)
		check(t, err)
		if strings.Contains(string(text), "correct-horse-7") {
			t.Errorf("a note has the secret: %s", text)
		}
	}
}
