//go:build unix

package capture

import (
	"os/signal"

	"golang.org/x/sys/unix"
)

// terminal is the controlling terminal. One process group owns it at a time. Other groups are stopped when they read
// from it, and Ctrl-C goes only to the owner. So the child's group must own the terminal to read from it.
type terminal struct {
	fd    int // -1 when there is none
	self  int // our process group
	stdin bool
	given bool // the child owns the terminal at the moment
	lent  bool // the child has owned the terminal at some time
}

// noTerminal stands for the missing terminal of a child in the background.
var noTerminal = terminal{fd: -1}

// openTerminal returns the terminal at stdin, or else /dev/tty, where programs read passwords.
func openTerminal(stdin uintptr) terminal {
	t := terminal{fd: int(stdin), self: unix.Getpgrp(), stdin: true}
	if _, err := t.owner(); err == nil {
		return t
	}
	fd, err := unix.Open("/dev/tty", unix.O_RDWR|unix.O_CLOEXEC|unix.O_NOCTTY, 0)
	if err != nil {
		fd = -1
	}
	return terminal{fd: fd, self: t.self}
}

func (t *terminal) owner() (int, error) { return unix.IoctlGetInt(t.fd, unix.TIOCGPGRP) }

// ours reports whether we own the terminal.
func (t *terminal) ours() bool { return t.of(t.self) }

func (t *terminal) of(group int) bool {
	owner, err := t.owner()
	return err == nil && owner == group
}

// alive reports whether there is a terminal. If there is one, a shell can continue our group after a stop.
func (t *terminal) alive() bool {
	_, err := t.owner()
	return err == nil
}

// give makes a group the owner of the terminal. Then we are in the background, where SIGTTOU would stop us when we
// write to the terminal or take it back. So give ignores SIGTTOU until the call of take. give must be called after the
// child has started, because a child inherits ignored signals.
func (t *terminal) give(group int) {
	if t.fd < 0 || !t.ours() {
		return
	}
	signal.Ignore(unix.SIGTTOU)
	if unix.IoctlSetPointerInt(t.fd, unix.TIOCSPGRP, group) != nil { // the group has already ended
		signal.Reset(unix.SIGTTOU)
		return
	}
	t.given, t.lent = true, true
}

// take makes our group the owner of the terminal again.
func (t *terminal) take() {
	if t.given {
		unix.IoctlSetPointerInt(t.fd, unix.TIOCSPGRP, t.self)
		signal.Reset(unix.SIGTTOU)
		t.given = false
	}
}

// close takes the terminal back for good.
func (t *terminal) close() {
	t.take()
	if !t.stdin && t.fd >= 0 {
		unix.Close(t.fd)
	}
	t.fd = -1
}
