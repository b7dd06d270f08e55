package record

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/internal/capture"
	"github.com/blq-ci/blq/internal/project"
	"github.com/blq-ci/blq/store"
)

// until polls until ok returns true, and fails the test after a while.
func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatal("never happened: " + what)
		}
	}
}

func TestARunningRunShowsWhatIsKnown(t *testing.T) {
	t.Parallel()
	w := newProject(t)
	begun, ended := make(chan store.Run, 1), make(chan Recorded, 1)
	spec := sh(w, `echo "a.c:1:1: error: one"; echo "b.c:2:1: warning: two"; for i in $(seq 600); do [ -e "$1/go" ] && break; sleep 0.1; done; echo "c.c:3:1: error: three"; exit 1`, w.Root())
	spec.Background, spec.Begun = true, func(r store.Run) { begun <- r }
	spec.Command.Args[0] = "bash"
	go func() {
		rec, err := Command(context.Background(), w, spec)
		check(t, err)
		ended <- rec
	}()
	r := <-begun
	var seen []string
	until(t, "events of a running run", func() bool { seen = eventsOf(t, w, r); return len(seen) == 2 })
	if diff := cmp.Diff([]string{"1 a.c:1 one", "2 b.c:2 two"}, seen); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	now, err := w.Store.Run(t.Context(), everything, store.Ref{Attempt: r.Attempt})
	check(t, err)
	if now.State != store.StateRunning || now.Errors != 1 || now.Warnings != 1 {
		t.Errorf("%s has %d errors and %d warnings so far", now.Status(), now.Errors, now.Warnings)
	}
	check(t, os.WriteFile(filepath.Join(w.Root(), "go"), nil, 0o644))
	rec := <-ended
	if rec.Err != nil || rec.Run.Errors != 2 || rec.Run.Warnings != 1 {
		t.Errorf("%+v %v", rec.Run, rec.Err)
	}
	if diff := cmp.Diff([]string{"1 a.c:1 one", "2 b.c:2 two", "3 c.c:3 three"}, eventsOf(t, w, r)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// When a run has ended, its events are those that the parser finds in the whole log. Events that were shown before the
// end do not change them.
func TestWhatWasShownDoesNotChangeTheEvents(t *testing.T) {
	t.Parallel()
	w := newProject(t)
	w.Config.Redact.Off = true // some goldens have what looks like a secret
	files, err := filepath.Glob("../../ingest/parse/formats/testdata/*/*.txtar")
	check(t, err)
	shown := &counted{Store: w.Store}
	w.Store = shown
	for i, file := range files {
		if i%4 != 0 {
			continue // starting a session takes time
		}
		input, exit := golden(t, file)
		s, _, err := begin(t.Context(), w, Spec{Source: "build", Command: project.Plain([]string{"make"}), Dir: w.Root()})
		check(t, err)
		for line := range bytes.SplitAfterSeq(input, []byte("\n")) {
			_ = s.sink(capture.Combined, line)
			s.live.asked.Store(true)
		}
		ending := store.Ending{FinishedAt: time.Now(), ExitCode: exit}
		run, err := s.finish(t.Context(), ending)
		s.lock.Release()
		check(t, err)
		page, err := w.Store.Events(t.Context(), everything,
			store.EventFilter{Runs: store.RunFilter{Attempts: []string{run.Attempt}}})
		check(t, err)
		var got []store.Event
		for _, e := range page.Events {
			got = append(got, e.Event)
		}
		if diff := cmp.Diff(parse.Bytes(input, parserExit(ending), s.options), got); diff != "" {
			t.Errorf("%s: events differ (-want +got):\n%s", file, diff)
		}
	}
	if shown.n == 0 {
		t.Error("nothing was ever shown")
	}
}

// golden returns the input of a parser golden, and its exit code.
func golden(t *testing.T, file string) (input []byte, exit *int) {
	t.Helper()
	ar, err := txtar.ParseFile(file)
	check(t, err)
	for _, f := range ar.Files {
		switch f.Name {
		case "input":
			input = f.Data
		case "exit":
			code, err := strconv.Atoi(strings.TrimSpace(string(f.Data)))
			check(t, err)
			exit = &code
		}
	}
	return input, exit
}

func TestOfAKilledRunStaysWhatItsLogHolds(t *testing.T) {
	t.Parallel()
	for log, want := range map[string][]string{"a.c:1:1: error: one\n": {"1 a.c:1 one"}, "all is well\n": nil} {
		w := newProject(t)
		r := abandon(t, w, map[string]string{"combined": log}, nil)
		check(t, w.Store.SetLive(t.Context(), r.Attempt,
			1, []store.Event{{ID: 1, Severity: "error", Message: "shown"}, {ID: 2, Severity: "error", Message: "likewise"}}))
		check(t, Salvage(t.Context(), w))
		if diff := cmp.Diff(want, eventsOf(t, w, r)); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
		now, err := w.Store.Run(t.Context(), everything, store.Ref{Attempt: r.Attempt})
		check(t, err)
		if now.Status() != store.StatusOrphaned || now.Errors != len(want) {
			t.Errorf("%s with %d errors", now.Status(), now.Errors)
		}
	}
}

// counted counts the calls of SetLive.
type counted struct {
	store.Store
	n int
}

func (c *counted) SetLive(ctx context.Context, attempt string, from int, events []store.Event) error {
	c.n++
	return c.Store.SetLive(ctx, attempt, from, events)
}
