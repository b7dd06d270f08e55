package capture

import (
	"os"

	"github.com/blq-ci/blq/store"
)

// ExitCode returns the code that a shell would report: the child's own, or
// 128 and the signal's number. A timeout is 124, as of timeout(1): the child
// may have ended with 0 when it was asked to, and that is no success.
func ExitCode(r Result) int {
	switch {
	case r.Reason == store.ReasonTimeout:
		return 124
	case r.Signal != "":
		return 128 + r.number
	}
	return r.ExitCode
}

// Exit ends this process the way the child ended, so that our parent sees the
// same: by the same signal where that is possible, or with the same code.
func Exit(r Result) {
	if r.Signal != "" && r.Reason != store.ReasonTimeout {
		dieOf(r)
	}
	os.Exit(ExitCode(r))
}
