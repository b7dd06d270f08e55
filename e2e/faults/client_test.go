//go:build linux

package faults

import (
	"bytes"
	"os"
	"os/exec"
	"testing"
)

const repo = "acme/app"

// client is a user with a .lq folder who uploads several runs one after another.
type client struct {
	t    *testing.T
	name string
	dir  string
	to   *recorder
	done []*work
}

func newClient(t *testing.T, name string, to *recorder) *client {
	return &client{t: t, name: name, dir: t.TempDir(), to: to}
}

// command returns a command line of blq.
func (c *client) command(args ...string) *exec.Cmd {
	cmd := exec.Command(blq, args...)
	cmd.Dir = c.dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + c.dir, "BLQ_SERVER=" + c.to.url(c.name), "BLQ_REPO=" + repo}
	return cmd
}

// maxPushes is the max number of pushes until the server has a complete run.
const maxPushes = 15

// upload records a run and sends it with a fault. Then it sends the missing parts without a fault.
func (c *client) upload(w *work, f *fault) {
	w.write(c.t, c.dir)
	c.done = append(c.done, w)
	if w.live {
		w.killed = c.live(w, f)
	} else {
		c.run(c.command(w.flags()...), none(), 3)
		c.run(c.command("push"), f, 0)
	}
	c.push(w)
}

// push sends the parts of a run that the server does not have.
func (c *client) push(w *work) {
	c.to.befall(c.name, none())
	var said string
	for range maxPushes {
		out, err := c.command("push").CombinedOutput()
		if err == nil {
			return
		}
		said = string(out)
	}
	c.t.Errorf("%s: not there after %d times of blq push, which said: %s", w.name, maxPushes, said)
}

// run runs a command with a fault and reports whether the command was killed. Only a fault of the client may kill the
// command. If "blq run" is not killed, it must exit with code, even if the server fails.
func (c *client) run(cmd *exec.Cmd, f *fault, code int) bool {
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	started := c.aim(cmd, f)
	if err := cmd.Start(); err != nil {
		c.t.Error(err)
		return false
	}
	close(started)
	_ = cmd.Wait()
	f.settle()
	got := cmd.ProcessState.ExitCode()
	killed := got < 0
	switch {
	case killed && f.victim == theClient:
		<-f.struck
	case killed, cmd.Args[1] == "run" && got != code:
		c.t.Errorf("%s: exit code %d, want %d: %s", cmd.Args[1:], got, code, said.String())
	}
	return killed
}

// aim directs a fault at the requests of a command that is about to start.
func (c *client) aim(cmd *exec.Cmd, f *fault) (started chan struct{}) {
	started = make(chan struct{})
	switch f.victim {
	case theClient:
		f.strike = func() {
			<-started
			_ = cmd.Process.Kill() // it may have ended
		}
	case theServer:
		f.strike = c.to.to.restart
	}
	c.to.befall(c.name, f)
	return started
}

// live records a run that goes on until the server has a part of it, or until the fault has struck. It reports whether
// the command was killed.
func (c *client) live(w *work, f *fault) bool {
	cmd := c.command(w.flags()...)
	in, err := cmd.StdinPipe()
	check(c.t, err)
	ended := make(chan struct{})
	defer close(ended)
	go func() {
		select {
		case <-f.begun:
		case <-f.struck:
		case <-ended:
		}
		_ = in.Close() // it may have ended
	}()
	return c.run(cmd, f, 3)
}
