//go:build dispositions && (amd64 || arm64)

package capture

import (
	"os/signal"
	"sync"
	"syscall"
	_ "unsafe" // for linkname

	"golang.org/x/sys/unix"
)

// Go's runtime handles all signals from the start, except SIGHUP and SIGINT if they are ignored. So a child would start
// with the default action for all other signals. The runtime remembers the original actions in a variable, but does not
// export it. script/compile.sh makes the linker give us access to this variable. Other builds use guessed_linux.go.

//go:linkname found runtime.fwdSig
var found [65]uintptr

const ignored = 1 // SIG_IGN

// runtimes are signals that need no action here: Go's runtime inherits or needs them, or they are ignored by default.
var runtimes = map[syscall.Signal]bool{unix.SIGHUP: true, unix.SIGINT: true, unix.SIGCHLD: true, unix.SIGCONT: true,
	unix.SIGWINCH: true, unix.SIGURG: true, unix.SIGPROF: true, unix.SIGILL: true, unix.SIGTRAP: true, unix.SIGABRT: true,
	unix.SIGBUS: true, unix.SIGFPE: true, unix.SIGSEGV: true}

// inheritIgnored ignores the signals that were ignored when this program was started, except those in runtimes.
var inheritIgnored = sync.OnceFunc(func() {
	ignoreLeft()
	for i, action := range found {
		if s := syscall.Signal(i); action == ignored && !runtimes[s] {
			signal.Ignore(s)
		}
	}
})
