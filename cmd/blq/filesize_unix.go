//go:build unix

package main

import (
	"os"
	"os/signal"
	"syscall"
)

// outliveFileSizes ignores the signal for a file that reaches the size limit (ulimit -f). It would end blq, and
// the wrapped command with it. Writing then fails, as on a full disk. Commands that blq starts have the limit as
// usual.
func outliveFileSizes() { signal.Notify(make(chan os.Signal, 1), syscall.SIGXFSZ) }
