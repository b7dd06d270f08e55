//go:build !dispositions || !(amd64 || arm64)

package capture

import (
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// Go's runtime handles all signals from the start, except SIGHUP and SIGINT if they are ignored. So a child would
// start with the default action for all other signals. But our parent may ignore signals, so that its children ignore
// them, too. For example, GitHub's runner ignores SIGPIPE, and a script with the command trap "" TERM ignores SIGTERM.
// The kernel shows which signals our parent ignores. The parent is only a guess: if a shell has become blq by exec,
// our parent is another process. Released programs need no guess (see inherited_linux.go).

// handedOn are the signals that a child ignores if our parent ignores them.
var handedOn = []syscall.Signal{unix.SIGQUIT, unix.SIGTERM, unix.SIGUSR1, unix.SIGUSR2, unix.SIGPIPE, unix.SIGALRM,
	unix.SIGXCPU, unix.SIGXFSZ, unix.SIGIO, unix.SIGPWR}

// handing are programs that pass ignored signals on to their children. Other programs, such as Python, Node, programs
// in Rust, and shells with a terminal, reset signals before they start a program.
var handing = []string{"bash", "sh", "dash", "ash", "busybox", "ksh", "zsh", "make", "Runner.Worker"}

// inheritIgnored ignores the signals that our parent ignores and passes on.
var inheritIgnored = sync.OnceFunc(func() {
	ignoreLeft()
	if tty, err := os.Open("/dev/tty"); err == nil {
		tty.Close()
		return
	}
	parent := "/proc/" + strconv.Itoa(os.Getppid())
	name, err := os.ReadFile(parent + "/comm")
	if err != nil || !slices.Contains(handing, strings.TrimSpace(string(name))) {
		return
	}
	status, err := os.ReadFile(parent + "/status")
	if err != nil {
		return
	}
	ignored := ignoredIn(string(status))
	if exe, _ := os.Readlink(parent + "/exe"); filepath.Base(exe) == "bash" && !signal.Ignored(unix.SIGINT) {
		ignored &^= bit(unix.SIGQUIT) // bash always ignores SIGQUIT, but its children do so only after a trap
	}
	if signal.Ignored(unix.SIGINT) && ignored&bit(unix.SIGINT) == 0 {
		ignored |= bit(unix.SIGQUIT) // this is a background command of a script
	}
	for _, s := range handedOn {
		if ignored&bit(s) != 0 {
			signal.Ignore(s)
		}
	}
})
