//go:build unix

package cage

import (
	"os"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// root is the working directory of children.
func root() string { return "/" }

// killGroup kills a child and its process group.
func killGroup(p *os.Process) {
	if err := syscall.Kill(-p.Pid, syscall.SIGKILL); err != nil {
		_ = p.Kill() // the process group may be gone, or may not exist yet
	}
}

// cpuSeconds returns the limit of CPU time in seconds for a call that may take the time d. This limit is higher than d,
// so only a child that uses several processors reaches it.
func cpuSeconds(d time.Duration) uint64 { return uint64((d+time.Second-1)/time.Second) + 1 }

// exitAtSignal ends this process when the process reaches its limit of CPU time. The system would kill it one second
// later.
func exitAtSignal(s os.Signal) {
	reached := make(chan os.Signal, 1)
	signal.Notify(reached, s)
	go func() {
		<-reached
		os.Exit(exitTime)
	}()
}

// setLimits sets limits of this process. The process cannot raise them again.
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
