//go:build unix

package main

import (
	"os"
	"os/signal"
	"syscall"
)

// outliveFileSizes ignores the signal that the system sends when a file reaches the max size of files (ulimit -f).
// The signal would end blq and the wrapped command. If blq ignores the signal, its write fails as on a full disk.
// Commands that blq starts still have the limit.
func outliveFileSizes() { signal.Notify(make(chan os.Signal, 1), syscall.SIGXFSZ) }
