//go:build !linux

package docs_test

import (
	"testing"
	"time"
)

var started = time.Now()

// cpuTime returns the time that has passed: CPU time of a thread is known on Linux only.
func cpuTime(testing.TB) time.Duration { return time.Since(started) }
