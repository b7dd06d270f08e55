//go:build unix

package main

import (
	"os"
	"os/signal"
	"syscall"
)

// outliveFileSizes keeps a limit of the size of files (ulimit -f) from ending
// us: writing fails then, as on a full disk.
func outliveFileSizes() { signal.Notify(make(chan os.Signal, 1), syscall.SIGXFSZ) }
