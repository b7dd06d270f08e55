//go:build unix

package capture_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

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
	for exit, want := range map[string]int{"": 1, "; exit 3": 3} {
		cmd := capture.Command{Args: []string{"echo one; echo two" + exit}, Shell: true,
			Stdout: open(t, os.DevNull)} // opened only for reading, so writes fail
		res, rec := run(t, cmd)
		if res.ExitCode != want || rec.text(capture.Combined) != "one\ntwo\n" || res.Lost != "" ||
			!strings.Contains(res.Unwritten, "could not be written") {
			t.Errorf("exit %s: %+v", exit, res)
		}
	}
}
