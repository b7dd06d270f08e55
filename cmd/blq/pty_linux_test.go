package main

import (
	"io"
	"os/exec"
	"strings"
	"testing"

	"github.com/creack/pty"
)

// shown runs blq on a terminal and returns what the terminal shows.
func shown(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	cmd.Env = append(cmd.Env, "TERM=dumb")
	master, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 33, Cols: 101})
	check(t, err)
	defer master.Close()
	text, _ := io.ReadAll(master) // the end of a terminal is an error
	_ = cmd.Wait()                // the text shows it
	return string(text)
}

func TestRunOnATerminal(t *testing.T) {
	t.Parallel()
	const script = "test -t 0 && test -t 1 && stty size; test -t 2 || echo none; exit 3"
	for flags, want := range map[string]string{
		"run": "33 101\r\n", "run --pty": "33 101\r\n", "run --no-pty": "none\r\n", "run --split": "33 101\r\n",
		"exec": "33 101\r\n", "run -q": "",
	} {
		dir := t.TempDir()
		args := append(strings.Fields(flags), "--", "sh", "-c", script)
		got, report, _ := strings.Cut(shown(t, blq(dir, args...)), "blq: ")
		if got != want || !strings.Contains(report, "(exit 3)") {
			t.Errorf("%s shows %q and %q", flags, got, report)
		}
		if flags != "run" {
			continue
		}
		if log, err := blq(dir, "output", "--raw").Output(); err != nil || string(log) != want {
			t.Errorf("%s: recorded %q, %v", flags, log, err)
		}
	}
}

func TestPTYWithoutATerminalIsAPipe(t *testing.T) {
	t.Parallel()
	out, notes, state := finished(blq(t.TempDir(), "run", "--pty", "--", "sh", "-c", "test -t 1 || echo none"))
	if out != "none\n" || !strings.Contains(notes, "blq: --pty: the output goes to no terminal") || state.ExitCode() != 0 {
		t.Errorf("%q, %q, %v", out, notes, state)
	}
}
