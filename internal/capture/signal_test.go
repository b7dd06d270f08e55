//go:build unix

package capture_test

import (
	"bufio"
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
	for timeout := time.Second; pid == 0; timeout *= 2 { // until a grandchild starts in time
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

// awaitGone waits until a process is dead. The process may be a zombie.
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

// wrapped starts a wrapper with a child, and returns when the child is ready.
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
	var calls []int64
	cmd.Waiting = func(done, all int64) {
		if calls == nil {
			close(release)
		}
		calls = append(calls, done, all)
	}
	res, err := capture.Run(t.Context(), cmd, func(capture.Stream, []byte) error { <-release; return nil })
	if err != nil || res.Lost != "" || len(calls) < 2 || calls[0] >= size || calls[1] != size {
		t.Errorf("%v; %+v %v", calls, res, err)
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
		endedBy(t, cmd, sig)
	}
	for _, sig := range []syscall.Signal{unix.SIGKILL, unix.SIGQUIT, unix.SIGILL, unix.SIGABRT, unix.SIGFPE, unix.SIGBUS,
		unix.SIGSEGV, unix.SIGSYS, unix.SIGPIPE, unix.SIGALRM, unix.SIGUSR1, unix.SIGUSR2, unix.SIGXCPU} {
		cmd := exec.Command(os.Args[0], "sh", "-c", fmt.Sprintf("ulimit -c 0; kill -%d $$", sig))
		cmd.Env = environ("wrap")
		if out, _ := cmd.CombinedOutput(); len(out) > 0 {
			t.Errorf("%v: it says %q", sig, out)
		}
		endedBy(t, cmd, sig)
	}
}

func endedBy(t *testing.T, cmd *exec.Cmd, sig syscall.Signal) {
	t.Helper()
	if ws := cmd.ProcessState.Sys().(syscall.WaitStatus); !ws.Signaled() || ws.Signal() != sig {
		t.Errorf("%v: ended by %v", sig, cmd.ProcessState)
	}
}

func TestSignalsOfTheChildReachIt(t *testing.T) {
	t.Parallel()
	for _, sig := range []string{"USR1", "USR2", "ALRM", "WINCH", "CONT"} {
		cmd := exec.Command(os.Args[0], "sh", "-c", "trap 'exit 7' "+sig+"; echo ready; while :; do read x || exit 8; done")
		cmd.Env = environ("wrap")
		in, _ := cmd.StdinPipe()
		out, _ := cmd.StdoutPipe()
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(out, make([]byte, len("ready\n"))); err != nil {
			t.Fatal(err)
		}
		cmd.Process.Signal(unix.SignalNum("SIG" + sig))
		cmd.Wait()
		in.Close()
		if cmd.ProcessState.ExitCode() != 7 {
			t.Errorf("%s: %v", sig, cmd.ProcessState)
		}
	}
}

// SIGTSTP stops the children of a child that handles SIGTSTP. SIGCONT continues them.
func TestStopThatTheChildHandles(t *testing.T) {
	t.Parallel()
	cmd := exec.Command(os.Args[0], "sh", "-c", "trap 'echo got' TSTP; sh -c 'echo $$; exec cat'; echo end; exit 7")
	cmd.Env = environ("wrap")
	in, _ := cmd.StdinPipe()
	out, _ := cmd.StdoutPipe()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	grandchild := 0
	lines := bufio.NewReader(out)
	fmt.Fscanln(lines, &grandchild)
	cmd.Process.Signal(unix.SIGTSTP)
	for stateOf(t, grandchild) != "T" {
		time.Sleep(time.Millisecond)
	}
	cmd.Process.Signal(unix.SIGCONT)
	in.Close()
	text, _ := io.ReadAll(lines)
	cmd.Wait()
	if cmd.ProcessState.ExitCode() != 7 || string(text) != "got\nend\n" {
		t.Errorf("%v: %q", cmd.ProcessState, text)
	}
}

func TestStopOfTheWrapperStopsNoNeighbour(t *testing.T) {
	t.Parallel()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(environ("wrap"), "WRAP_CHILD=spin")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
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
	neighbour := exec.Command("cat")
	neighbour.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pgid: cmd.Process.Pid}
	in, _ := neighbour.StdinPipe()
	echo, _ := neighbour.StdoutPipe()
	if err := neighbour.Start(); err != nil {
		t.Fatal(err)
	}
	cmd.Process.Signal(unix.SIGTSTP)
	awaitStatus(t, cmd.Process.Pid, unix.WUNTRACED, unix.WaitStatus.Stopped)
	if status := stateOf(t, neighbour.Process.Pid); status == "T" {
		t.Error("a neighbour in the process group is stopped, too")
		unix.Kill(neighbour.Process.Pid, unix.SIGCONT)
	}
	io.WriteString(in, "there\n")
	if _, err := io.ReadFull(echo, make([]byte, len("there\n"))); err != nil {
		t.Error(err)
	}
	in.Close()
	neighbour.Wait()
	cmd.Process.Signal(unix.SIGCONT)
	awaitStatus(t, cmd.Process.Pid, unix.WCONTINUED, unix.WaitStatus.Continued)
	cmd.Process.Signal(unix.SIGTERM)
	cmd.Wait()
	endedBy(t, cmd, unix.SIGTERM)
}

// awaitStatus waits for a change of a child's status, and checks the new status.
func awaitStatus(t *testing.T, pid, options int, is func(unix.WaitStatus) bool) {
	t.Helper()
	var status unix.WaitStatus
	if _, err := unix.Wait4(pid, &status, options, nil); err != nil || !is(status) {
		t.Errorf("status %v %v", status, err)
	}
}

// stateOf returns the state letter of a process.
func stateOf(t *testing.T, pid int) string {
	t.Helper()
	out, err := exec.Command("ps", "-o", "state=", "-p", fmt.Sprint(pid)).Output()
	if err != nil {
		t.Error(err)
	}
	return strings.TrimSpace(string(out))
}

func TestCommandRunsWithTooFewDescriptors(t *testing.T) {
	t.Parallel()
	for n := 24; n >= 9; n-- {
		cmd := exec.Command("sh", "-c", fmt.Sprintf(`ulimit -n %d; exec "$0" /bin/sh -c "echo out; exit 4"`, n), os.Args[0])
		cmd.Env = append(environ("wrap"), "WRAP_SPLIT=1")
		out, _ := cmd.CombinedOutput()
		if cmd.ProcessState.ExitCode() != 4 || string(out) != "out\n" {
			t.Errorf("%d descriptors: %v %s", n, cmd.ProcessState, out)
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
