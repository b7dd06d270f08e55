//go:build unix

package cage

import (
	"os"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// root is the directory of children.
func root() string { return "/" }

// killGroup kills a child and its group.
func killGroup(p *os.Process) {
	if err := syscall.Kill(-p.Pid, syscall.SIGKILL); err != nil {
		_ = p.Kill() // the group may be gone, or not there yet
	}
}

// cpuSeconds returns a limit of CPU time for a time limit. The time limit comes first, unless the child works on more
// than one processor.
func cpuSeconds(d time.Duration) uint64 { return uint64((d+time.Second-1)/time.Second) + 1 }

// exitAtSignal ends this process when the limit of its CPU time is reached. One second later the system kills it.
func exitAtSignal(s os.Signal) {
	reached := make(chan os.Signal, 1)
	signal.Notify(reached, s)
	go func() {
		<-reached
		os.Exit(exitTime)
	}()
}

// setLimits sets limits of this process, which it cannot raise again.
func setLimits(bounds map[int]uint64) error {
	for what, n := range bounds {
		var l unix.Rlimit
		if err := unix.Getrlimit(what, &l); err != nil {
			return os.NewSyscallError("getrlimit", err)
		}
		hard := n
		if what == unix.RLIMIT_CPU {
			hard++
		}
		setLimit(&l, n, hard)
		if err := unix.Setrlimit(what, &l); err != nil {
			return os.NewSyscallError("setrlimit", err)
		}
	}
	return nil
}
