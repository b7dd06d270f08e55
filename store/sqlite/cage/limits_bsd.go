//go:build unix && !linux

package cage

import (
	"os"
	"os/signal"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

func self() (string, error) { return os.Executable() }

// apart makes a child the leader of a group of its own.
func apart() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// harden takes from this process what no child needs.
func harden() error {
	signal.Ignore(syscall.SIGXFSZ)
	return setLimits(map[int]uint64{unix.RLIMIT_CORE: 0, unix.RLIMIT_NOFILE: 256})
}

// confine sets the limits of this process. The system does not enforce a limit of memory, so the process watches its
// own.
func confine(l limits) error {
	if l.Yield {
		_ = unix.Setpriority(unix.PRIO_PGRP, 0, 15)
	}
	exitAtSignal(syscall.SIGXCPU)
	if l.CPU > 0 {
		if err := setLimits(map[int]uint64{unix.RLIMIT_CPU: cpuSeconds(l.CPU)}); err != nil {
			return err
		}
	}
	unit := int64(1 << 10)
	if runtime.GOOS == "darwin" || runtime.GOOS == "ios" {
		unit = 1
	}
	watch(l.Memory, func() int64 {
		var u unix.Rusage
		if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
			return 0
		}
		return int64(u.Maxrss) * unit
	})
	return nil
}

// seal lets this process neither write files nor open more of them.
func seal() error { return setLimits(map[int]uint64{unix.RLIMIT_FSIZE: 0, unix.RLIMIT_NOFILE: 0}) }

// hold returns a function that the parent calls when the child is gone.
func hold(int) (release func(), err error) { return func() {}, nil }
