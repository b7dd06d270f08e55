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
			}
		}
	}()
	return m
}

// end returns the peak in bytes.
func (m *memory) end() int64 {
	close(m.stop)
	<-m.done
	return m.peak
}

// resident returns the memory of a process and its children in bytes. The sum includes shared pages once for each
// process.
func resident(pid int) int64 {
	var sum int64
	if text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid)); err == nil {
		if fields := strings.Fields(string(text)); len(fields) > 1 {
			n, _ := strconv.ParseInt(fields[1], 10, 64)
			sum = n * int64(os.Getpagesize())
		}
	}
	for _, child := range children(pid) {
		sum += resident(child)
	}
	return sum
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
