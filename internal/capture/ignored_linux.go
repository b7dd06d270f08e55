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

// Go's runtime handles all signals from the beginning, except SIGHUP and SIGINT where they are ignored. So a child
// would start with all other signals at their default, although our parent ignores some and passes that on: GitHub's
// runner does so with SIGPIPE, and a script with the signals of trap "". The kernel says which signals our parent
// ignores.

// handedOn are the signals that a child ignores because our parent does.
var handedOn = []syscall.Signal{unix.SIGQUIT, unix.SIGTERM, unix.SIGUSR1, unix.SIGUSR2, unix.SIGPIPE, unix.SIGALRM,
	unix.SIGTSTP, unix.SIGXCPU, unix.SIGXFSZ, unix.SIGIO, unix.SIGPWR}

// handing are programs that pass the signals that they ignore on to their children. Others set signals to their default
// before they start a program: Python, Node, Rust, and shells that have a terminal.
var handing = []string{"bash", "sh", "dash", "ash", "busybox", "ksh", "zsh", "make", "Runner.Worker"}

// inheritIgnored ignores what our parent ignores and hands on.
var inheritIgnored = sync.OnceFunc(func() {
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
		ignored &^= bit(unix.SIGQUIT) // bash always ignores it, and hands that on only where a trap says so
	}
	if signal.Ignored(unix.SIGINT) && ignored&bit(unix.SIGINT) == 0 {
		ignored |= bit(unix.SIGQUIT) // a command in the background of a script
	}
	for _, s := range handedOn {
		if ignored&bit(s) != 0 {
			signal.Ignore(s)
		}
	}
})

// ignoredIn returns the set of ignored signals in the status of a process.
func ignoredIn(status string) uint64 {
	_, rest, _ := strings.Cut(status, "\nSigIgn:\t")
	digits, _, _ := strings.Cut(rest, "\n")
	set, _ := strconv.ParseUint(digits, 16, 64)
	return set
}

func bit(s syscall.Signal) uint64 { return 1 << (s - 1) }
