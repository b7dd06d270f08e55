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

// apart makes a child the leader of its own process group.
func apart() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// harden forbids core dumps, limits the number of open files, and ignores the signal for files above the size limit.
func harden() error {
	signal.Ignore(syscall.SIGXFSZ)
	return setLimits(map[int]uint64{unix.RLIMIT_CORE: 0, unix.RLIMIT_NOFILE: 256})
}

// confine sets the limits of this process. The system enforces no memory limit, so the process watches its own memory.
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

// seal prevents this process from writing files and from opening more files.
func seal() error { return setLimits(map[int]uint64{unix.RLIMIT_FSIZE: 0, unix.RLIMIT_NOFILE: 0}) }

// hold returns a function that the parent must call after the child has ended. On this system, that function does
// nothing, because there is nothing to free.
func hold(int) (release func(), err error) { return func() {}, nil }

// yieldSession does nothing, because this system does not share processors by session.
func yieldSession(int) {}
