package capture

import "os"

// reexecs is set if this program has called Reexec. Only then may the package start the program again to do its work.
var reexecs bool

// Reexec does not return in a process that this package started for itself: some work outlives this
// process, and another one with the same program does it. A program that runs commands calls Reexec
// before anything else; without that, processes that outlive a command lose their output, and there
// are no terminals.
func Reexec() {
	reexecs = true
	if role := roles[os.Args[0]]; role != nil && len(os.Args) == 1 {
		os.Exit(role())
	}
}
