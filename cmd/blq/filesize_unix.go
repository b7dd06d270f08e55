//go:build unix

package main

import (
	"os"
	"os/signal"
	"syscall"
)

// outliveFileSizes ignores the signal that is sent when a file reaches the size limit (ulimit -f). The signal would end
// blq and the wrapped command. Without it, writing fails as on a full disk. The limit itself still holds for commands
// that blq starts.
func outliveFileSizes() { signal.Notify(make(chan os.Signal, 1), syscall.SIGXFSZ) }
