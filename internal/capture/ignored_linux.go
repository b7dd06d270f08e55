package capture

import (
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// ignoreLeft ignores the signals of job control that were ignored when this program was started. The runtime does not
// handle these signals until somebody subscribes to them. So the kernel still shows that they are ignored.
func ignoreLeft() {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return
	}
	for _, s := range []syscall.Signal{unix.SIGTSTP, unix.SIGTTIN, unix.SIGTTOU} {
		if ignoredIn(string(status))&bit(s) != 0 {
			signal.Ignore(s)
		}
	}
}

// ignoredIn returns the set of ignored signals. status is the text of /proc/PID/status.
func ignoredIn(status string) uint64 {
	_, rest, _ := strings.Cut(status, "\nSigIgn:\t")
	digits, _, _ := strings.Cut(rest, "\n")
	set, _ := strconv.ParseUint(digits, 16, 64)
	return set
}

func bit(s syscall.Signal) uint64 { return 1 << (s - 1) }
