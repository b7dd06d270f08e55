//go:build unix

package capture

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// session is the session of a child with a terminal of its own. It also holds our end of this terminal.
type session struct {
	child  int         // the child's process group
	keys   *keySignals // signals for our own group
	ctl    *os.File
	master *os.File
	outer  *os.File      // the terminal in which we were started
	modes  *unix.Termios // modes of outer at our start
	wake   *os.File      // closed to stop forwarding input
	slept  *os.File
	done   chan struct{} // closed when no input is forwarded any more
	quoted bool          // the last key makes the next one an ordinary character; only passInput uses it

	mu     sync.Mutex
	last   *unix.Termios // modes of the child's terminal at its end, nil if unknown
	rawNow bool          // outer is in raw mode
	// paused is set while we must not use the terminal outer, because we are stopped or about to end.
	paused bool
}

// openPipe opens the child's output: a pseudo-terminal or a pipe. The child gets a pipe if c.PTY is false, if the child
// runs in the background, if our own output is not a terminal, or if Reexec was not called.
func (c *Command) openPipe(to *os.File) (r, w *os.File, err error) {
	modes := modesOf(to)
	if !c.PTY || !reexecs || c.Background || modes == nil {
		if r, w, err = os.Pipe(); err == nil {
			enlarge(w)
		}
		return r, w, err
	}
	if r, w, err = openTerminalPair(); err != nil {
		return nil, nil, err
	}
	if !c.ownSession() {
		modes.Oflag &^= unix.OPOST // the outer terminal converts line ends
	}
	_ = setModes(w, modes) // the terminal works without this, too
	resize(r, to)
	return r, w, nil
}

// ownSession reports whether the child gets its own session. It needs a pseudo-terminal, and must not run in the
// background. Its stdin and stdout must be the same terminal. blq must be able to execute itself again. Any other child
// stays in our session. If it has a pseudo-terminal, only its output goes there.
func (c *Command) ownSession() bool {
	return c.PTY && reexecs && !c.Background && sameTerminal(c.Stdin, c.Stdout)
}

// startSession starts the child in its own session.
func startSession(c *Command, files []*os.File, master *os.File) (*process, error) {
	ours, err := startLeader(c, files, master)
	if err != nil {
		return nil, err
	}
	s := &session{ctl: ours, master: master, outer: c.Stdin, modes: modesOf(c.Stdin), done: make(chan struct{})}
	reports := json.NewDecoder(ours)
	pid, err := launchIn(ours, reports, c)
	if err != nil {
		ours.Close()
		return nil, err
	}
	p := &process{pid: pid, exited: make(chan ended, 1), stopped: make(chan syscall.Signal, 1), tty: noTerminal,
		session: s}
	s.child, s.keys = pid, &p.keys
	go s.readReports(reports, p)
	if s.slept, s.wake, err = os.Pipe(); err != nil {
		close(s.done) // no input is forwarded
		return p, nil
	}
	s.enter()
	go s.passInput()
	return p, nil
}

// startLeader starts the leader of a session, and returns this process's end of the connection to the leader. files are
// the child's files, by descriptor.
func startLeader(c *Command, files []*os.File, master *os.File) (*os.File, error) {
	program, err := self()
	if err != nil {
		return nil, err
	}
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		return nil, fmt.Errorf("open a terminal: %w", err)
	}
	for _, fd := range pair {
		unix.CloseOnExec(fd)
	}
	ours, theirs := os.NewFile(uintptr(pair[0]), "control"), os.NewFile(uintptr(pair[1]), "control")
	defer theirs.Close()
	base := lastInherited() + 1
	leader, err := syscall.ForkExec(program, []string{sessionRole}, &syscall.ProcAttr{
		Env: []string{sessionBase + "=" + strconv.Itoa(base)},
		Files: leaderFiles(base, files, map[int]*os.File{
			sessionControl: theirs, sessionMaster: master, sessionOutput: c.Stdout, sessionOuter: c.Stdin,
		}),
		Sys: &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 0},
	})
	if err != nil {
		ours.Close()
		return nil, fmt.Errorf("open a terminal: %w", err)
	}
	go func() { _, _ = unix.Wait4(leader, nil, 0, nil) }() // avoids a zombie in a long-lived process
	return ours, nil
}

// leaderFiles returns the descriptors for the leader: the child's files, then inherited files, and last the leader's
// own files. The numbers of the own files begin at base.
func leaderFiles(base int, files []*os.File, own map[int]*os.File) []uintptr {
	fds := make([]uintptr, base+sessionFiles)
	for fd := range base {
		if fds[fd] = uintptr(fd); !inherited(fd) {
			fds[fd] = ^uintptr(0) // the file is closed
		}
	}
	put := func(at int, f *os.File) {
		// f.Fd() would make the file blocking, and a read could not be ended any more.
		_ = control(f, func(fd int) error { fds[at] = uintptr(fd); return nil })
	}
	for i, f := range files {
		put(i, f)
	}
	for i, f := range own {
		put(base+i, f)
	}
	return fds
}

// launchIn asks the leader to start the child, and returns the child's process ID.
func launchIn(ctl *os.File, reports *json.Decoder, c *Command) (int, error) {
	var first report
	err := json.NewEncoder(ctl).Encode(launch{Args: argv(c), Env: c.Env, Dir: c.Dir})
	if err == nil {
		err = reports.Decode(&first)
	}
	switch {
	case err != nil:
		return 0, fmt.Errorf("open a terminal: %w", err)
	case first.Error != "":
		return 0, &StartError{Name: first.Name, Code: first.Code, Err: errors.New(first.Error)}
	}
	return first.PID, nil
}

// readReports reads the leader's reports about the child until the child or the leader has ended.
func (s *session) readReports(reports *json.Decoder, p *process) {
	for {
		var r report
		if err := reports.Decode(&r); err != nil {
			p.exited <- ended{code: 1}
			return
		}
		if r.Modes != nil {
			s.mu.Lock()
			s.last = r.Modes
			s.mu.Unlock()
		}
		if p.changed(unix.WaitStatus(r.Status)) {
			return
		}
	}
}

// foreground reports whether we may read from the terminal and change its modes.
func (s *session) foreground() bool {
	owner, err := -1, error(nil)
	_ = control(s.outer, func(fd int) error { owner, err = unix.IoctlGetInt(fd, unix.TIOCGPGRP); return nil })
	return err != nil || owner == unix.Getpgrp() // an error means that there is no job control
}

// enter puts the outer terminal into raw mode while we are in the foreground.
func (s *session) enter() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.rawNow && !s.paused && s.foreground() {
		s.passLines()
		s.rawNow = setModes(s.outer, raw(s.modes)) == nil
	}
}

// leave restores the modes of the outer terminal until resume is called.
func (s *session) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.rawNow && s.foreground() {
		_ = setModes(s.outer, s.modes) // fails if the terminal is gone
	}
	s.rawNow, s.paused = false, true
}

func (s *session) resume() {
	s.mu.Lock()
	s.paused = false
	s.mu.Unlock()
	s.enter()
	resize(s.master, s.outer)
}

// awaitForeground is the interval at which passInput checks whether we have come to the foreground.
const awaitForeground = 200 * time.Millisecond

// passInput forwards typed input to the child's terminal until wake is closed, the input ends, or an error occurs.
func (s *session) passInput() {
	defer close(s.done)
	buf := make([]byte, 4096)
	for {
		fds := []unix.PollFd{{Fd: int32(s.slept.Fd()), Events: unix.POLLIN}, {Fd: -1, Events: unix.POLLIN}}
		timeout := -1
		if s.foreground() {
			s.enter()
			_ = control(s.outer, func(fd int) error { fds[1].Fd = int32(fd); return nil })
		} else {
			timeout = int(awaitForeground.Milliseconds())
		}
		if _, err := unix.Poll(fds, timeout); err != nil && !errors.Is(err, unix.EINTR) {
			return
		}
		if fds[0].Revents != 0 {
			return
		}
		if fds[1].Revents == 0 || !s.foreground() {
			continue
		}
		n, err := unix.Read(int(fds[1].Fd), buf)
		if errors.Is(err, unix.EINTR) || errors.Is(err, unix.EAGAIN) {
			continue
		}
		if n <= 0 || err != nil {
			s.hangUp()
			return
		}
		signals := s.signalsOf(buf[:n])
		if _, err := s.master.Write(buf[:n]); err != nil {
			return
		}
		for _, signal := range signals {
			s.keys.send(signal)
		}
	}
}

// hangUp closes the child's terminal. The system then signals the child, and the child's input ends.
func (s *session) hangUp() {
	_ = json.NewEncoder(s.ctl).Encode(order{Hangup: true}) // fails if the leader is gone; that hangs up, too
	s.master.Close()
}

// stopInput stops forwarding input.
func (s *session) stopInput() {
	if s.wake != nil {
		s.wake.Close()
		_ = s.master.SetWriteDeadline(time.Now()) // the child may not have read all input
	}
	<-s.done
	if s.slept != nil {
		s.slept.Close()
	}
}

// restore restores the modes of the outer terminal. A command that ended by itself may have changed the modes on
// purpose, as stty does; these changes are kept.
func (s *session) restore(byItself bool) {
	s.mu.Lock()
	if byItself && s.last != nil {
		s.modes = s.last
	}
	s.mu.Unlock()
	s.leave()
}

// quit ends the leader. If keep is set, the leader goes on instead, and passes on the output of processes that the
// child left behind.
func (s *session) quit(keep bool) error {
	defer s.ctl.Close()
	if modes := modesOf(s.master); keep && modes != nil {
		_ = setModes(s.master, raw(modes)) // from now on the outer terminal converts line ends
	}
	return json.NewEncoder(s.ctl).Encode(order{Copy: keep})
}
