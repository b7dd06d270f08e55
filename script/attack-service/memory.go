//go:build linux

package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// memory is the peak memory of a process and its children.
type memory struct {
	stop, done chan struct{}
	peak       int64
	alone      int64 // peak without the children
}

// watchMemory watches the memory of the service until end is called.
func (s *service) watchMemory() *memory {
	m := &memory{stop: make(chan struct{}), done: make(chan struct{})}
	go func() {
		defer close(m.done)
		for {
			select {
			case <-m.stop:
				return
			case <-time.After(20 * time.Millisecond):
				m.peak = max(m.peak, resident(s.cmd.Process.Pid))
				m.alone = max(m.alone, status(s.cmd.Process.Pid, "VmRSS:"))
			}
		}
	}()
	return m
}

// end returns the peak in MB, with and without the children.
func (m *memory) end() string {
	close(m.stop)
	<-m.done
	return fmt.Sprintf("%d, %d", m.peak>>20, m.alone>>20)
}

// resident returns the memory of a process and its children in bytes. The children run the same program, so the pages
// of its file count only for the process itself. A child that has not started its program yet does not count, because
// it uses the memory of its parent.
func resident(pid int) int64 {
	sum := status(pid, "VmRSS:")
	own := arguments(pid)
	for _, child := range children(pid) {
		if arguments(child) != own {
			sum += status(child, "RssAnon:") + status(child, "RssShmem:")
		}
	}
	return sum
}

// arguments returns the arguments with which a process was started.
func arguments(pid int) string {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	return string(text)
}

// status returns a size from the status of a process, in bytes. It returns 0 if the process has ended.
func status(pid int, name string) int64 {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, name); ok {
			n, _ := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
			return n << 10
		}
	}
	return 0
}

// processorTime returns the processor time of a process and of its ended children.
func processorTime(pid int) time.Duration {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, rest, _ := strings.Cut(string(text), ") ")
	fields := strings.Fields(rest)
	var ticks int
	for i := 11; i <= 14 && i < len(fields); i++ { // utime, stime, cutime, cstime
		n, _ := strconv.Atoi(fields[i])
		ticks += n
	}
	return time.Duration(ticks) * time.Second / 100
}
