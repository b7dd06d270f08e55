//go:build unix

package capture_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"

	"github.com/blq-ci/blq/internal/capture"
	"github.com/blq-ci/blq/store"
)

func TestOutputIsTheSameByteForByte(t *testing.T) {
	t.Parallel()
	cmd := child(t, "bytes")
	res, rec := run(t, cmd)
	if got := rec.text(capture.Combined); got != string(awkward) {
		t.Errorf("recorded %d bytes, want %d", len(got), len(awkward))
	}
	if got := contents(t, cmd.Stdout); got != string(awkward) {
		t.Errorf("passed on %d bytes, want %d", len(got), len(awkward))
	}
	if res.Bytes != int64(len(awkward)) || res.LostBytes != 0 || res.Lost != "" {
		t.Errorf("result %+v", res)
	}
}

func TestOneOrderForBothStreams(t *testing.T) {
	t.Parallel()
	var want strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&want, "out %d\nerr %d\n", i, i)
	}
	cmd := child(t, "alternate")
	_, rec := run(t, cmd)
	if rec.text(capture.Combined) != want.String() || contents(t, cmd.Stdout) != want.String() {
		t.Error("order of streams changed")
	}
}

func TestSplitKeepsStreamsApart(t *testing.T) {
	t.Parallel()
	var out, err strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&out, "out %d\n", i)
		fmt.Fprintf(&err, "err %d\n", i)
	}
	cmd := child(t, "alternate")
	cmd.Split = true
	_, rec := run(t, cmd)
	if rec.text(capture.Stdout) != out.String() || contents(t, cmd.Stdout) != out.String() {
		t.Error("stdout changed")
	}
	if rec.text(capture.Stderr) != err.String() || contents(t, cmd.Stderr) != err.String() {
		t.Error("stderr changed")
	}
}

func TestExitCodes(t *testing.T) {
	t.Parallel()
	for code := range 256 {
		cmd := child(t, "")
		cmd.Args = []string{"/bin/sh", "-c", fmt.Sprintf("exit %d", code)}
		res, err := capture.Run(t.Context(), cmd, newRecorder().sink)
		if err != nil || res.ExitCode != code || capture.ExitCode(res) != code || res.Signal != "" {
			t.Fatalf("exit %d: %+v %v", code, res, err)
		}
	}
}

func TestSignalsThatEndTheChild(t *testing.T) {
	t.Parallel()
	for sig, reason := range map[syscall.Signal]store.Reason{
		unix.SIGINT: store.ReasonCancelled, unix.SIGTERM: "", unix.SIGKILL: "", unix.SIGUSR1: "",
	} {
		cmd := child(t, "")
		cmd.Args, cmd.Shell = []string{fmt.Sprintf("kill -%d $$", int(sig))}, true
		res, _ := run(t, cmd)
		if res.Signal != unix.SignalName(sig) || capture.ExitCode(res) != 128+int(sig) || res.Reason != reason ||
			res.Ending().ExitCode != nil {
			t.Errorf("%v: %+v", sig, res)
		}
	}
}

func TestArgumentsDirectoryAndEnvironment(t *testing.T) {
	cmd := child(t, "args", "a b", "$HOME", "", `"'\`)
	dir := t.TempDir()
	t.Setenv("BLQ_CHILD", "args")
	t.Setenv("EXTRA", "1")
	cmd.Env, cmd.Dir = nil, dir
	_, rec := run(t, cmd)
	if got, want := rec.text(capture.Combined), fmt.Sprintf("%q %s 1", cmd.Args[1:], dir); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestStdinReachesTheChild(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "in")
	if err := os.WriteFile(path, awkward, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := child(t, "cat")
	cmd.Stdin = open(t, path)
	_, rec := run(t, cmd)
	if rec.text(capture.Combined) != string(awkward) {
		t.Error("stdin changed on its way")
	}
}

func TestCommandsThatCannotStart(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	plain := write("plain", "echo hi\n", 0o644)
	write("denied", "echo hi\n", 0o644)
	orphan := write("orphan", "#!/no/such/interpreter\n", 0o755)
	foreign := write("foreign", "\x7fELF\x00\x00garbage", 0o755)
	for _, test := range []struct {
		arg, dir string
		code     int
		message  string
	}{
		{"no-such-command-here", "", 127, "no-such-command-here: command not found"},
		{dir + "/absent", "", 127, dir + "/absent: no such file or directory"},
		{plain, "", 126, plain + ": permission denied"},
		{"denied", "", 126, "denied: permission denied"},
		{dir, "", 126, dir + ": is a directory"},
		{orphan, "", 126, orphan + ": bad interpreter: no such file or directory"},
		{foreign, "", 126, foreign + ": cannot execute binary file"},
		{"true", dir + "/absent", 126, dir + "/absent: working directory: no such file or directory"},
		{"true", plain, 126, plain + ": working directory: not a directory"},
	} {
		cmd := child(t, "")
		cmd.Args, cmd.Dir = []string{test.arg}, test.dir
		cmd.Env = append(cmd.Env, "PATH="+os.Getenv("PATH")+":"+dir)
		_, err := capture.Run(t.Context(), cmd, newRecorder().sink)
		var start *capture.StartError
		if !errors.As(err, &start) || start.Code != test.code || err.Error() != test.message {
			t.Errorf("%s: got %v, want %d %s", test.arg, err, test.code, test.message)
		}
	}
}

func TestScriptWithoutInterpreterRunsThroughSh(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "script"), []byte("echo \"$0 $1\"; exit 4\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := child(t, "")
	cmd.Args, cmd.Dir = []string{"./script", "a b"}, dir
	res, rec := run(t, cmd)
	if rec.text(capture.Combined) != "./script a b\n" || res.ExitCode != 4 {
		t.Errorf("got %q, %+v", rec.text(capture.Combined), res)
	}
}

func TestShellTextAndItsArguments(t *testing.T) {
	t.Parallel()
	cmd := child(t, "")
	cmd.Args, cmd.Shell = []string{`printf '%s,' "$@"; echo $((1+1)) | cat`, "a b", "$HOME"}, true
	_, rec := run(t, cmd)
	if got := rec.text(capture.Combined); got != "a b,$HOME,2\n" {
		t.Errorf("got %q", got)
	}
}

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

func TestProcessLeftBehindDoesNotHoldTheStep(t *testing.T) {
	t.Parallel()
	res, rec := run(t, child(t, "daemon"))
	if res.ExitCode != 3 || res.Lost != "" {
		t.Errorf("%+v", res)
	}
	var pid int
	fmt.Sscanf(rec.text(capture.Combined), "pid %d", &pid)
	if err := unix.Kill(pid, 0); err != nil {
		t.Errorf("it was killed: %v", err)
	}
	unix.Kill(pid, unix.SIGKILL)
}

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
		cmd.Stdout = watched(t, size, flooded)
		res, err := capture.Run(t.Context(), cmd, func(_ capture.Stream, p []byte) error {
			<-flooded // the sink blocks until everything is written
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

// watched returns a pipe whose reader closes done after size bytes.
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
	// The zeros fill the memory, so that the lines after them go through the spill file.
	cmd.Args, cmd.Shell = []string{`head -c 600000 /dev/zero; BLQ_CHILD=alternate "$1"`, os.Args[0]}, true
	cmd.Split, cmd.Memory, cmd.SpillDir = true, 1<<19, t.TempDir()
	rec := newRecorder()
	slow := 0
	res, err := capture.Run(t.Context(), cmd, func(s capture.Stream, p []byte) error {
		if slow++; slow < 20 {
			time.Sleep(5 * time.Millisecond) // makes the sink slow, as a slow disk does
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

func TestChildSeesThatOurReaderIsGone(t *testing.T) {
	t.Parallel()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	defer w.Close()
	cmd := child(t, "stdout-gone")
	cmd.Stdout = w
	res, _ := run(t, cmd)
	if res.ExitCode != 7 {
		t.Errorf("%+v", res)
	}
	cmd.Args, cmd.Shell = []string{"exec yes"}, true
	if res, _ = run(t, cmd); res.Signal != "SIGPIPE" {
		t.Errorf("%+v", res)
	}
}

func TestUnwritableStdoutDoesNotStopRecording(t *testing.T) {
	t.Parallel()
	cmd := child(t, "bytes")
	cmd.Stdout = open(t, os.DevNull) // opened for reading only, so writes fail
	res, rec := run(t, cmd)
	if res.ExitCode != 0 || rec.text(capture.Combined) != string(awkward) || !strings.Contains(res.Lost, "not shown") {
		t.Errorf("%+v", res)
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

func TestTerminal(t *testing.T) {
	t.Parallel()
	for name, pty := range map[string]string{"ours": "", "one of its own": "1"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			testTerminal(t, "WRAP_PTY="+pty)
		})
	}
}

// testTerminal runs children in a terminal. mode is a variable for the wrapper.
func testTerminal(t *testing.T, mode string) {
	start := func(name string) (*exec.Cmd, *os.File, string) {
		result := filepath.Join(t.TempDir(), "result")
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "BLQ_CHILD=wrap", "WRAP_CHILD="+name, "WRAP_RESULT="+result, mode)
		return cmd, onTerminal(t, cmd), result
	}
	t.Run("child reads from it", func(t *testing.T) {
		cmd, tty, _ := start("ask")
		awaitText(t, tty, "name? ")
		fmt.Fprintln(tty, "blq")
		awaitText(t, tty, "hello blq")
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	})
	t.Run("ctrl-c reaches the child once", func(t *testing.T) {
		cmd, tty, result := start("until")
		awaitText(t, tty, "ready")
		tty.Write([]byte{3})
		awaitText(t, tty, "got interrupt")
		cmd.Wait()
		if cmd.ProcessState.ExitCode() != 2 {
			t.Error(cmd.ProcessState)
		}
		if _, err := os.Stat(result); err != nil {
			t.Error(err)
		}
	})
	t.Run("ctrl-c ends child and wrapper alike", func(t *testing.T) {
		cmd, tty, result := start("spin")
		awaitText(t, tty, "ready")
		tty.Write([]byte{3})
		cmd.Wait()
		if ws := cmd.ProcessState.Sys().(syscall.WaitStatus); ws.Signal() != unix.SIGINT {
			t.Error(cmd.ProcessState)
		}
		if b, _ := os.ReadFile(result); string(b) != "cancelled|SIGINT|0|" {
			t.Errorf("%s", b)
		}
	})
	t.Run("a shell stops and continues the job", func(t *testing.T) {
		cmd := exec.Command("bash", "--norc", "--noprofile", "--noediting", "-i") // with line editing, bash drops early input
		cmd.Env = append(os.Environ(), "PS1=$ ", "WRAPPER="+os.Args[0], mode)
		tty := onTerminal(t, cmd)
		fmt.Fprintln(tty, `BLQ_CHILD=wrap WRAP_CHILD=ask "$WRAPPER"`)
		awaitText(t, tty, "name? ")
		tty.Write([]byte{26}) // ctrl-z
		awaitText(t, tty, "Stopped")
		fmt.Fprintln(tty, "fg")
		awaitText(t, tty, "WRAPPER")
		fmt.Fprintln(tty, "again")
		awaitText(t, tty, "hello again\r\n$ ")
		fmt.Fprintln(tty, "exit 5")
		cmd.Wait()
		if cmd.ProcessState.ExitCode() != 5 {
			t.Error(cmd.ProcessState)
		}
	})
}

// onTerminal starts a command in a session with a terminal of its own, and returns the other side of the
// terminal. Ctrl-C and Ctrl-Z do not flush its output there: the system may flush after the command has
// answered the signal.
func onTerminal(t *testing.T, cmd *exec.Cmd) *os.File {
	t.Helper()
	master, slave, err := pty.Open()
	if err != nil {
		t.Fatalf("open a terminal: %v", err)
	}
	defer slave.Close()
	t.Cleanup(func() { master.Close() })
	if err := pty.Setsize(master, &pty.Winsize{Rows: 33, Cols: 101}); err != nil {
		t.Fatal(err)
	}
	modes := exec.Command("stty", "noflsh")
	modes.Stdin = slave
	if err := modes.Run(); err != nil {
		t.Fatalf("stty: %v", err)
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return master
}

// awaitText reads until the text has come, and returns what was read.
func awaitText(t *testing.T, r io.Reader, text string) string {
	t.Helper()
	var seen []byte
	buf := make([]byte, 4096)
	for !strings.Contains(string(seen), text) {
		n, err := r.Read(buf)
		seen = append(seen, buf[:n]...)
		if err != nil {
			t.Fatalf("waiting for %q, got %q: %v", text, seen, err)
		}
	}
	return string(seen)
}
