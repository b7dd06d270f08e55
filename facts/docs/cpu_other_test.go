//go:build !linux

package docs_test

import (
	"testing"
	"time"
)

var started = time.Now()

// cpuTime returns the elapsed time, because only Linux shows the CPU time of a thread.
func cpuTime(testing.TB) time.Duration { return time.Since(started) }
