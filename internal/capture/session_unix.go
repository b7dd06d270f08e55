//go:build unix

package capture

import (
	"encoding/json"
	"errors"
	"os"
	"os/signal"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// A child with a terminal of its own needs a session, and a leader of the session that does not end with
// the child: the system hangs up a terminal when its session's leader ends, and it does not let Ctrl-Z stop a
// child whose parent is in another session. The leader is this program in a process of its own. It starts
// the child, tells how it does, and passes on the output of processes that the child leaves behind.

const sessionRole = "blq-terminal"

// These are the descriptors of the leader, above the descriptors of the child. Its environment says where they begin.
const (
	sessionControl = iota // messages to and from the process that started the leader
	sessionMaster         // the other side of the child's terminal
	sessionOutput         // where output is passed on to
	sessionOuter          // the terminal that we were started in
	sessionFiles          // how many there are
)

const sessionBase = "BLQ_TERMINAL_FILES"

// launch says which command the leader starts, and how.
type launch struct {
	Args []string
	Env  []string
	Dir  string
}

// report is a message of the leader: first that the child runs, or why not, then each change of the
// child's status.
type report struct {
	PID    int
	Name   string // of a StartError
	Code   int
	Error  string
	Status uint32
	Modes  *unix.Termios // of the terminal at the child's end
}

// order is a message to the leader: that the child has ended, or earlier, a hangup.
type order struct {
	Copy   bool // other processes have the terminal, and their output is to be passed on
	Hangup bool // the outer terminal is gone, and so is the child's to be
}

// lead is the leader's process.
func lead() int {
	base, err := strconv.Atoi(os.Getenv(sessionBase))
	if err != nil {
		return 1
	}
	ctl := os.NewFile(uintptr(base+sessionControl), "control")
	master, outer := os.NewFile(uintptr(base+sessionMaster), "terminal"),
		os.NewFile(uintptr(base+sessionOuter), "outer terminal")
	before := modesOf(outer)
	if !signal.Ignored(unix.SIGHUP) { // else the child ignores it, too
		signal.Notify(make(chan os.Signal, 1), unix.SIGHUP) // the child hears it, the leader goes on
	}
	for i := range sessionFiles {
		unix.CloseOnExec(base + i)
	}
	var l launch
	in := json.NewDecoder(ctl)
	if err := in.Decode(&l); err != nil {
		return 1
	}
	tell := json.NewEncoder(ctl)
	pid, err := spawn(l.Args, &syscall.ProcAttr{
		Dir: l.Dir, Env: l.Env, Files: []uintptr{0, 1, 2}, Sys: &syscall.SysProcAttr{Foreground: true, Ctty: 0},
	})
	for fd := 3; fd < base; fd++ {
		if inherited(fd) {
			unix.Close(fd) // it is the child's alone
		}
	}
	var failed *StartError
	if errors.As(err, &failed) {
		_ = tell.Encode(report{Name: failed.Name, Code: failed.Code, Error: failed.Err.Error()})
		return 0
	}
	signal.Ignore(unix.SIGTTOU) // from here on the child's group has the terminal
	_ = tell.Encode(report{PID: pid})
	go follow(pid, tell)
	var o order
	err = in.Decode(&o)
	if o.Hangup {
		master.Close()
		o = order{}
		err = in.Decode(&o)
	}
	if err != nil { // the process that started us is gone, and the child's terminal goes with it
		if before != nil {
			_ = setModes(outer, before) // the outer terminal may be gone, too
		}
		return 1
	}
	if o.Copy {
		pump(base+sessionMaster, base+sessionOutput)
	}
	letGo(master)
	return 0
}

// follow reports each change of the child's status. Before it reports the end, it closes the terminal, whose only users
// are then processes that the child left behind.
func follow(pid int, tell *json.Encoder) {
	for {
		var status unix.WaitStatus
		_, err := unix.Wait4(pid, &status, unix.WUNTRACED, nil)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			status = 1 << 8 // exit code 1
		}
		over := !status.Stopped()
		r := report{Status: uint32(status)}
		if over {
			if modes, err := unix.IoctlGetTermios(0, getTermios); err == nil {
				r.Modes = modes
			}
			for fd := range 3 {
				unix.Close(fd)
			}
		}
		if tell.Encode(r) != nil || over {
			return
		}
	}
}

// letGo makes our own group the terminal's, so that the hangup at our end meets no process that the child
// left behind.
func letGo(master *os.File) {
	_ = control(master, func(fd int) error { return unix.IoctlSetPointerInt(fd, unix.TIOCSPGRP, unix.Getpgrp()) })
}
