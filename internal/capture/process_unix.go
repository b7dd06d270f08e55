//go:build unix

package capture

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// process is the child and its process group.
type process struct {
	pid     int
	exited  chan ended
	stopped chan syscall.Signal
	asked   bool // somebody asked us to stop, and we passed the request on to the child
	tty     terminal
	session *session // nil for a child in our own session
	keys    keySignals
}

// listen subscribes to the signals that end a step, and to the signals that jobControl handles. Signals that were
// ignored when this process started (nohup) stay ignored, also in the child. SIGPIPE is caught, so a write to a closed
// pipe returns an error and does not end this process.
func listen(c chan os.Signal) {
	inheritIgnored()
	for _, s := range append(endings(), unix.SIGTSTP) {
		if !signal.Ignored(s) {
			signal.Notify(c, s)
		}
	}
	for _, s := range []os.Signal{unix.SIGPIPE, unix.SIGUSR1, unix.SIGUSR2, unix.SIGALRM} {
		if !signal.Ignored(s) {
			signal.Notify(c, s)
		}
	}
	signal.Notify(c, unix.SIGWINCH, unix.SIGCONT)
}

// endings are the signals that ask a process to end.
func endings() []os.Signal { return []os.Signal{unix.SIGINT, unix.SIGTERM, unix.SIGHUP, unix.SIGQUIT} }

// argv returns the program and its arguments.
func argv(c *Command) []string {
	if c.Shell {
		return append([]string{"/bin/sh", "-c", c.Args[0], "sh"}, c.Args[1:]...)
	}
	return c.Args
}

// start starts the child with the given standard files. outputs are our ends of the pipes or of the pseudo-terminal
// for the child's stdout and stderr. outputs is empty if the child writes to our own stdout and stderr.
func start(c *Command, files []*os.File, outputs []*reader) (*process, error) {
	if len(outputs) > 0 && c.ownSession() {
		files[0] = files[1]
		return startSession(c, files, outputs[0].pipe)
	}
	fds := make([]uintptr, len(files))
	for i, f := range files {
		fds[i] = f.Fd()
	}
	// A background child gets a new session without a terminal. So a program that asks for a password fails at once.
	sys := &syscall.SysProcAttr{Setpgid: !c.Background, Setsid: c.Background}
	attr := &syscall.ProcAttr{Dir: c.Dir, Env: c.Env, Files: fds, Sys: sys}
	pid, err := spawn(argv(c), attr)
	if err != nil {
		return nil, err
	}
	p := &process{pid: pid, exited: make(chan ended, 1), stopped: make(chan syscall.Signal, 1), tty: noTerminal}
	if !c.Background {
		p.tty = openTerminal(fds[0])
		p.tty.give(pid)
	}
	for _, r := range outputs {
		if modesOf(r.pipe) != nil {
			go p.followSize(r)
		}
	}
	go p.wait()
	return p, nil
}

// wait waits for the child.
func (p *process) wait() {
	for {
		var status unix.WaitStatus
		_, err := unix.Wait4(p.pid, &status, unix.WUNTRACED, nil)
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			p.exited <- ended{code: 1}
			return
		case p.changed(status):
			return
		}
	}
}

// changed handles a change of the child's status, and reports whether the child has ended. If the child was stopped,
// changed sends the signal to p.stopped, because this process may have to stop, too.
func (p *process) changed(status unix.WaitStatus) bool {
	switch {
	case status.Stopped():
		select {
		case p.stopped <- status.StopSignal():
		default:
		}
	case status.Signaled():
		s := status.Signal()
		p.exited <- ended{code: -1, signal: signalName(s), number: int(s)}
		return true
	case status.Exited():
		p.exited <- ended{code: status.ExitStatus()}
		return true
	}
	return false
}

// sizeEvery is the interval at which the size of the outer terminal is checked.
const sizeEvery = 250 * time.Millisecond

// followSize passes changes of the outer terminal's size on to the child's terminal, and sends SIGWINCH to the child's
// group.
func (p *process) followSize(r *reader) {
	for tick := time.NewTicker(sizeEvery); ; {
		select {
		case <-r.done:
			tick.Stop()
			return
		case <-tick.C:
			if resize(r.pipe, r.to) {
				unix.Kill(-p.pid, unix.SIGWINCH)
			}
		}
	}
}

func (p *process) signal(s os.Signal) { unix.Kill(-p.pid, s.(syscall.Signal)) }

// terminate asks the group to end. It also continues the group, because a stopped process does not
// receive the signal.
func (p *process) terminate() {
	unix.Kill(-p.pid, unix.SIGTERM)
	unix.Kill(-p.pid, unix.SIGCONT)
}

func (p *process) kill() { unix.Kill(-p.pid, unix.SIGKILL) }

func (p *process) groupAlive() bool { return unix.Kill(-p.pid, 0) == nil }

// jobControl handles the signals of job control, and other signals that do not end a step. It reports whether the given
// signal is such a signal, or a signal that we sent ourselves.
func (p *process) jobControl(s os.Signal) bool {
	if p.keys.own(s) {
		return true
	}
	switch s {
	case unix.SIGTSTP:
		p.asked = true // if the child ignores the stop, this process continues, too
		unix.Kill(-p.pid, unix.SIGTSTP)
	case unix.SIGPIPE:
	case unix.SIGWINCH:
		if p.session != nil {
			resize(p.session.master, p.session.outer)
		} else {
			unix.Kill(p.pid, unix.SIGWINCH)
		}
	case unix.SIGCONT:
		p.asked = false
		unix.Kill(-p.pid, unix.SIGCONT) // SIGTSTP stopped the whole group
	// These signals are for the child, because their meaning depends on the program.
	case unix.SIGUSR1, unix.SIGUSR2, unix.SIGALRM:
		unix.Kill(p.pid, s.(syscall.Signal))
	default:
		return false
	}
	return true
}

// onStop handles a stopped child. The child continues, or we stop as well, or only the child stays stopped.
func (p *process) onStop(s syscall.Signal) {
	wants := s == unix.SIGTTIN || s == unix.SIGTTOU
	switch {
	case p.asked && s == unix.SIGTSTP: // we passed this signal on, so it is for us, too
		p.asked = false
		p.suspend(unix.Getpid())
	case p.session != nil:
		p.suspend(wholeGroup)
	// The child may own the terminal already, if it was stopped just before it became the owner.
	case wants && (p.tty.ours() || p.tty.of(p.pid)):
		p.tty.give(p.pid)
		unix.Kill(-p.pid, unix.SIGCONT)
	// Another group owns the terminal, or the child owned the terminal when it was stopped, as by Ctrl-Z. In both cases
	// we stop, too, so that our shell can continue us later.
	case (wants || p.tty.given) && p.tty.alive():
		p.suspend(wholeGroup)
	}
}

// wholeGroup makes suspend stop our whole process group, as Ctrl-Z in a terminal does.
const wholeGroup = 0

// suspend stops our process group, or only this process, until the shell continues it. After that, suspend continues
// the child. Another thread may receive the stop signal first, so suspend waits for SIGCONT. suspend does not stop
// process 1 of a container or an orphaned group, because no shell would continue them.
func (p *process) suspend(who int) {
	given := p.tty.given
	p.tty.take()
	if p.session != nil {
		p.session.leave()
	}
	if unix.Getpid() != 1 && !orphaned() {
		continued := make(chan os.Signal, 1)
		signal.Notify(continued, unix.SIGCONT)
		unix.Kill(who, unix.SIGSTOP)
		<-continued
		signal.Stop(continued)
	}
	if given && p.tty.ours() {
		p.tty.give(p.pid)
	}
	if p.session != nil {
		p.session.resume()
	}
	unix.Kill(-p.pid, unix.SIGCONT)
}

// orphaned reports whether no shell can continue our process group. Ctrl-Z does not stop such a group.
func orphaned() bool {
	session, err := unix.Getsid(0)
	if err != nil {
		return false
	}
	for pid := unix.Getppid(); ; {
		if sid, err := unix.Getsid(pid); pid == 0 || err != nil || sid != session {
			return true
		}
		if group, err := unix.Getpgid(pid); err != nil || group != unix.Getpgrp() {
			return false
		}
		if pid, err = parentOf(pid); err != nil {
			return false
		}
	}
}

func (p *process) interactive() bool { return p.tty.lent || p.session != nil }

// reclaim takes the terminal back from the child. From then on the shell gets the input.
func (p *process) reclaim() {
	p.tty.close()
	if p.session != nil {
		p.session.stopInput()
	}
}

func signalName(s syscall.Signal) string {
	if name := unix.SignalName(s); name != "" {
		return name
	}
	return s.String()
}

// dieOf ends this process with the signal that ended the child.
func dieOf(r Result) {
	s := syscall.Signal(r.number)
	switch s {
	case unix.SIGINT, unix.SIGTERM, unix.SIGHUP, unix.SIGKILL:
		signal.Reset(s)
		unix.Kill(unix.Getpid(), s)
		time.Sleep(100 * time.Millisecond) // process 1 of a container survives its own signal
	default:
		// A Go program handles the remaining signals itself and would exit with a code. So a shell replaces this
		// process, and sends the signal to itself.
		var core unix.Rlimit
		if unix.Getrlimit(unix.RLIMIT_CORE, &core) == nil {
			core.Cur = 0 // avoids a second core dump; the child has made its own
			_ = unix.Setrlimit(unix.RLIMIT_CORE, &core)
		}
		die := fmt.Sprintf("kill -%d $$; exit %d", r.number, ExitCode(r))
		_ = unix.Exec("/bin/sh", []string{"sh", "-c", die}, nil) // if there is no shell, the exit code shows the signal
	}
}

// tooManyFiles reports whether an error says that no more files can be opened.
func tooManyFiles(err error) bool { return errors.Is(err, unix.EMFILE) || errors.Is(err, unix.ENFILE) }

func readerGone(err error) bool { return errors.Is(err, unix.EPIPE) }
