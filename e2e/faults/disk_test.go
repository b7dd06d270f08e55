//go:build linux

package faults

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"
)

// disk is a folder whose space can run out, for one process or for all.
type disk struct {
	dir  string
	fill func(pid int) error
	free func(pid int) error
}

// limited returns a disk that is full for a process when a file reaches a size limit. It needs no privileges.
func limited(t *testing.T, size uint64) disk {
	set := func(size uint64) func(int) error {
		return func(pid int) error {
			return unix.Prlimit(pid, unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: size, Max: unix.RLIM_INFINITY}, nil)
		}
	}
	return disk{t.TempDir(), set(size), set(unix.RLIM_INFINITY)}
}

// memory returns a small disk in memory. It needs root.
func memory(t *testing.T) disk {
	t.Helper()
	dir := t.TempDir()
	check(t, unix.Mount("none", dir, "tmpfs", 0, "size=128m"))
	t.Cleanup(func() { check(t, unix.Unmount(dir, unix.MNT_DETACH)) })
	ballast := filepath.Join(dir, "ballast")
	return disk{dir: dir, free: func(int) error { return os.Remove(ballast) }, fill: func(int) error {
		f, err := os.Create(ballast)
		if err != nil {
			return err
		}
		defer f.Close()
		zeros := make([]byte, 1<<20)
		for len(zeros) > 0 { // fills the last page, too
			if n, err := f.Write(zeros); err != nil {
				zeros = zeros[:min(n, len(zeros)/2)]
			}
		}
		return nil
	}}
}

// disks returns the kinds of disks that this user can make.
func disks(t *testing.T) map[string]disk {
	t.Helper()
	all := map[string]disk{"nothing may be written": limited(t, 0), "some may be written": limited(t, 50_000)}
	if os.Getuid() == 0 {
		all["a full disk"] = memory(t)
	}
	return all
}

// A server with a full disk refuses requests. It accepts requests again when there is space, and has lost nothing that
// it acknowledged.
func TestAFullDiskOfTheServerLosesNothing(t *testing.T) {
	for name, d := range disks(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, "BLQ_DATA="+d.dir)
			chance(t, 0)
			const every, times, refused = 12, 3, 4
			var mu sync.Mutex
			next, until, filled := every, 0, 0
			s.recorder.heard(func(acks, refusals int) {
				mu.Lock()
				defer mu.Unlock()
				switch {
				case until > 0 && refusals >= until:
					next, until = acks+every, 0
					note(t, d.free(s.server.pid()))
				case until == 0 && acks >= next && filled < times:
					until, filled = refusals+refused, filled+1
					note(t, d.fill(s.server.pid()))
				}
			})
			s.uploads(10, func(int, *work) *fault { return none() })
			if until > 0 {
				t.Error("it is full to the end")
			}
			s.judge(func() place { return onDisk(t, filepath.Join(d.dir, "blq.db"), filepath.Join(d.dir, "logs")) })
			if filled == 0 {
				t.Error("it was never full")
			}
		})
	}
}

// If the disk of a client is full, its command still ends as usual. The part of the run that was stored is sent. Later
// runs are sent as usual.
func TestAFullDiskOfAClientLosesNothingElse(t *testing.T) {
	for name, d := range disks(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			data := t.TempDir()
			s := newScene(t, "BLQ_DATA="+data)
			r := chance(t, 0)
			c := s.clients[0]
			c.dir = d.dir
			for i, again := range []bool{true, false} {
				w := newWork(r, fmt.Sprint("full", i))
				w.choked, w.split = true, false
				s.watcher.expect(w)
				c.choke(w, d, again)
			}
			w := newWork(r, "after")
			s.watcher.expect(w)
			c.upload(w, none())
			s.judge(func() place { return onDisk(t, filepath.Join(data, "blq.db"), filepath.Join(data, "logs")) })
		})
	}
}

// choke records a run. The disk is full after the first part has arrived. If again is true, the disk has space again
// before the end of the run. Otherwise it has space again after the end.
func (c *client) choke(w *work, d disk, again bool) {
	w.write(c.t, c.dir)
	c.done = append(c.done, w)
	cmd := c.command("run", "-n", w.name, "--remote", "--remote-wait", "20", "--", "sh",
		"-c", `cat head; read go; cat tail; echo; echo END; read go; exit 3`)
	w.tail = append(w.tail, "\nEND\n"...)
	f := none()
	c.to.befall(c.name, f)
	in, err := cmd.StdinPipe()
	check(c.t, err)
	out, err := cmd.StdoutPipe()
	check(c.t, err)
	var said bytes.Buffer
	cmd.Stderr = &said
	check(c.t, cmd.Start())
	lines := bufio.NewScanner(out)
	go func() {
		<-f.begun
		note(c.t, d.fill(cmd.Process.Pid))
		fmt.Fprintln(in)
	}()
	for lines.Scan() && lines.Text() != "END" {
	}
	if again {
		check(c.t, d.free(cmd.Process.Pid))
	}
	fmt.Fprintln(in)
	_, _ = io.Copy(io.Discard, out)
	_ = cmd.Wait()
	told := again || strings.Contains(said.String(), "blq: not recorded: ") &&
		strings.Contains(said.String(), "send it later: blq push")
	if code := cmd.ProcessState.ExitCode(); code != 3 || !told {
		c.t.Errorf("exit code %d, and said: %s", code, said.String())
	}
	if !again {
		// If the process has ended, its limit is gone.
		if err := d.free(cmd.Process.Pid); err != nil && !errors.Is(err, unix.ESRCH) {
			c.t.Error(err)
		}
	}
	c.push(w)
}
