//go:build unix

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

// blq returns a command line of blq that works in dir.
func blq(dir string, args ...string) *exec.Cmd {
	cmd := exec.Command(program, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "BLQ_DIR=", "BLQ_TIMEOUT=", "BLQ_SERVER=", "BLQ_TOKEN=", "BLQ_REPO=",
		"ACTIONS_ID_TOKEN_REQUEST_URL=", "CLAUDECODE=", "AGENT=", "AI_AGENT=", "CI=")
	return cmd
}

// answer runs a question with --json and decodes what it prints.
func answer[T any](t *testing.T, dir string, args ...string) T {
	t.Helper()
	var v T
	out, err := blq(dir, append(args, "--json")...).Output()
	if err != nil {
		t.Fatalf("blq %s: %v", strings.Join(args, " "), err)
	}
	if err := json.Unmarshal(out, &v); err != nil {
		t.Fatalf("blq %s printed %s: %v", strings.Join(args, " "), out, err)
	}
	return v
}

func TestTenProcessesAtOnceLoseNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const runs, errors = 10, 50
	var wg sync.WaitGroup
	for i := range runs {
		wg.Go(func() {
			script := fmt.Sprintf(`i=0; while [ $i -lt %d ]; do i=$((i+1)); echo "f%d.c:$i:1: error: no $i"; done; exit 1`,
				errors, i)
			out, err := blq(dir, "run", "--quiet", "--name", fmt.Sprintf("p%d", i), "--", "sh", "-c", script).CombinedOutput()
			if !strings.Contains(string(out), "FAIL") || err == nil {
				t.Errorf("run %d: %v\n%s", i, err, out)
			}
		})
	}
	wg.Wait()
	seen := map[int]bool{}
	for _, r := range answer[query.History](t, dir, "history", "--limit", "0").Runs {
		seen[r.RunID] = true
		if r.Errors != errors {
			t.Errorf("run %d has %d errors, want %d", r.RunID, r.Errors, errors)
		}
	}
	if len(seen) != runs {
		t.Errorf("%d distinct serials, want %d", len(seen), runs)
	}
}

// startPrinting starts a run of a script that prints a line with the text until, and then waits. startPrinting returns
// when blq has printed the line.
func startPrinting(t *testing.T, dir, script string, until string) (*exec.Cmd, *bufio.Reader) {
	t.Helper()
	cmd := blq(dir, "run", "--name", "slow", "--", "sh", "-c", script)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stdin.Close(); cmd.Process.Kill(); cmd.Wait() })
	in := bufio.NewReader(out)
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			t.Fatalf("blq ended before it printed %q: %v", until, err)
		}
		if strings.Contains(line, until) {
			return cmd, in
		}
	}
}

// If a recorder is killed, its run is orphaned. The stored part of its log and the errors in it are kept.
func TestKilledRecorderLeavesAnOrphanWithItsLog(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cmd, _ := startPrinting(t, dir, `echo "a.c:3:1: error: too late"; read x`, "too late")
	follow := blq(dir, "output", "slow", "--follow")
	var followed bytes.Buffer
	pipe, err := follow.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := follow.Start(); err != nil {
		t.Fatal(err)
	}
	if s := answer[query.Status](t, dir, "status").Sources[0]; s.Status != store.StatusRunning {
		t.Errorf("a live run is %s, want RUNNING", s.Status)
	}
	waitForChunk(t, dir)
	cmd.Process.Signal(syscall.SIGKILL)
	cmd.Wait()
	s := answer[query.Status](t, dir, "status").Sources[0]
	if s.Status != store.StatusOrphaned || s.Errors != 1 {
		t.Errorf("a killed run is %s with %d errors, want ORPHANED with 1", s.Status, s.Errors)
	}
	if out := answer[query.Output](t, dir, "output", "slow"); !strings.Contains(out.Content, "too late") {
		t.Errorf("its log is %q", out.Content)
	}
	io.Copy(&followed, pipe)
	if err := follow.Wait(); err != nil {
		t.Errorf("output --follow: %v", err)
	}
	if !strings.Contains(followed.String(), "too late") {
		t.Errorf("output --follow showed %q", followed.String())
	}
}

// waitForChunk returns when the first part of the run's log is stored.
func waitForChunk(t *testing.T, dir string) {
	t.Helper()
	for range 1000 {
		if out := answer[query.Output](t, dir, "output", "slow"); out.Bytes > 0 {
			return
		}
	}
	t.Fatal("nothing of the log was stored")
}

func TestInterruptReachesTheChild(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cmd, in := startPrinting(t, dir, `trap 'echo caught; exit 7' INT; echo ready; while :; do sleep 0.05; done`, "ready")
	cmd.Process.Signal(syscall.SIGINT)
	rest, _ := io.ReadAll(in)
	cmd.Wait()
	if !strings.Contains(string(rest), "caught") {
		t.Errorf("the child printed %q after the signal", rest)
	}
	if code := cmd.ProcessState.ExitCode(); code != 7 {
		t.Errorf("exit code %d, want the child's 7", code)
	}
	if s := answer[query.Status](t, dir, "status").Sources[0]; s.Status != store.StatusCancelled {
		t.Errorf("status %s, want CANCELLED", s.Status)
	}
}

func TestSignalThatEndsTheChildEndsUs(t *testing.T) {
	t.Parallel()
	cmd := blq(t.TempDir(), "run", "-q", "--", "sh", "-c", "kill -TERM $$")
	cmd.Run()
	status := cmd.ProcessState.Sys().(syscall.WaitStatus)
	if !status.Signaled() || status.Signal() != syscall.SIGTERM {
		t.Errorf("we ended with %v, want SIGTERM", cmd.ProcessState)
	}
}

func TestOutputPassesByteForByte(t *testing.T) {
	t.Parallel()
	raw := []byte("\x00\xff\xfe\r50%\r100%\n\x1b[31mred\x1b[0m\n" + strings.Repeat("x", 1<<20) +
		"\na.c:1:1: error: after a long line\nno end")
	dir := t.TempDir()
	if err := os.WriteFile(dir+"/raw", raw, 0o644); err != nil {
		t.Fatal(err)
	}
	got, err := blq(dir, "run", "--name", "raw", "--", "cat", "raw").Output()
	if err != nil || !bytes.Equal(got, raw) {
		t.Errorf("passed on %d bytes, want the same %d (error %v)", len(got), len(raw), err)
	}
	stored, err := blq(dir, "output", "raw", "--raw").Output()
	if err != nil || !bytes.Equal(stored, raw) {
		t.Errorf("stored %d bytes, want the same %d (error %v)", len(stored), len(raw), err)
	}
	if n := answer[query.EventList](t, dir, "events", "raw").Total; n != 1 {
		t.Errorf("%d events, want the one after the long line", n)
	}
}
