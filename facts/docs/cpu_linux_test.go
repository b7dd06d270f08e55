package docs_test

import (
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// cpuTime returns the CPU time that the current thread has used: other programs do not count.
func cpuTime(tb testing.TB) time.Duration {
	tb.Helper()
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
		tb.Fatal(err)
	}
	return time.Duration(t.Nano())
}
