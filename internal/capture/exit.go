package capture

import "os"

// ExitCode returns the code that a shell would report: the child's own, or
// 128 and the signal's number.
func ExitCode(r Result) int {
	if r.Signal != "" {
		return 128 + r.number
	}
	return r.ExitCode
}

// Exit ends this process the way the child ended, so that our parent sees the
// same: by the same signal where that is possible, or with the same code.
func Exit(r Result) {
	dieOf(r)
	os.Exit(ExitCode(r))
}
