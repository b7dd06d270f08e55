package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
)

// The value of GOGC that a command sets is used after the first garbage collection.
func TestCommandsSetHowOftenGarbageIsCollected(t *testing.T) {
	t.Setenv("GOGC", "")
	check(t, os.Unsetenv("GOGC"))
	before := debug.SetGCPercent(100)
	defer debug.SetGCPercent(before)
	collectLater()
	gcPercent.Store(321)
	sample := []metrics.Sample{{Name: "/gc/gogc:percent"}}
	for range 1000 {
		runtime.GC()
		if metrics.Read(sample); sample[0].Value.Uint64() == 321 {
			return
		}
	}
	t.Error("the value is not used after a garbage collection")
}
