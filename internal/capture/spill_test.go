//go:build unix

package capture_test

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/blq-ci/blq/internal/capture"
)

func TestBlockedSinkDoesNotBlockTheChild(t *testing.T) {
	t.Parallel()
	const size = 64 << 20
	release := make(chan struct{})
	defer close(release)
	cmd := child(t, "flood", fmt.Sprint(size))
	cmd.Memory, cmd.Stall = 1<<20, 50*time.Millisecond
	res, err := capture.Run(t.Context(), cmd, func(capture.Stream, []byte) error { <-release; return nil })
	if err != nil || res.ExitCode != 0 || res.Bytes != size || res.LostBytes != size || res.Lost == "" {
		t.Errorf("%+v %v", res, err)
	}
	if got := len(contents(t, cmd.Stdout)); got != size {
		t.Errorf("passed on %d of %d bytes", got, size)
	}
}

func TestSpillKeepsOrderAndBytes(t *testing.T) {
	t.Parallel()
	const size = 200 << 20
	want := sha256.New()
	r := rand.NewChaCha8([32]byte{1})
	buf := make([]byte, 64<<10)
	for range size / len(buf) {
		r.Read(buf)
		want.Write(buf)
	}
	for _, split := range []bool{false, true} {
		dir := t.TempDir()
		got := sha256.New()
		flooded := make(chan struct{})
		cmd := child(t, "flood", fmt.Sprint(size))
		cmd.SpillDir, cmd.Split = dir, split
		cmd.Stall = time.Hour // on a busy machine the sink may wait long for a reader
		cmd.Stdout = watched(t, size, flooded)
		res, err := capture.Run(t.Context(), cmd, func(_ capture.Stream, p []byte) error {
			<-flooded // the sink blocks until all output is written
			got.Write(p)
			return nil
		})
		if err != nil || res.Bytes != size || res.Lost != "" {
			t.Fatalf("%+v %v", res, err)
		}
		if fmt.Sprintf("%x", got.Sum(nil)) != fmt.Sprintf("%x", want.Sum(nil)) {
			t.Error("bytes changed on their way through the file")
		}
		if left, _ := os.ReadDir(dir); len(left) != 0 {
			t.Errorf("left behind %v", left)
		}
	}
}

// watched returns the end of a pipe for writing. The reader of the pipe closes done after size bytes.
func watched(t *testing.T, size int64, done chan struct{}) *os.File {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		io.CopyN(io.Discard, r, size)
		close(done)
		io.Copy(io.Discard, r)
	}()
	t.Cleanup(func() { w.Close(); r.Close() })
	return w
}

func TestAlternatingStreamsSurviveTheSpill(t *testing.T) {
	t.Parallel()
	var want strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&want, "err %d\n", i)
	}
	cmd := child(t, "")
	// The zeros fill the memory, so the following lines go through the spill file.
	cmd.Args, cmd.Shell = []string{`head -c 600000 /dev/zero; BLQ_CHILD=alternate "$1"`, os.Args[0]}, true
	cmd.Split, cmd.Memory, cmd.SpillDir = true, 1<<19, t.TempDir()
	rec := newRecorder()
	slow := 0
	res, err := capture.Run(t.Context(), cmd, func(s capture.Stream, p []byte) error {
		if slow++; slow < 20 {
			time.Sleep(5 * time.Millisecond) // a slow sink, like a slow disk
		}
		return rec.sink(s, p)
	})
	if err != nil || res.Lost != "" || rec.text(capture.Stderr) != want.String() ||
		!strings.HasSuffix(rec.text(capture.Stdout), "out 1999\n") {
		t.Errorf("%+v %v", res, err)
	}
}

func TestFullDiskLosesAndCounts(t *testing.T) {
	t.Parallel()
	const size = 32 << 20
	for name, change := range map[string]func(*capture.Command){
		"limit":        func(c *capture.Command) { c.SpillDir, c.SpillMax = t.TempDir(), 4<<20 },
		"no directory": func(c *capture.Command) { c.SpillDir = filepath.Join(t.TempDir(), "absent") },
	} {
		flooded := make(chan struct{})
		var got int64
		cmd := child(t, "flood", fmt.Sprint(size))
		cmd.Memory = 1 << 20
		cmd.Stdout = watched(t, size, flooded)
		change(&cmd)
		res, err := capture.Run(t.Context(), cmd, func(_ capture.Stream, p []byte) error {
			<-flooded
			got += int64(len(p))
			return nil
		})
		if err != nil || res.ExitCode != 0 || got == 0 || res.LostBytes != size-got || !strings.Contains(res.Lost, "disk") {
			t.Errorf("%s: got %d, %+v %v", name, got, res, err)
		}
	}
}

func TestFailingSinkIsReportedAndTheStepGoesOn(t *testing.T) {
	t.Parallel()
	for name, sink := range map[string]capture.Sink{
		"error": func(capture.Stream, []byte) error { return errors.New("disk on fire") },
		"panic": func(capture.Stream, []byte) error { panic("disk on fire") },
	} {
		cmd := child(t, "bytes")
		res, err := capture.Run(t.Context(), cmd, sink)
		if err != nil || res.ExitCode != 0 || res.LostBytes != res.Bytes || !strings.Contains(res.Lost, "disk on fire") {
			t.Errorf("%s: %+v %v", name, res, err)
		}
		if contents(t, cmd.Stdout) != string(awkward) {
			t.Errorf("%s: output changed", name)
		}
	}
}
