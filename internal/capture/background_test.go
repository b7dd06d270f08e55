//go:build unix

package capture_test

import (
	"context"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/blq-ci/blq/internal/capture"
	"github.com/blq-ci/blq/store"
)

// background returns a command in the form in which a server starts it.
func background(t *testing.T, name string, args ...string) capture.Command {
	cmd := child(t, name, args...)
	cmd.Background, cmd.Stdin, cmd.Stdout, cmd.Stderr = true, nil, nil, nil
	return cmd
}

// swap replaces a standard file of the process until the test ends.
func swap(t *testing.T, own **os.File, f *os.File) {
	t.Helper()
	old := *own
	*own = f
	t.Cleanup(func() { *own = old })
}

func TestBackgroundChildHasNothingOfOurs(t *testing.T) {
	out := temp(t)
	in := temp(t)
	if _, err := in.WriteString("the protocol"); err != nil {
		t.Fatal(err)
	}
	if _, err := in.Seek(0, 0); err != nil {
		t.Fatal(err)
	}
	swap(t, &os.Stdin, in)
	swap(t, &os.Stdout, out)
	swap(t, &os.Stderr, out)
	_, rec := run(t, background(t, "alone"))
	if got, want := rec.text(capture.Combined), "read 0 terminal false session true\n"; got != want {
		t.Errorf("the child says %q, want %q", got, want)
	}
	if got := contents(t, out); got != "" {
		t.Errorf("our own output got %q", got)
	}
}

func TestBackgroundLeavesSignalsAlone(t *testing.T) {
	ours := make(chan os.Signal, 1)
	signal.Notify(ours, syscall.SIGHUP)
	defer signal.Stop(ours)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	cmd := background(t, "cat")
	cmd.Stdin = r
	rec := newRecorder()
	go func() {
		w.WriteString("ready\n")
		rec.await("ready")
		syscall.Kill(os.Getpid(), syscall.SIGHUP)
		<-ours
		w.Close()
	}()
	res, err := capture.Run(t.Context(), cmd, rec.sink)
	if err != nil || res.Signal != "" || res.ExitCode != 0 {
		t.Errorf("a signal that was ours ended the child: %+v %v", res, err)
	}
}

func TestManyInTheBackgroundKeepTheirOutputs(t *testing.T) {
	t.Parallel()
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			rec := newRecorder()
			res, err := capture.Run(t.Context(), background(t, "alternate"), rec.sink)
			if err != nil || res.ExitCode != 0 || strings.Count(rec.text(capture.Combined), "\n") != 4000 {
				t.Errorf("%+v %v: %d lines", res, err, strings.Count(rec.text(capture.Combined), "\n"))
			}
		})
	}
	wg.Wait()
}

func TestCancelHurriesAChildThatTakesItsTimeToEnd(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	rec := newRecorder()
	cmd := background(t, "stubborn")
	cmd.Grace, cmd.Hurry = time.Hour, time.Millisecond
	go func() { rec.await("ready"); cancel() }()
	res, err := capture.Run(ctx, cmd, rec.sink)
	if err != nil || res.Signal != "SIGKILL" || res.Reason != store.ReasonCancelled {
		t.Errorf("%+v %v", res, err)
	}
}
