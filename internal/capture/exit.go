package capture

import (
	"os"

	"github.com/blq-ci/blq/store"
)

// ExitCode returns the code that a shell would report: the child's own, or 128 plus the signal's
// number. It returns 124 after a timeout, like timeout(1), even if the child then exited with 0.
func ExitCode(r Result) int {
	switch {
	case r.Reason == store.ReasonTimeout:
		return 124
	case r.Signal != "":
		return 128 + r.number
	}
	return r.ExitCode
}

// Exit ends this process the way the child ended: by the same signal where that is possible, or
// with the same exit code.
func Exit(r Result) {
	if r.Signal != "" && r.Reason != store.ReasonTimeout {
		dieOf(r)
	}
	os.Exit(ExitCode(r))
}
