//go:build unix

package main

import (
	"os"
	"os/signal"
	"syscall"
)

// outliveFileSizes keeps a limit of the size of files (ulimit -f) from ending
// us, and the wrapped command with us: writing fails then, as on a full disk.
// Commands that we start have the limit as they would without us.
func outliveFileSizes() { signal.Notify(make(chan os.Signal, 1), syscall.SIGXFSZ) }
