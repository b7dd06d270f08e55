package capture

import (
	"os"

	"github.com/blq-ci/blq/store"
)

// ExitCode returns the exit code that a shell would report: the child's own code, or 128 plus the number of the
// signal. After a timeout it returns 124, like timeout(1), even if the child then exited with 0.
func ExitCode(r Result) int {
	switch {
	case r.Reason == store.ReasonTimeout:
		return 124
	case r.Signal != "":
		return 128 + r.number
	}
	return r.ExitCode
}

// Exit ends this process as the child ended: by the same signal if possible, or with the same exit code.
func Exit(r Result) {
	if r.Signal != "" && r.Reason != store.ReasonTimeout {
		dieOf(r)
	}
	os.Exit(ExitCode(r))
}
