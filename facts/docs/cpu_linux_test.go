package docs_test

import (
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// cpuTime returns the CPU time of the current thread, which other programs do not affect.
func cpuTime(tb testing.TB) time.Duration {
	tb.Helper()
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
		tb.Fatal(err)
	}
	return time.Duration(t.Nano())
}
