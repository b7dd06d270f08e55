//go:build unix

package capture

import (
	"errors"
	"os"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// process is the child and its group.
type process struct {
	pid     int
	exited  chan ended
	stopped chan syscall.Signal
	tty     terminal
}

// listen asks for the signals that end a step. Those that we were started to
// ignore (nohup) stay ignored, for the child too. SIGPIPE is caught so that a
// reader that went away is an error of writing and does not end us.
func listen(c chan os.Signal) {
	for _, s := range []os.Signal{unix.SIGINT, unix.SIGTERM, unix.SIGHUP, unix.SIGQUIT, unix.SIGTSTP} {
		if !signal.Ignored(s) {
			signal.Notify(c, s)
		}
	}
	signal.Notify(c, unix.SIGPIPE)
}

func start(c *Command, files []*os.File) (*process, error) {
	args := c.Args
	if c.Shell {
		args = append([]string{"/bin/sh", "-c", c.Args[0], "sh"}, c.Args[1:]...)
	}
	fds := make([]uintptr, len(files))
	for i, f := range files {
		fds[i] = f.Fd()
	}
	// A session of its own has no terminal: who wants a password there hears at once that there is nobody.
	sys := &syscall.SysProcAttr{Setpgid: !c.Background, Setsid: c.Background}
	attr := &syscall.ProcAttr{Dir: c.Dir, Env: c.Env, Files: fds, Sys: sys}
	pid, err := spawn(args, attr)
	if err != nil {
		return nil, err
	}
	p := &process{pid: pid, exited: make(chan ended, 1), stopped: make(chan syscall.Signal, 1), tty: noTerminal}
	if !c.Background {
		p.tty = openTerminal(fds[0])
		p.tty.give(pid)
	}
	go p.wait()
	return p, nil
}

// wait sees the child stop, too: whoever has the terminal has to answer that.
func (p *process) wait() {
	for {
		var status unix.WaitStatus
		_, err := unix.Wait4(p.pid, &status, unix.WUNTRACED, nil)
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			p.exited <- ended{code: 1}
			return
		case status.Stopped():
			select {
			case p.stopped <- status.StopSignal():
			default:
			}
		case status.Signaled():
			s := status.Signal()
			p.exited <- ended{code: -1, signal: signalName(s), number: int(s)}
			return
		case status.Exited():
			p.exited <- ended{code: status.ExitStatus()}
			return
		}
	}
}

func (p *process) signal(s os.Signal) { unix.Kill(-p.pid, s.(syscall.Signal)) }

// terminate asks the group to end; a stopped process has to run to hear it.
func (p *process) terminate() {
	unix.Kill(-p.pid, unix.SIGTERM)
	unix.Kill(-p.pid, unix.SIGCONT)
}

func (p *process) kill() { unix.Kill(-p.pid, unix.SIGKILL) }

func (p *process) groupAlive() bool { return unix.Kill(-p.pid, 0) == nil }

// jobControl handles the signals that do not end the child.
func (p *process) jobControl(s os.Signal) bool {
	switch s {
	case unix.SIGTSTP:
		unix.Kill(-p.pid, unix.SIGTSTP)
		p.suspend()
	case unix.SIGPIPE:
	default:
		return false
	}
	return true
}

// onStop answers a child that stopped. One that wants the terminal gets it,
// when it is ours to give; it may also have wanted it just before it got it. With the terminal lent out, Ctrl-Z stopped the child
// alone, and our shell waits for us: we stop as well. Elsewhere a stopped child
// is nobody's business but its own.
func (p *process) onStop(s syscall.Signal) {
	wants := s == unix.SIGTTIN || s == unix.SIGTTOU
	switch {
	case wants && (p.tty.ours() || p.tty.of(p.pid)):
		p.tty.give(p.pid)
		unix.Kill(-p.pid, unix.SIGCONT)
	case (wants || p.tty.given) && p.tty.alive():
		p.suspend()
	}
}

// suspend stops our own group until the shell continues it, and then the child.
// The signal may hit another thread first, so being continued is waited for:
// running on would continue the child at once. Process 1 of a container has no
// shell and cannot stop.
func (p *process) suspend() {
	given := p.tty.given
	p.tty.take()
	if unix.Getpid() != 1 {
		continued := make(chan os.Signal, 1)
		signal.Notify(continued, unix.SIGCONT)
		unix.Kill(0, unix.SIGSTOP)
		<-continued
		signal.Stop(continued)
	}
	if given && p.tty.ours() {
		p.tty.give(p.pid)
	}
	unix.Kill(-p.pid, unix.SIGCONT)
}

func (p *process) interactive() bool { return p.tty.lent }

// reclaim takes the terminal back.
func (p *process) reclaim() { p.tty.close() }

func signalName(s syscall.Signal) string {
	if name := unix.SignalName(s); name != "" {
		return name
	}
	return s.String()
}

// dieOf ends us by the child's signal, for those whose only effect is that.
func dieOf(r Result) {
	s := syscall.Signal(r.number)
	switch s {
	case unix.SIGINT, unix.SIGTERM, unix.SIGHUP, unix.SIGKILL:
		signal.Reset(s)
		unix.Kill(unix.Getpid(), s)
		time.Sleep(100 * time.Millisecond) // process 1 of a container outlives it
	case unix.SIGPIPE:
		signal.Reset(s)
		if unread(os.Stdout) {
			_, _ = os.Stdout.Write([]byte{'\n'}) // only such a write ends a Go program by this signal
		}
	}
}

// unread says whether a file is a pipe that has no reader any more.
func unread(f *os.File) bool {
	conn, err := f.SyscallConn()
	if err != nil {
		return false
	}
	gone := false
	err = conn.Control(func(fd uintptr) {
		fds := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLOUT}}
		n, err := unix.Poll(fds, 0)
		gone = err == nil && n == 1 && fds[0].Revents&unix.POLLERR != 0
	})
	return err == nil && gone
}

func readerGone(err error) bool { return errors.Is(err, unix.EPIPE) }

// unlinked creates a file without a name: it is gone when we are.
func unlinked(dir string) (*os.File, error) {
	f, err := os.CreateTemp(dir, ".blq-spill-*")
	if err != nil {
		return nil, err
	}
	os.Remove(f.Name())
	return f, nil
}

func discard(f *os.File) { f.Close() }
