//go:build unix

package capture

import (
	"os/signal"

	"golang.org/x/sys/unix"
)

// terminal is the controlling terminal. It belongs to one process group at a
// time: the others are stopped when they read from it, and Ctrl-C goes to the
// owner only. So the child's group, when it reads from the terminal, has to own it.
type terminal struct {
	fd    int // -1 when there is none
	self  int // our process group
	stdin bool
	given bool // to the child, at this moment
	lent  bool // to the child, ever
}

// noTerminal is that of a child in the background.
var noTerminal = terminal{fd: -1}

// openTerminal looks for the terminal at stdin, else for the one that
// passwords are asked from.
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

// ours reports whether the terminal is ours to give.
func (t *terminal) ours() bool { return t.of(t.self) }

func (t *terminal) of(group int) bool {
	owner, err := t.owner()
	return err == nil && owner == group
}

// alive reports whether there is a terminal, and with it somebody who would
// continue us.
func (t *terminal) alive() bool {
	_, err := t.owner()
	return err == nil
}

// give makes the group the owner. From then on we are in the background:
// writing to the terminal and taking it back must not stop us. That is ignored
// only now, as a child would inherit it.
func (t *terminal) give(group int) {
	if t.fd < 0 || !t.ours() {
		return
	}
	signal.Ignore(unix.SIGTTOU)
	if unix.IoctlSetPointerInt(t.fd, unix.TIOCSPGRP, group) != nil { // it has ended already
		signal.Reset(unix.SIGTTOU)
		return
	}
	t.given, t.lent = true, true
}

// take makes us the owner again.
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
