//go:build unix

package capture_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// Each script leaves a process behind that prints "late" after the step has ended. The process waits for a line in
// the named pipe "go".
var survivors = map[string][]string{
	"background":       {"sh", "-c", `{ read x <go; echo late; echo later; } & echo up`},
	"bash background":  {"bash", "-c", `{ read x <go; echo late; echo later; } & echo up; exit 3`},
	"disowned":         {"bash", "-c", `{ read x <go; echo late; echo later; } & disown; echo up`},
	"nohup":            {"sh", "-c", `nohup sh -c 'read x <go; echo late; echo later' </dev/null & echo up`},
	"setsid":           {"sh", "-c", `setsid sh -c 'read x <go; echo late; echo later' & echo up`},
	"on stderr":        {"sh", "-c", `{ read x <go; echo late >&2; echo later >&2; } & echo up`},
	"double fork":      {"sh", "-c", `(setsid sh -c '{ read x <go; echo late; echo later; } &' &); echo up`},
	"no signals":       {"sh", "-c", `(trap "" HUP INT TERM PIPE; read x <go; echo late; echo later) & echo up`},
	"without a line":   {"sh", "-c", `{ read x <go; printf late; echo later; } & printf up`},
	"much":             {"sh", "-c", `{ read x <go; echo late; head -c 3000000 /dev/zero; echo later; } & echo up`},
	"error not hidden": {"sh", "-c", `{ read x <go; echo late; echo later || echo failed >status; } & echo up; exit 1`},
	"killed":           {"sh", "-c", `{ read x <go; echo late; echo later; } & echo up; kill -TERM $$`},
	"python":           {"python3", "-c", `import subprocess; subprocess.Popen(["sh", "-c", "read x <go; echo late; echo later"], start_new_session=True); print("up")`},
}

// outlived is the result of a command that left a process behind.
type outlived struct {
	before, after string
	state         string
	log           string // recorded output of a wrapped command
}

// outlive runs a command until it ends, and then releases the process that the command left behind.
func outlive(t *testing.T, wrapped bool, args []string) (o outlived) {
	t.Helper()
	dir := t.TempDir()
	if err := unix.Mkfifo(filepath.Join(dir, "go"), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(args[0], args[1:]...)
	if wrapped {
		cmd = exec.Command(os.Args[0], args...)
		cmd.Env = append(environ("wrap"), "WRAP_LOG="+filepath.Join(dir, "log"))
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, w, w
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	cmd.Wait()
	o.state = cmd.ProcessState.String()
	o.before = pending(t, r)
	if err := os.WriteFile(filepath.Join(dir, "go"), []byte("go\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	rest, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	o.after = string(rest)
	log, _ := os.ReadFile(filepath.Join(dir, "log"))
	o.log = string(log)
	return o
}

// pending reads the present content of a pipe.
func pending(t *testing.T, r *os.File) string {
	t.Helper()
	conn, err := r.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	var text []byte
	err = conn.Read(func(fd uintptr) bool {
		buf := make([]byte, 64<<10)
		for {
			n, err := unix.Read(int(fd), buf)
			if err != nil || n == 0 {
				return true // the pipe is empty and does not block
			}
			text = append(text, buf[:n]...)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestProcessesLeftBehindKeepTheirOutput(t *testing.T) {
	t.Parallel()
	for name, args := range survivors {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want, got := outlive(t, false, args), outlive(t, true, args)
			if got.before != want.before || got.after != want.after || got.state != want.state {
				t.Errorf("%q then %q, %s\nwithout blq %q then %q, %s",
					cut(got.before), cut(got.after), got.state, cut(want.before), cut(want.after), want.state)
			}
			if !strings.Contains(got.log, "up") || strings.Contains(got.log, "late") {
				t.Errorf("recorded %q", cut(got.log))
			}
		})
	}
}

func cut(s string) string { return s[:min(len(s), 100)] }

// started starts a command in an empty folder, with a pipe for its output.
func started(t *testing.T, wrapped bool, args ...string) (cmd *exec.Cmd, out *os.File) {
	t.Helper()
	cmd = exec.Command(args[0], args[1:]...)
	if wrapped {
		cmd = exec.Command(os.Args[0], args...)
		cmd.Env = environ("wrap")
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	cmd.Dir, cmd.Stdout, cmd.Stderr = t.TempDir(), w, w
	for _, name := range []string{"go", "status"} {
		if err := unix.Mkfifo(filepath.Join(cmd.Dir, name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	return cmd, r
}

func let(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(cmd.Dir, "go"), []byte("go\n"), 0o600); err != nil {
		t.Fatal(err)
	}
}

func status(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(cmd.Dir, "status"))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// unreadChild prints "up". Then it waits up to 20 seconds until its output has no reader, and prints nothing. It writes
// the result to the file "status".
func unreadChild([]string) int {
	fmt.Println("up")
	fds := []unix.PollFd{{Fd: 1}}
	for {
		if _, err := unix.Poll(fds, 20_000); !errors.Is(err, unix.EINTR) {
			break
		}
	}
	text := "read\n"
	if fds[0].Revents&unix.POLLERR != 0 {
		text = "unread\n"
	}
	if err := os.WriteFile("status", []byte(text), 0o600); err != nil {
		return 1
	}
	return 0
}

func TestWritersSeeAtOnceThatTheReaderIsGone(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]string{
		"the child": `BLQ_CHILD=unread exec "$0"`, "a process that it left behind": `BLQ_CHILD=unread "$0" &`,
	} {
		for _, wrapped := range []bool{false, true} {
			cmd, out := started(t, wrapped, "sh", "-c", script, os.Args[0])
			awaitText(t, out, "up\n")
			if name != "the child" {
				cmd.Wait()
			}
			out.Close()
			if got := status(t, cmd); got != "unread\n" {
				t.Errorf("%s, wrapped %v: its output is %s", name, wrapped, got)
			}
		}
	}
}
