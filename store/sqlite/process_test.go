package sqlite_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/sqlite"
)

// TestMain can run the test binary as one of several processes that write to a database.
func TestMain(m *testing.M) {
	path := os.Getenv("BLQ_TEST_DB")
	if path == "" {
		os.Exit(m.Run())
	}
	if err := writeRuns(path, os.Getenv("BLQ_TEST_NAME"), os.Getenv("BLQ_TEST_FOREVER") != "", os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

const (
	runsEach   = 10
	eventsEach = 20
)

// writeRuns records runs with the attempts NAME-0, NAME-1 and so on. When the store has accepted a whole run, writeRuns
// prints the run's attempt to the given writer.
func writeRuns(path, name string, forever bool, to io.Writer) error {
	ctx := context.Background()
	s, err := sqlite.Open(ctx, path)
	if err != nil {
		return err
	}
	runs := runsEach
	if os.Getenv("BLQ_TEST_LEAVE") != "" {
		runs = 1
		defer s.Leave()
	} else {
		defer s.Close()
	}
	for i := 0; i < runs || forever; i++ {
		attempt := fmt.Sprintf("%s-%d", name, i)
		if _, err := s.StartRun(ctx, store.Run{Attempt: attempt, Source: "build", StartedAt: time.Unix(1e9, 0)}); err != nil {
			return err
		}
		if err := s.AddEvents(ctx, attempt, 0, events(eventsEach)); err != nil {
			return err
		}
		code := 1
		if _, err := s.FinishRun(ctx, attempt, store.Finish{Ending: store.Ending{ExitCode: &code}, Batches: 1}); err != nil {
			return err
		}
		if _, err := fmt.Fprintln(to, attempt); err != nil {
			return err
		}
	}
	return nil
}

func events(n int) []store.Event {
	list := make([]store.Event, n)
	for i := range list {
		e := store.Event{
			ID: i + 1, Severity: store.SeverityError, File: fmt.Sprintf("src/module%d/file%d.c", i%97, i%1009),
			Line: i % 5000, Column: 7,
			Message: fmt.Sprintf("'symbol_%d' undeclared (first use in this function)", i), Tool: "gcc",
			Category: store.CategoryCompile,
			LogLine:  3 * i, LogLineEnd: 3*i + 2,
		}
		if i%3 == 0 {
			e.Severity = store.SeverityWarning
		}
		e.Fingerprint, e.Pattern = store.Fingerprint(e), store.Pattern(e)
		list[i] = e
	}
	return list
}

func process(t *testing.T, path, name string, env ...string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), exe)
	cmd.Env = append(os.Environ(), "BLQ_TEST_DB="+path, "BLQ_TEST_NAME="+name)
	cmd.Env = append(cmd.Env, env...)
	return cmd
}

func TestTenProcessesOpenANewDatabaseAndLoseNothing(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "blq.db")
	var wg sync.WaitGroup
	for i := range 10 {
		cmd := process(t, path, fmt.Sprint("p", i))
		wg.Go(func() {
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	wg.Wait()
	s := open(t, path)
	runs, err := s.Runs(t.Context(), store.Everything(), store.RunFilter{})
	if err != nil {
		t.Fatal(err)
	}
	page, err := s.Events(t.Context(), store.Everything(), store.EventFilter{Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	if len(runs) != 10*runsEach || runs[0].Serial != 10*runsEach || page.Total != 10*runsEach*eventsEach {
		t.Errorf("%d runs, newest %d, %d events", len(runs), runs[0].Serial, page.Total)
	}
}

func TestAKilledWriterLeavesAWholeDatabase(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "blq.db")
	highest := 0
	for round := range 5 {
		cmd := process(t, path, fmt.Sprint("r", round), "BLQ_TEST_FOREVER=1")
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		acknowledged := bufio.NewScanner(out)
		var last string
		for range 3 + round {
			if !acknowledged.Scan() {
				t.Fatal("the writer ended")
			}
			last = acknowledged.Text()
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		for acknowledged.Scan() {
			last = acknowledged.Text()
		}
		_ = cmd.Wait() // the test has killed it

		s := open(t, path)
		r, err := s.Run(t.Context(), store.Everything(), store.Ref{Attempt: last})
		if err != nil || r.State != store.StateCompleted || r.Errors+r.Warnings != eventsEach || r.Serial <= highest {
			t.Fatalf("round %d: %+v, %v", round, r, err)
		}
		highest = r.Serial
		next, err := s.StartRun(
			t.Context(), store.Run{Attempt: fmt.Sprint("after", round), Source: "test", StartedAt: time.Unix(1e9, 0)})
		if err != nil || next.Serial <= highest {
			t.Fatalf("round %d: serial %d after %d, %v", round, next.Serial, highest, err)
		}
		highest = next.Serial
	}
}

// TestLeave starts one process after another. Some of them leave their write-ahead log to the next process. The log
// stays small, and all runs are there.
func TestLeave(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "blq.db")
	left, processes := 0, 8
	for i := range processes {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "BLQ_TEST_DB="+path, "BLQ_TEST_LEAVE=1", fmt.Sprintf("BLQ_TEST_NAME=p%d", i))
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		info, err := os.Stat(path + "-wal")
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			t.Fatal(err)
		case info.Size() > 400<<10:
			t.Errorf("%d bytes are left", info.Size())
		default:
			left++
		}
	}
	if left == 0 || left == processes {
		t.Errorf("%d of %d processes left their log", left, processes)
	}
	s := open(t, path)
	if s.ReadOnly() {
		t.Error("the database is read-only")
	}
	newest, err := s.Run(t.Context(), store.Everything(), store.Ref{})
	if err != nil || newest.Serial != processes {
		t.Errorf("got %d, %v", newest.Serial, err)
	}
}
