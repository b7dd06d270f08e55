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

// If a child has its own terminal, it needs a session whose leader outlives the child, because the system hangs up a
// terminal when the leader of its session ends. The child's parent must be in the same session. Otherwise Ctrl-Z could
// not stop the child. So this program also runs as the leader, in a separate process. The leader starts the child and
// reports its status. It also passes on the output of processes that the child leaves behind.

const sessionRole = "blq-terminal"

// These are the leader's own files, in the order of their descriptors. They come after the files for the child. The
// environment variable BLQ_TERMINAL_FILES has the descriptor of the first of them.
const (
	sessionControl = iota // messages to and from the process that started the leader
	sessionMaster         // the other side of the child's terminal
	sessionOutput         // destination of the output that is passed on
	sessionOuter          // the terminal in which we were started
	sessionFiles          // number of these files
)

const sessionBase = "BLQ_TERMINAL_FILES"

// launch is the command that the leader starts.
type launch struct {
	Args []string
	Env  []string
	Dir  string
}

// report is a message from the leader. The first message says that the child runs, or why the child does not run.
// Each further message says that the child was stopped or has ended.
type report struct {
	PID    int
	Name   string // Name of a StartError
	Code   int
	Error  string
	Status uint32
	Modes  *unix.Termios // modes of the terminal when the child ended
}

// order is a message to the leader. An order with Hangup may come while the child runs. An order without Hangup comes
// after the child has ended.
type order struct {
	Copy   bool // pass on the output of other processes on the terminal
	Hangup bool // the outer terminal is gone, so close the child's terminal
}

// lead is the main function of the leader.
func lead() int {
	base, err := strconv.Atoi(os.Getenv(sessionBase))
	if err != nil {
		return 1
	}
	ctl := os.NewFile(uintptr(base+sessionControl), "control")
	master, outer := os.NewFile(uintptr(base+sessionMaster), "terminal"),
		os.NewFile(uintptr(base+sessionOuter), "outer terminal")
	before := modesOf(outer)
	inheritIgnored()
	if !signal.Ignored(unix.SIGHUP) { // if SIGHUP is ignored, the child ignores it, too
		signal.Notify(make(chan os.Signal, 1), unix.SIGHUP) // the child gets the signal, and the leader continues
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
			unix.Close(fd) // only the child uses this descriptor
		}
	}
	var failed *StartError
	if errors.As(err, &failed) {
		_ = tell.Encode(report{Name: failed.Name, Code: failed.Code, Error: failed.Err.Error()})
		return 0
	}
	signal.Ignore(unix.SIGTTOU) // from now on the child's group owns the terminal
	_ = tell.Encode(report{PID: pid})
	go follow(pid, tell)
	var o order
	err = in.Decode(&o)
	if o.Hangup {
		master.Close()
		o = order{}
		err = in.Decode(&o)
	}
	if err != nil { // the process that started us has ended, so the child's terminal is closed, too
		if before != nil {
			_ = setModes(outer, before) // fails if the outer terminal is gone, too
		}
		return 1
	}
	if o.Copy {
		pump(base+sessionMaster, base+sessionOutput)
	}
	letGo(master)
	return 0
}

// follow reports each stop of the child, and its end. It closes the terminal before it reports the end. After that,
// only processes that the child left behind use the terminal.
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

// letGo makes our own group the owner of the terminal. So processes that the child left behind get no SIGHUP when we
// close the terminal.
func letGo(master *os.File) {
	_ = control(master, func(fd int) error { return unix.IoctlSetPointerInt(fd, unix.TIOCSPGRP, unix.Getpgrp()) })
}
