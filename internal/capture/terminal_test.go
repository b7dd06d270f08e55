//go:build unix

package capture_test

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

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
		cmd := exec.Command("bash", "--norc", "--noprofile", "--noediting", "-i") // line editing drops early input
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

// onTerminal starts a command in a session with a new terminal, and returns the other side of the terminal. It prevents
// the system from discarding the terminal's output after Ctrl-C and Ctrl-Z. Otherwise the system might discard what the
// command prints in response to the signal.
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

// awaitText reads until a text has come, and returns everything that was read.
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
