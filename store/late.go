package store

import (
	"cmp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"
)

// LateAfter is the max time between the start of a run and its arrival at the store. A run that arrives later than that
// is late.
const LateAfter = time.Minute

// Late reports whether the run reached the store long after it began. This happens if a client keeps runs while the
// server is down. The serial of a late run does not show which runs began earlier.
func (r Run) Late() bool { return !r.OpenedAt.IsZero() && r.OpenedAt.Sub(r.StartedAt) > LateAfter }

// began returns when the run began, by the store's clock if that time is known.
func (r Run) began() time.Time {
	if r.OpenedAt.IsZero() || r.Late() {
		return r.StartedAt
	}
	return r.OpenedAt
}

// Follows reports whether the run certainly began after another run of its repository.
func (r Run) Follows(o Run) bool {
	n, known := r.order(o)
	return known && n > 0
}

// Supersedes reports whether the run is newer than the run o of the same step. If it is unknown which of the two is
// newer, the run that did not end well counts as newer. So a success never hides a failure.
func (r Run) Supersedes(o Run) bool {
	n, known := r.order(o)
	if bad := r.endedBadly(); !known && bad != o.endedBadly() {
		return bad
	}
	return n > 0
}

// Answers reports whether the run, which is a success, shows that an earlier failure o of the same step is fixed. The
// run must be newer than o and must not overlap o (see Overlaps). If both runs are of one workflow of a CI system, a
// newer success does not show this in four cases. The first and the last are about GitHub Actions only:
//
//   - The runs belong to different jobs of one attempt of a workflow run, such as the jobs of a reusable workflow that
//     is called twice.
//   - The run belongs to an older workflow run of the branch, at another commit. That workflow run had to wait or was
//     started again.
//   - The runs have the same commit, but different pull requests, or only one run has a pull request. A run for a pull
//     request builds its merge, and other runs build the commit itself. The same holds for different events of one
//     pull request, such as pull_request_target, which builds the base.
//   - The runs ran beside each other, in two workflow runs (see RanBeside).
func (r Run) Answers(o Run) bool {
	return r.Supersedes(o) && !r.Overlaps(o) && !r.ofOtherJob(o) && !r.IsOvertaken(o) && !r.ofOtherProposal(o) &&
		!r.RanBeside(o)
}

// Overlaps reports whether the run began after o had begun and before o had ended, in the same work tree of the same
// machine and at the same commit. The order in which such runs began says nothing about their results.
func (r Run) Overlaps(o Run) bool {
	return r.Hostname == o.Hostname && r.Git.Commit == o.Git.Commit && r.Git.Root == o.Git.Root &&
		!r.StartedAt.Before(o.StartedAt) && r.StartedAt.Before(o.FinishedAt)
}

// IsOvertaken reports whether the run belongs to an older workflow run than o. Both must have the same workflow, branch
// and pull request, but different commits.
func (r Run) IsOvertaken(o Run) bool {
	return inPipeline(r, o) && r.Git.Branch == o.Git.Branch && r.CI.PR == o.CI.PR && r.Git.Commit != o.Git.Commit &&
		r.CI.RunID != o.CI.RunID && compareIDs(r.CI.RunID, o.CI.RunID) < 0
}

// RanBeside reports whether two runs of a step ran at the same time, in first attempts of two workflow runs at one
// commit. Two workflow files may have one name. Then these are different steps. A cancelled run ran beside no other,
// because a newer workflow run often cancels an older one.
func (r Run) RanBeside(o Run) bool {
	return inWorkflow(r, o) && r.CI.RunID != o.CI.RunID && max(r.CI.RunAttempt, o.CI.RunAttempt) <= 1 &&
		r.Git.Commit == o.Git.Commit && r.Git.Commit != "" &&
		r.Status() != StatusCancelled && o.Status() != StatusCancelled &&
		r.StartedAt.Before(o.FinishedAt) && o.StartedAt.Before(r.FinishedAt)
}

// ofOtherJob reports whether two runs happened in different jobs of one attempt. Two runs in one job may be a step
// and its retry. It compares the check runs of the jobs. If these are unknown, it compares the IDs that blq gives to
// jobs, or else the machines.
func (r Run) ofOtherJob(o Run) bool {
	if !inWorkflow(r, o) || r.CI.RunID != o.CI.RunID || r.CI.RunAttempt != o.CI.RunAttempt {
		return false
	}
	if r.CI.CheckRunID != "" && o.CI.CheckRunID != "" {
		return r.CI.CheckRunID != o.CI.CheckRunID
	}
	if r.CI.JobRun != "" && o.CI.JobRun != "" {
		return r.CI.JobRun != o.CI.JobRun
	}
	return r.Hostname != o.Hostname
}

// ofOtherProposal reports whether two runs at one commit built different code. The events of a pull request build the
// merge, the base or the head.
func (r Run) ofOtherProposal(o Run) bool {
	if !inPipeline(r, o) || r.Git.Commit != o.Git.Commit || r.Git.Commit == "" {
		return false
	}
	switch r.CI.Provider {
	case "github":
		return r.CI.PR != o.CI.PR || r.CI.PR > 0 && r.CI.builds() != o.CI.builds()
	case "azure", "travis": // they build the merge of a pull request, too
		return r.CI.PR != o.CI.PR
	case "gitlab": // builds the merge only if the project is set up so
		return r.CI.PR != o.CI.PR && o.CI.PR > 0
	}
	return false
}

// builds returns the event of a pull request. Events that build the merge have the same result.
func (c *CI) builds() string {
	switch c.EventName {
	case "", "pull_request_review", "pull_request_review_comment":
		return "pull_request"
	}
	return c.EventName
}

// inWorkflow reports whether two runs belong to the same workflow of GitHub Actions. They may belong to different
// workflow runs.
func inWorkflow(r, o Run) bool { return inPipeline(r, o) && r.CI.Provider == "github" }

// inPipeline reports whether two runs belong to the same workflow or pipeline of a CI system. They may belong to
// different runs of it.
func inPipeline(r, o Run) bool {
	return r.CI != nil && o.CI != nil && r.CI.Provider == o.CI.Provider && r.CI.Workflow == o.CI.Workflow &&
		r.CI.RunID != "" && o.CI.RunID != ""
}

// compareIDs compares the IDs of two workflow runs. It returns 0 if an ID is not a number. The IDs of Jenkins have a
// number after the name of the job: jenkins-shop-main-12.
func compareIDs(a, b string) int {
	if i := strings.LastIndexByte(a, '-') + 1; strings.HasPrefix(b, a[:i]) {
		a, b = a[i:], b[i:]
	}
	x, err := strconv.ParseUint(a, 10, 64)
	y, failed := strconv.ParseUint(b, 10, 64)
	if err != nil || failed != nil {
		return 0
	}
	return cmp.Compare(x, y)
}

func (r Run) endedBadly() bool { return r.State != StateRunning && r.Status() != StatusOK }

// order compares the times at which two runs of a repository began. If neither run is late, it compares serials, and
// otherwise times. If times and serials disagree, and the clock of a late run is unreliable (see Run.Undated), order
// compares the numbers of the CI system. isCertain is false if these numbers do not show the order either.
func (r Run) order(o Run) (n int, isCertain bool) {
	serials := cmp.Compare(r.Serial, o.Serial)
	if !r.Late() && !o.Late() {
		return serials, true
	}
	n = cmp.Or(r.began().Compare(o.began()), serials)
	if n == serials || !(r.Late() && r.Undated) && !(o.Late() && o.Undated) {
		return n, true
	}
	if byCI := r.CI.order(o.CI); byCI != 0 {
		return byCI, true
	}
	return n, false
}

// order compares the times at which the jobs of two runs began, by the numbers of the CI system. It returns 0 if these
// numbers do not show the order.
func (c *CI) order(o *CI) int {
	switch {
	case c == nil || o == nil || c.Provider != o.Provider || c.Workflow != o.Workflow:
		return 0
	case c.RunID == o.RunID:
		return cmp.Compare(c.RunAttempt, o.RunAttempt)
	case c.Provider != "github" || c.RunAttempt != 1 || o.RunAttempt != 1: // other systems may number runs by branch
		return 0
	}
	return compareIDs(c.RunID, o.RunID)
}

// maxLate is the max number of runs that withoutLate reads to replace one late run.
const maxLate = 100

// NewestRuns returns the newest run of each step, newest first, at most as many as the limit of f. If f names several
// branches, it returns the newest run of each step on each branch. runs holds the runs that f selects, highest serial
// first. The function find reads more runs.
func NewestRuns[R any](runs []R, f RunFilter, run func(R) Run, find func(RunFilter) ([]R, error)) ([]R, error) {
	runs, err := withoutLate(newestOfSteps(runs, f.Branches != nil, run), f, run, find)
	if err == nil && f.Limit > 0 {
		runs = runs[:min(len(runs), f.Limit)]
	}
	return runs, err
}

// withoutLate returns the newest runs of steps, newest first. It replaces a late run by another run of the same step in
// two cases: the other run began later, or the other run failed and may have begun later.
func withoutLate[R any](runs []R, f RunFilter, run func(R) Run, find func(RunFilter) ([]R, error)) ([]R, error) {
	if !slices.ContainsFunc(runs, func(r R) bool { return run(r).Late() }) {
		return runs, nil
	}
	runs = slices.Clone(runs)
	for i, r := range runs {
		late := run(r)
		if !late.Late() {
			continue
		}
		leg, g := late.Leg(), f
		g.Newest, g.Limit, g.Before = false, maxLate, late.Serial
		g.Repo, g.Source, g.Leg, g.Shape = late.Repo, late.Source, &leg, late.Shape
		if f.Branches != nil {
			g.Branches, g.Branch, g.NoBranch = nil, late.Git.Branch, late.Git.Branch == ""
		}
		if g.Since.Before(late.StartedAt) {
			g.Since = late.StartedAt
		}
		found, err := find(g)
		if err != nil {
			return nil, err
		}
		for _, o := range found {
			if run(o).Step() == late.Step() && run(o).Supersedes(run(runs[i])) {
				runs[i] = o
			}
		}
	}
	sort.SliceStable(runs, func(i, j int) bool { return run(runs[i]).began().After(run(runs[j]).began()) })
	return runs, nil
}
