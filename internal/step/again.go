package step

import (
	"fmt"
	"slices"

	"github.com/blq-ci/blq/store"
)

// Again returns the shape of a run in a CI job. Other steps of the job may run the same command, for
// example with another environment. The first of these steps keeps the shape of the run. Each later
// step gets a shape of its own, so that its success does not hide the failure of another step. The
// parameter others holds runs of the same job, in any order. If the CI system does not name its steps,
// Again returns the shape of the run.
func Again(r store.Run, others []store.Run) string {
	if r.CI == nil || r.CI.Step == "" {
		return r.Shape
	}
	first := r.Shape
	for n := 2; slices.ContainsFunc(others, isOtherStep(r)); n++ {
		r.Shape = digest(fmt.Sprintf("%s\n%d", first, n))
	}
	return r.Shape
}

// isOtherStep returns a function that reports whether a run o looks like a run of the step of r, but belongs to another
// step of the job.
func isOtherStep(r store.Run) func(o store.Run) bool {
	return func(o store.Run) bool {
		return o.CI != nil && o.Step() == r.Step() && sameJob(*o.CI, *r.CI) && o.CI.Step != "" && o.CI.Step != r.CI.Step
	}
}

// sameJob reports whether two runs may belong to one execution of a job. If CheckRunID or JobRun is unknown in a run,
// it counts as equal.
func sameJob(a, b store.CI) bool {
	same := func(x, y string) bool { return x == y || x == "" || y == "" }
	return a.RunID == b.RunID && a.RunAttempt == b.RunAttempt && same(a.CheckRunID, b.CheckRunID) &&
		same(a.JobRun, b.JobRun)
}
