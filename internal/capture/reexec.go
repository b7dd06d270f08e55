package capture

import "os"

// reexecs is set once the program has called Reexec. Only then may the package start the program again as a helper.
var reexecs bool

// Reexec is the entry point of helper processes. In a helper process it does the work and does not return. A helper
// is the same program, started again by this package for work that outlives the first process. A program that runs
// commands must call Reexec first. Without that call, processes that outlive a command lose their output, and
// children get no terminals.
func Reexec() {
	reexecs = true
	if role := roles[os.Args[0]]; role != nil && len(os.Args) == 1 {
		os.Exit(role())
	}
}
