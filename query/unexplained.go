package query

import (
	"fmt"

	"github.com/blq-ci/blq/store"
)

// unexplained returns the reason why the errors of a failed run do not explain the failure. It returns "" if the errors
// may explain the failure. It also returns "" if the run did not end by itself. There is one exception: a run
// without errors whose log is incomplete and whose end is unknown. base is the run's baseline, or the zero Run. counts
// includes flaky errors.
func unexplained(r, base store.Run, counts store.Changes) string {
	switch {
	case r.Status() == store.StatusOK:
		return ""
	case r.Errors == 0 && r.Lost != "" && r.ExitCode == nil && r.Signal == "":
		return "a part of its log was lost, and how its command ended is not known"
	case r.Errors == 0 && r.Ended():
		return "its command failed, and no error was recognised"
	case !r.Ended():
		return ""
	case base.Attempt == "" || r.Errors > counts.Unchanged:
		return ""
	case base.Status() == store.StatusOK && base.ExitCode != nil:
		return fmt.Sprintf("its command failed, that of %s passed, and no error is new", base.Ref())
	case crashed(r) && !crashed(base):
		return fmt.Sprintf("its command crashed, that of %s did not, and no error is new", base.Ref())
	}
	return ""
}

// isUnexplained reports whether a run failed for another reason than its baseline. Either its errors do not explain the
// failure, or it has no errors and the baseline did not fail like this.
func isUnexplained(r, base store.Run, counts store.Changes) bool {
	if r.Errors > 0 || r.State == store.StateRunning || r.Status() == store.StatusOK {
		return unexplained(r, base, counts) != ""
	}
	return base.Status() == store.StatusOK || base.Errors > 0 || crashed(r) && !crashed(base)
}

// crashed reports whether a signal ended the command of a run, or seems to have ended a program that the command ran.
// If a signal ends a program, the shell returns 128 plus the number of the signal, such as 139.
func crashed(r store.Run) bool { return r.Signal != "" || r.ExitCode != nil && *r.ExitCode > 128 }
