//go:build unix

package capture

import (
	"bytes"
	"io"
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// On a busy machine the quiet period may pass before a read begins. In this test the period always passes before the
// read.
func TestWhatTheChildWroteIsReadHoweverLateTheReaderIs(t *testing.T) {
	t.Parallel()
	in, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close() // held open by a process that the child left behind
	enlarge(in)
	const size = 48 << 10 // fits into a pipe on every system
	if _, err := out.Write(make([]byte, size)); err != nil {
		t.Fatal(err)
	}
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	q := newQueue(8<<20, "", 0)
	r := newReader(in, null, q.writer(Combined))
	r.quiet = 0
	r.childEnded()
	r.copy()
	if read, _, _ := q.account(); read != size || !r.held.Load() {
		t.Errorf("%d of %d bytes were read, held: %v", read, size, r.held.Load())
	}
	in.Close()
}

// A process that the child left behind may write forever, and faster than blq can read. The reader ends nevertheless.
func TestSurvivorsDoNotKeepTheReader(t *testing.T) {
	t.Parallel()
	in, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	enlarge(in)
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for b := make([]byte, 1<<20); ; {
			if _, err := out.Write(b); err != nil {
				return
			}
		}
	}()
	q := newQueue(8<<20, "", 0)
	r := newReader(in, null, q.writer(Combined))
	r.childEnded()
	r.since = r.since.Add(-time.Hour)
	r.copy()
	if read, _, _ := q.account(); read <= maxHeld || !r.held.Load() {
		t.Errorf("%d bytes were read, held: %v", read, r.held.Load())
	}
	in.Close()
	<-ended
	out.Close()
}

// Programs such as Node put a terminal or a pipe into non-blocking mode. The mode then applies to all processes that
// share the open file.
func TestOutputThatWouldBlockIsWaitedFor(t *testing.T) {
	t.Parallel()
	var ends [2]int
	if err := unix.Pipe(ends[:]); err != nil {
		t.Fatal(err)
	}
	in, out := os.NewFile(uintptr(ends[0]), "in"), os.NewFile(uintptr(ends[1]), "out")
	defer in.Close()
	if err := unix.SetNonblock(ends[1], true); err != nil {
		t.Fatal(err)
	}
	text := bytes.Repeat([]byte("line of output\n"), 100_000) // more than fits into a pipe
	written := make(chan error, 1)
	go func() {
		written <- writeOut(out, text)
		out.Close()
	}()
	got, err := io.ReadAll(in)
	if failed := <-written; failed != nil || err != nil || !bytes.Equal(got, text) {
		t.Errorf("%d of %d bytes, %v, %v", len(got), len(text), failed, err)
	}
}
