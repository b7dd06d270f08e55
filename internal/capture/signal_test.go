//go:build unix

package capture_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/blq-ci/blq/internal/capture"
	"github.com/blq-ci/blq/store"
)

func TestCancelKillsAChildThatIgnoresSIGTERM(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	rec := newRecorder()
	go func() { rec.await("ready"); cancel() }()
	res, err := capture.Run(ctx, child(t, "stubborn"), rec.sink)
	if err != nil || res.Signal != "SIGKILL" || res.Reason != store.ReasonCancelled {
		t.Errorf("%+v %v", res, err)
	}
}

func TestCancelIsATermFirst(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	rec := newRecorder()
	go func() { rec.await("ready"); cancel() }()
	cmd := child(t, "until")
	cmd.Grace = time.Minute
	res, err := capture.Run(ctx, cmd, rec.sink)
	if err != nil || res.ExitCode != 15 || res.Reason != store.ReasonCancelled {
		t.Errorf("%+v %v", res, err)
	}
	if rec.await("got") == "" {
		t.Error("last words lost")
	}
}

func TestTimeoutKillsGrandchildren(t *testing.T) {
	t.Parallel()
	pid := 0
	for timeout := time.Second; pid == 0; timeout *= 2 { // until it is long enough to start a grandchild
		rec := newRecorder()
		cmd := child(t, "family")
		cmd.Timeout = timeout
		res, err := capture.Run(t.Context(), cmd, rec.sink)
		if err != nil || res.Reason != store.ReasonTimeout || capture.ExitCode(res) != 124 {
			t.Fatalf("%+v %v", res, err)
		}
		fmt.Sscanf(rec.text(capture.Combined), "pid %d", &pid)
	}
	awaitGone(t, pid)
}

// awaitGone waits until a process is dead, reaped or not.
func awaitGone(t *testing.T, pid int) {
	t.Helper()
	for unix.Kill(pid, 0) == nil {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil || strings.Contains(string(stat), ") Z") {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// wrapped starts a wrapper around a child and returns it once the child is ready.
func wrapped(t *testing.T, name string) (cmd *exec.Cmd, result string) {
	t.Helper()
	result = filepath.Join(t.TempDir(), "result")
	cmd = exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "BLQ_CHILD=wrap", "WRAP_CHILD="+name, "WRAP_RESULT="+result)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(out, make([]byte, len("ready\n"))); err != nil {
		t.Fatal(err)
	}
	return cmd, result
}

func TestWaitingForASlowRecorderIsTold(t *testing.T) {
	t.Parallel()
	const size = 4 << 20
	release := make(chan struct{})
	cmd := child(t, "flood", fmt.Sprint(size))
	cmd.Patience = time.Millisecond
	var told []int64
	cmd.Waiting = func(done, all int64) {
		if told == nil {
			close(release)
		}
		told = append(told, done, all)
	}
	res, err := capture.Run(t.Context(), cmd, func(capture.Stream, []byte) error { <-release; return nil })
	if err != nil || res.Lost != "" || len(told) < 2 || told[0] >= size || told[1] != size {
		t.Errorf("%v; %+v %v", told, res, err)
	}
}

func TestOneSignalEndsAWaitThatWasTold(t *testing.T) {
	t.Parallel()
	result := filepath.Join(t.TempDir(), "result")
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "BLQ_CHILD=wrap", "WRAP_CHILD=stuck", "WRAP_RESULT="+result, "WRAP_WAITING=1")
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(out, make([]byte, len("ready\nwaiting\n"))); err != nil {
		t.Fatal(err)
	}
	cmd.Process.Signal(unix.SIGINT)
	if err := cmd.Wait(); err != nil {
		t.Errorf("the child ended well, but %v", err)
	}
	if b, _ := os.ReadFile(result); !strings.Contains(string(b), "recording was interrupted") {
		t.Errorf("%s", b)
	}
}

func TestSignalsToTheWrapperReachTheChild(t *testing.T) {
	t.Parallel()
	for _, sig := range []syscall.Signal{unix.SIGINT, unix.SIGTERM, unix.SIGHUP, unix.SIGQUIT} {
		cmd, result := wrapped(t, "until")
		cmd.Process.Signal(sig)
		cmd.Wait()
		if cmd.ProcessState.ExitCode() != int(sig) {
			t.Errorf("%v: %v", sig, cmd.ProcessState)
		}
		if b, _ := os.ReadFile(result); string(b) != "cancelled||0|" {
			t.Errorf("%v: %s", sig, b)
		}
	}
}

func TestWrapperEndsAsItsChildDid(t *testing.T) {
	t.Parallel()
	for _, sig := range []syscall.Signal{unix.SIGINT, unix.SIGTERM, unix.SIGHUP} {
		cmd, _ := wrapped(t, "spin")
		cmd.Process.Signal(sig)
		cmd.Wait()
		if ws := cmd.ProcessState.Sys().(syscall.WaitStatus); !ws.Signaled() || ws.Signal() != sig {
			t.Errorf("%v: ended by %v", sig, cmd.ProcessState)
		}
	}
}

func TestSignalEndsTheWaitForARecorderThatStandsStill(t *testing.T) {
	t.Parallel()
	cmd, result := wrapped(t, "stuck")
	done := make(chan struct{})
	go func() { cmd.Wait(); close(done) }()
	for {
		select {
		case <-done:
			if b, _ := os.ReadFile(result); !strings.Contains(string(b), "stood still") {
				t.Errorf("%s", b)
			}
			return
		case <-time.After(10 * time.Millisecond):
			cmd.Process.Signal(unix.SIGTERM)
		}
	}
}

func TestIgnoredSignalsStayIgnored(t *testing.T) {
	t.Parallel()
	cmd := exec.Command("sh", "-c", `trap "" HUP INT; exec "$0" sh -c 'kill -HUP $$; kill -INT $$; echo alive'`,
		os.Args[0])
	cmd.Env = environ("wrap")
	out, err := cmd.CombinedOutput()
	if err != nil || string(out) != "alive\n" {
		t.Errorf("%q %v", out, err)
	}
}
