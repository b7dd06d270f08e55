package capture_test

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// typed is input that is typed after a text has appeared.
type typed struct{ after, text string }

// terminalCommands are commands whose results must be the same with and without blq. Some of them get typed input.
var terminalCommands = map[string]struct {
	args []string
	typed
}{
	"terminals": {
		args: []string{"sh", "-c", "for i in 0 1 2; do test -t $i && echo $i; done; tty </dev/tty >/dev/null && echo tty"}},
	"size":         {args: []string{"stty", "size"}},
	"modes":        {args: []string{"stty", "-a"}},
	"color":        {args: []string{"ls", "--color=auto", "-d", "/tmp", "/usr"}},
	"line endings": {args: []string{"printf", `a\nb\r\nc\rd\te\n`}},
	"exit code":    {args: []string{"sh", "-c", "echo out; echo err >&2; exit 7"}},
	"signal":       {args: []string{"sh", "-c", "echo up; kill -KILL $$"}},
	"input":        {[]string{"sh", "-c", "echo ready; read x; echo got $x"}, typed{"ready", "some words\n"}},
	"end of input": {[]string{"sh", "-c", "echo ready; cat; echo end"}, typed{"ready", "\x04"}},
	"password": {[]string{"bash", "-c", `read -s -p 'password: ' x; echo; echo got $x`},
		typed{"password: ", "secret\n"}},
	"from tty": {[]string{"bash", "-c", `read -p 'name: ' x </dev/tty; echo got $x`},
		typed{"name: ", "blq\n"}},
	"ctrl-c": {[]string{
		"sh", "-c", `trap 'echo int; exit 9' INT; echo ready; while :; do sleep 0.05; done`}, typed{"ready", "\x03"}},
	"ctrl-c ends it":         {[]string{"sh", "-c", `echo ready; exec sleep 60`}, typed{"ready", "\x03"}},
	"ctrl-z is for no shell": {[]string{"sh", "-c", `echo ready; read x; echo got $x`}, typed{"ready", "\x1ayes\n"}},
	"raw": {[]string{"bash", "-c",
		`stty raw -echo; echo ready; dd bs=1 count=3 2>/dev/null | cat -v; stty sane`}, typed{"ready", "\x03\x1a\x04"}},
	"changed modes": {args: []string{"stty", "-echo", "rows", "50"}},
	"own session":   {args: []string{"setsid", "-w", "sh", "-c", "echo up; test -t 1 && echo terminal"}},
	"redirected":    {args: []string{"sh", "-c", "test -t 0 || echo no; test -t 1 && echo yes"}},
}

// ends is the state after a command on a terminal has ended.
type ends struct {
	output, state string
	echo          bool // the terminal's echo is on
}

// play runs a command on a new terminal, types the input, and reads all output.
func play(t *testing.T, wrapped bool, args []string, in typed) (e ends) {
	t.Helper()
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = append(os.Environ(), "TERM=xterm")
	if wrapped {
		cmd = exec.Command(os.Args[0], args...)
		cmd.Env = append(environ("wrap"), "WRAP_PTY=1", "TERM=xterm")
	}
	master := onTerminal(t, cmd)
	if in.text != "" {
		e.output = awaitText(t, master, in.after)
		if _, err := io.WriteString(master, in.text); err != nil {
			t.Fatal(err)
		}
	}
	rest, _ := io.ReadAll(master) // the end of a terminal gives an error
	cmd.Wait()
	e.output += string(rest)
	e.state = cmd.ProcessState.String()
	e.echo = echoes(t, master)
	return e
}

func TestCommandsOnATerminalAreAsWithoutBlq(t *testing.T) {
	t.Parallel()
	for name, tt := range terminalCommands {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want, got := play(t, false, tt.args, tt.typed), play(t, true, tt.args, tt.typed)
			if got != want {
				t.Errorf("%q, %s, echo %v\nwithout blq %q, %s, echo %v", got.output, got.state, got.echo, want.output,
					want.state, want.echo)
			}
		})
	}
}

// leftOnTerminal are commands that leave a process behind. That process waits until it can read a line from
// the FIFO "go".
var leftOnTerminal = map[string]string{
	"on the terminal":  `{ read x <go; echo late; } & echo up`,
	"in its own group": `set -m; { read x <go; echo late; } & echo up`,
	"without terminal": `{ read x <go; echo late >status; } >/dev/null 2>&1 </dev/null & echo up`,
}

func TestProcessesLeftBehindKeepTheTerminal(t *testing.T) {
	t.Parallel()
	for name, script := range leftOnTerminal {
		for _, wrapped := range []bool{false, true} {
			dir := t.TempDir()
			for _, name := range []string{"go", "status"} {
				if err := unix.Mkfifo(filepath.Join(dir, name), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			args := []string{"sh", "-c", script}
			if wrapped {
				args = append([]string{"env", "BLQ_CHILD=wrap", "WRAP_PTY=1", os.Args[0]}, args...)
			}
			cmd := exec.Command(
				"sh", append([]string{"-c", `"$@"; echo ended $?; read x; echo "shell has $x"`, "sh"}, args...)...)
			cmd.Dir = dir
			master := onTerminal(t, cmd)
			awaitText(t, master, "ended 0\r\n")
			let(t, cmd)
			if name == "without terminal" {
				if got := status(t, cmd); got != "late\n" {
					t.Errorf("%s, wrapped %v: %q", name, wrapped, got)
				}
			} else {
				awaitText(t, master, "late\r\n")
			}
			io.WriteString(master, "input\n")
			awaitText(t, master, "shell has input\r\n")
			cmd.Wait()
		}
	}
}

// If the wrapper's terminal is closed, the command's terminal is closed, too, even if the wrapper ignores the hangup.
func TestHangupReachesTheCommand(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]string{
		"signal":       `trap 'echo signal >status; exit' HUP; echo ready; while :; do sleep 0.05; done`,
		"end of input": `echo ready; cat >/dev/null; echo end >status`, // the signal is ignored, as with nohup
	} {
		dir := t.TempDir()
		if err := unix.Mkfifo(filepath.Join(dir, "status"), 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("sh", "-c", `trap "" HUP; "$@"`, "sh", "env", "BLQ_CHILD=wrap", "WRAP_PTY=1", os.Args[0],
			"bash", "-c", script)
		if name == "signal" {
			cmd.Args[2] = `"$@"`
		}
		cmd.Dir = dir
		master := onTerminal(t, cmd)
		awaitText(t, master, "ready")
		master.Close()
		if got := status(t, cmd); got != strings.Fields(name)[0]+"\n" {
			t.Errorf("%s: %q", name, got)
		}
		cmd.Wait()
	}
}

// If the input of the wrapper is not a terminal, the output of the command is still a terminal.
func TestOutputIsATerminalWhereInputIsNone(t *testing.T) {
	t.Parallel()
	script := []string{"sh", "-c", `"$0" "$@" </dev/null`}
	inner := []string{"sh",
		"-c", `test -t 0 || echo no; test -t 1 && echo yes; stty size <&1; printf 'a\nb\n'; read x </dev/tty; echo got $x`}
	in := typed{"b\r\n", "word\n"}
	want := play(t, false, append(script, inner...), in)
	got := play(t, false, append([]string{"env", "BLQ_CHILD=wrap", "WRAP_PTY=1"},
		append(script, append([]string{os.Args[0]}, inner...)...)...), in)
	if got != want {
		t.Errorf("%q, %s, echo %v\nwithout blq %q, %s, echo %v", got.output, got.state, got.echo, want.output,
			want.state, want.echo)
	}
}

// Inherited files go to the command, and not to blq's own processes.
func TestOtherFilesReachTheCommandAlone(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"", "1"} {
		cmd := exec.Command("bash", "-c", `exec 3>three 4>four 9>nine
"$@"
flock -n nine true && echo free; exec 9>&-; flock -n nine true || echo held; cat three four; echo end; read x`, "bash",
			os.Args[0], "bash", "-c", `flock 9; echo to three >&3; echo to four >&4; { exec 9>&-; read x <go; } &`)
		cmd.Env, cmd.Dir = append(environ("wrap"), "WRAP_PTY="+mode), t.TempDir()
		if err := unix.Mkfifo(filepath.Join(cmd.Dir, "go"), 0o600); err != nil {
			t.Fatal(err)
		}
		master := onTerminal(t, cmd)
		if got, want := awaitText(t, master, "end\r\n"), "to three\r\nto four\r\nend\r\n"; got != want {
			t.Errorf("mode %q: %q, want %q", mode, got, want)
		}
		let(t, cmd)
		io.WriteString(master, "\n")
		cmd.Wait()
	}
}

// If the wrapper is killed, its terminal gets its modes back, and its command gets a hangup.
func TestTerminalOutlivesTheWrapper(t *testing.T) {
	t.Parallel()
	fifo := filepath.Join(t.TempDir(), "status")
	if err := unix.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(
		os.Args[0], "sh", "-c", `trap 'echo hangup >"$1"; exit' HUP; echo ready; while :; do sleep 0.05; done`, "sh", fifo)
	cmd.Env = append(environ("wrap"), "WRAP_PTY=1")
	master := onTerminal(t, cmd)
	awaitText(t, master, "ready")
	if echoes(t, master) {
		t.Error("the wrapper's terminal is not raw")
	}
	cmd.Process.Kill()
	cmd.Wait()
	if status, err := os.ReadFile(fifo); err != nil || string(status) != "hangup\n" {
		t.Errorf("the command got %q, %v", status, err)
	}
	if !echoes(t, master) {
		t.Error("the terminal is left raw")
	}
}

// echoes reports whether a terminal echoes typed text.
func echoes(t *testing.T, f *os.File) bool {
	t.Helper()
	modes, err := unix.IoctlGetTermios(int(f.Fd()), unix.TCGETS)
	if err != nil {
		t.Fatal(err)
	}
	return modes.Lflag&unix.ECHO != 0
}
