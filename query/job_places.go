package query

import (
	"strings"

	"github.com/blq-ci/blq/store"
)

// Several steps of a job may run one command, for example with different environments. Their order in the job tells
// them apart. If the first of them is skipped, the second is stored as a run of the first. The CI system's name of the
// step, its place in the job, shows this.

// answersJob does the same as store.Run.Answers. But if an earlier execution of the job shows that the two runs belong
// to different steps with one command, or may belong to different jobs of one name, it returns false.
func (p earlierRuns) answersJob(o, r store.Run) bool {
	return o.Answers(r) && !(otherPlace(r, o) && p.areTwoSteps(r, o)) && !p.lacksJob(o, r)
}

// lacksJob reports whether the workflow run of o ran the step in fewer jobs than that of r. A workflow may call another
// one twice. If one of the calls has not run again yet, or was skipped, the success o may belong to the other.
func (p earlierRuns) lacksJob(o, r store.Run) bool {
	if r.CI == nil || o.CI == nil || r.CI.Provider != "github" || r.CI.RunID == o.CI.RunID {
		return false
	}
	n := p.jobsOf(r)
	return n > 1 && p.jobsOf(o) < n
}

// jobsOf returns in how many jobs of one attempt of its workflow run the step of r ran. It counts the jobs of each
// attempt, and returns the highest number.
func (p earlierRuns) jobsOf(r store.Run) (n int) {
	jobs := map[int]map[string]bool{}
	for _, x := range p.all() {
		if x.CI == nil || x.CI.RunID != r.CI.RunID || x.Step() != r.Step() {
			continue
		}
		in := jobs[x.CI.RunAttempt]
		if in == nil {
			in = map[string]bool{}
			jobs[x.CI.RunAttempt] = in
		}
		in[executionOf(x)] = true
		n = max(n, len(in))
	}
	return n
}

// areTwoSteps reports whether the places of two runs belong to different steps. This is known if one execution of the
// job ran the command at both places, and the execution of o did not run it as often. If it did, the steps may have
// moved to other places. It is also known if the execution of o ran the command at both places.
func (p earlierRuns) areTwoSteps(r, o store.Run) bool {
	places := map[string]map[string]bool{}
	for _, x := range p.all() {
		if !sameCommandInJob(x, r) {
			continue
		}
		job := executionOf(x)
		if places[job] == nil {
			places[job] = map[string]bool{}
		}
		places[job][x.CI.Step] = true
	}
	there := places[executionOf(o)]
	for _, at := range places {
		if at[r.CI.Step] && at[o.CI.Step] && (len(at) > len(there) || there[r.CI.Step]) {
			return true
		}
	}
	return false
}

// atPlace returns runs of the command of r at its place in the job that are stored as runs of another step.
func (p earlierRuns) atPlace(r store.Run) (list []store.Run) {
	for _, x := range p.recent {
		if sameCommandInJob(x, r) && x.CI.Step == r.CI.Step && x.Shape != r.Shape && x.Git.Branch == r.Git.Branch {
			list = append(list, x)
		}
	}
	return list
}

// sameCommandInJob reports whether two runs are of one command in one job and leg.
func sameCommandInJob(x, r store.Run) bool {
	a, b := x.Step(), r.Step()
	a.Shape, b.Shape = "", ""
	return x.CI != nil && r.CI != nil && x.CI.Step != "" && r.CI.Step != "" && a == b && x.Command == r.Command
}

// executionOf identifies the execution of the job to which a run belongs.
func executionOf(r store.Run) string {
	return strings.Join([]string{r.CI.RunID, itoa(r.CI.RunAttempt), r.CI.CheckRunID, r.CI.JobRun}, "\x00")
}
