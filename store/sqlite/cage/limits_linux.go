package cage

import (
	"bytes"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// self returns the path of this program, also if its file was replaced since.
func self() (string, error) {
	const program = "/proc/self/exe"
	if _, err := os.Stat(program); err == nil {
		return program, nil
	}
	return os.Executable()
}

// apart makes a child the leader of a group of its own, and lets it end with its parent.
func apart() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// harden takes from this process what no child needs. The system ends the process first when the machine has no memory
// left.
func harden() error {
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte("1000"), 0)
	signal.Ignore(syscall.SIGXFSZ)
	return setLimits(map[int]uint64{unix.RLIMIT_CORE: 0, unix.RLIMIT_NOFILE: 256})
}

// confine sets the limits of this process. The limit of memory is added to what it uses now. RLIMIT_DATA counts the
// memory that the system has granted, and Go's runtime was granted more than it uses, so watch looks at the memory in
// use.
func confine(l limits) error {
	if l.Yield {
		_ = unix.Setpriority(unix.PRIO_PGRP, 0, 15)
	}
	granted, err := dataSize()
	if err != nil {
		return err
	}
	bounds := map[int]uint64{unix.RLIMIT_DATA: granted + uint64(l.Memory)*7/8}
	if l.CPU > 0 {
		bounds[unix.RLIMIT_CPU] = cpuSeconds(l.CPU)
	}
	exitAtSignal(syscall.SIGXCPU)
	if err := setLimits(bounds); err != nil {
		return err
	}
	statm, err := os.Open("/proc/self/statm")
	if err != nil {
		return err
	}
	buf, page := make([]byte, 128), int64(os.Getpagesize())
	watch(l.Memory, func() int64 {
		n, _ := statm.ReadAt(buf, 0) // its end is an error
		fields := bytes.Fields(buf[:n])
		if len(fields) < 2 {
			return 0
		}
		pages, _ := strconv.ParseInt(string(fields[1]), 10, 64)
		return pages * page
	})
	return nil
}

// dataSize returns what RLIMIT_DATA counts.
func dataSize() (uint64, error) {
	b, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, err
	}
	_, rest, _ := bytes.Cut(b, []byte("\nVmData:"))
	var kb uint64
	if _, err := fmt.Sscanf(string(rest), "%d kB", &kb); err != nil {
		return 0, fmt.Errorf("read VmData: %w", err)
	}
	return kb << 10, nil
}

// hold returns a function that the parent calls when the child is gone.
func hold(int) (release func(), err error) { return func() {}, nil }
