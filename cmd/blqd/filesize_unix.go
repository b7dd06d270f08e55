//go:build unix

package main

import (
	"os"
	"os/signal"
	"syscall"
)

// outliveFileSizes ignores the signal that is sent when a file reaches the size limit (ulimit -f). Writing then fails
// as on a full disk.
func outliveFileSizes() { signal.Notify(make(chan os.Signal, 1), syscall.SIGXFSZ) }
