//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// asNobody makes the directory dir, and returns a function that runs a copy of blq there. If the test runs as root, the
// copy runs as another user, because file permissions do not restrict root.
func asNobody(t *testing.T) (run func(args ...string) *exec.Cmd, dir string) {
	t.Helper()
	dir, err := os.MkdirTemp("", "blq")
	check(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	check(t, os.Chmod(dir, 0o755))
	ours := filepath.Join(dir, "blq")
	// Another process makes the copy. Otherwise children of other tests could hold the file open for writing.
	check(t, exec.Command("cp", program, ours).Run())
	check(t, os.Chmod(ours, 0o755))
	return func(args ...string) *exec.Cmd {
		cmd := blq(dir, args...)
		cmd.Path = ours
		if os.Getuid() == 0 {
			cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		}
		return cmd
	}, dir
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestUnwritableFolderStopsNoCommand(t *testing.T) {
	t.Parallel()
	nobody, dir := asNobody(t)
	check(t, os.Chmod(dir, 0o555))
	t.Cleanup(func() { os.Chmod(dir, 0o755) })

	runs := func(when string) {
		t.Helper()
		var notes strings.Builder
		cmd := nobody("run", "--", "sh", "-c", "echo here; exit 3")
		cmd.Stderr = &notes
		out, _ := cmd.Output()
		if string(out) != "here\n" || cmd.ProcessState.ExitCode() != 3 {
			t.Errorf("%s: printed %q, exit code %d\n%s", when, out, cmd.ProcessState.ExitCode(), notes.String())
		}
		if n := strings.Count(notes.String(), "\n"); n != 1 || !strings.HasPrefix(notes.String(), "blq: not recorded: ") {
			t.Errorf("%s: %d lines of notes: %s", when, n, notes.String())
		}
	}
	runs("no folder can be made")
	if out, err := nobody("init").CombinedOutput(); err == nil || !strings.Contains(string(out), "cannot write") ||
		!strings.Contains(string(out), "  try: export BLQ_DIR=") {
		t.Errorf("init: %v\n%s", err, out)
	}

	check(t, os.Chmod(dir, 0o755))
	for range 2 { // the first process makes the database, the second leaves changes beside it
		if out, err := blq(dir, "run", "-q", "--name", "build", "--", "sh", "-c",
			"echo a.c:1:2: error: bad").CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, ".lq", "blq.db-wal")); err != nil {
		t.Errorf("the changes were not left: %v", err)
	}
	if out, err := exec.Command("chmod", "-R", "a-w", filepath.Join(dir, ".lq")).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Cleanup(func() { exec.Command("chmod", "-R", "u+w", dir).Run() })
	runs("a folder of somebody else")
	for _, q := range []struct {
		want string
		args []string
	}{
		{"a.c:1:2", []string{"errors"}},
		{"build:2", []string{"status"}},
		{"a.c:1:2: error: bad\n", []string{"output", "build:1"}},
		{"bad", []string{"inspect", "build:1:1"}},
		{"build:1", []string{"query", "SELECT run_ref FROM blq_load_runs()"}},
	} {
		if out, err := nobody(q.args...).CombinedOutput(); err != nil || !strings.Contains(string(out), q.want) {
			t.Errorf("%s: %v\n%s", q.args, err, out)
		}
	}
	if out, err := nobody("clean", "data", "--yes").CombinedOutput(); err == nil ||
		!strings.Contains(string(out), "cannot be written") || !strings.Contains(string(out), "  try: export BLQ_DIR=") {
		t.Errorf("clean: %v\n%s", err, out)
	}
}
