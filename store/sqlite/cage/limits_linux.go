package cage

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// self returns the path of this program. The path works even if another file has replaced the program's file.
func self() (string, error) {
	const program = "/proc/self/exe"
	if _, err := os.Stat(program); err == nil {
		return program, nil
	}
	return os.Executable()
}

// apart makes a child the leader of its own session and process group. The system ends the child when the parent ends.
func apart() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
}

// These are nice values of a child with a lower priority: yields is its value within its session, and sessionYields
// is the value of the session among all sessions. sessionYields is lower, so that the statement still gets enough
// processor time to end within its limit.
const (
	yields        = 15
	sessionYields = 5
)

// yieldSession lowers the priority of a child's session. Linux may share processors by session first, and then by
// priority within each session. Children in the session of the service would have the share of the service. Then a
// PostgreSQL on the same machine would have to wait for them, because each of its processes is a session of its own.
//
// The system may allow only ten such changes a second, so yieldSession tries again in the background.
func yieldSession(pid int) {
	f, err := os.OpenFile(fmt.Sprintf("/proc/%d/autogroup", pid), os.O_WRONLY, 0)
	if err != nil {
		return // this system does not share by session
	}
	go func() {
		defer f.Close()
		for range 20 {
			if _, err := f.WriteString(strconv.Itoa(sessionYields)); !errors.Is(err, unix.EAGAIN) {
				return
			}
			time.Sleep(100 * time.Millisecond)
		}
	}()
}

// harden forbids core dumps and more than 256 open files. If the machine runs out of memory, the system kills this
// process first.
func harden() error {
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte("1000"), 0)
	signal.Ignore(syscall.SIGXFSZ)
	return setLimits(map[int]uint64{unix.RLIMIT_CORE: 0, unix.RLIMIT_NOFILE: 256})
}

// confine sets the limits of this process. The memory may grow by 7/8 of l.Memory from now on. RLIMIT_DATA limits the
// memory that the system has granted. Go's runtime uses only a part of the granted memory, so watch also measures the
// memory in use.
func confine(l limits) error {
	if l.Yield {
		_ = unix.Setpriority(unix.PRIO_PGRP, 0, yields)
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
		n, _ := statm.ReadAt(buf, 0) // reading up to the end of the file returns an error, too
		fields := bytes.Fields(buf[:n])
		if len(fields) < 2 {
			return 0
		}
		pages, _ := strconv.ParseInt(string(fields[1]), 10, 64)
		return pages * page
	})
	return nil
}

// dataSize returns the number of bytes of memory that count for RLIMIT_DATA.
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

// hold returns a function that the parent must call after the child has ended. Here it does nothing, because there is
// nothing to free.
func hold(int) (release func(), err error) { return func() {}, nil }
