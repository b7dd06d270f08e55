//go:build unix

package main

import (
	"os"
	"os/signal"
	"syscall"
)

// outliveFileSizes ignores the signal for a file that reaches the size limit (ulimit -f). Writing then fails, as
// on a full disk.
func outliveFileSizes() { signal.Notify(make(chan os.Signal, 1), syscall.SIGXFSZ) }
