package markdown

import (
	"cmp"
	"context"
	"slices"
	"sort"
	"strconv"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

// maxPulled is the max number of runs of a commit that are read.
const maxPulled = 2000

// selection holds the runs of the steps at a commit.
type selection struct {
	stands []store.Run // the runs that count, ordered by serial
	flaky  []retried
	seen   int  // grows with each start and end of a run
	cut    bool // the commit has more runs than were read
}

// retried is a step that failed and then passed at the same commit.
type retried struct{ failed, passed store.Run }

// selectRuns returns the runs that show the current state of each step. A run counts if there is no later run of the
// same step. It also counts if its step or its order is uncertain.
func selectRuns(ctx context.Context, a *query.Asker, p PullParams) (selection, error) {
	found, err := p.find(ctx, a)
	if err != nil {
		return selection{}, err
	}
	s := selection{cut: len(found) >= maxPulled}
	steps, once := map[stepOfJob][]store.Run{}, map[store.Step]bool{}
	for _, r := range found { // newest first
		step := r.Step()
		if isOfCommit(r) {
			step.Workflow = "" // all workflows run the same checks
		}
		if p.leavesOut(r) || isOfCommit(r) && once[step] {
			continue
		}
		once[step] = true
		s.seen++
		if r.State != store.StateRunning {
			s.seen++
		}
		of := stepOfJob{Step: r.Step()}
		if r.CI != nil {
			of.slot = r.CI.Step
		}
		if r.CI != nil && r.CI.PR > 0 {
			of.event = cmp.Or(r.CI.EventName, "pull_request")
		}
		steps[of] = append(steps[of], r)
	}
	for _, runs := range steps {
		for _, list := range p.byJob(runs) {
			s.settle(list)
		}
	}
	sort.Slice(s.stands, func(i, j int) bool { return s.stands[i].Serial < s.stands[j].Serial })
	sort.Slice(s.flaky, func(i, j int) bool { return s.flaky[i].failed.Serial < s.flaky[j].failed.Serial })
	return s, nil
}

// find returns the runs at the commit, newest first. With a pull request, it returns the runs of this pull request and
// the runs of pushes to its branch.
func (p PullParams) find(ctx context.Context, a *query.Asker) ([]store.Run, error) {
	f := store.RunFilter{Repo: p.Repo, PR: p.PR, Commits: []string{p.Commit}, Limit: maxPulled}
	if p.PR == 0 {
		f.Branch = p.Branch
	}
	found, err := a.Store.Runs(ctx, a.Scope, f)
	if err != nil || p.PR == 0 || p.Branch == "" {
		return found, err
	}
	f.PR, f.Branch = 0, p.Branch
	pushed, err := a.Store.Runs(ctx, a.Scope, f)
	if err != nil {
		return nil, err
	}
	for _, r := range pushed {
		if r.CI != nil && r.CI.Provider == "github" && r.CI.PR == 0 {
			found = append(found, r)
		}
	}
	sort.SliceStable(found, func(i, j int) bool { return found[i].Serial > found[j].Serial })
	return found, nil
}

// isOfCommit reports whether a run belongs to its commit as a whole and not to a job. Every workflow may record such a
// run, with the same findings.
func isOfCommit(r store.Run) bool { return r.CI != nil && r.CI.Provider == "github" && r.CI.Job == "" }

// leavesOut reports whether the parameters exclude a run at the commit.
func (p PullParams) leavesOut(r store.Run) bool {
	switch {
	case p.PR == 0 && r.CI != nil && r.CI.PR > 0:
		return true
	case p.PR == 0 && p.Unbranched && r.Git.Branch != "":
		return true
	}
	return p.Workflow != "" && (r.CI == nil || r.CI.Workflow != p.Workflow)
}

// stepOfJob identifies a step of a job across attempts.
type stepOfJob struct {
	store.Step
	slot string // position of the step in the job
	// event is the event that started the workflow for a pull request, "" for runs of a branch. Workflows of different
	// events build different commits: the merge commit, the base or the head. So a passed run of one event does not
	// show that the failure of another event is fixed.
	event string
}

// byJob groups runs by the CI system's names of their jobs. These names distinguish the jobs of called workflows. If
// the job of any run is unknown, all runs stay in one group.
func (p PullParams) byJob(runs []store.Run) map[string][]store.Run {
	jobs := map[string][]store.Run{}
	for _, r := range runs {
		j := p.jobOf(r)
		if j == nil {
			return map[string][]store.Run{"": runs}
		}
		jobs[j.Name] = append(jobs[j.Name], r)
	}
	return jobs
}

// execution is one attempt of a workflow run.
type execution struct {
	run     int64
	attempt int
}

func executionOf(r store.Run) execution {
	if r.CI == nil {
		return execution{}
	}
	run, err := strconv.ParseInt(r.CI.RunID, 10, 64)
	if err != nil {
		run = 0
	}
	return execution{run, max(1, r.CI.RunAttempt)}
}

func (e execution) compare(other execution) int {
	return cmp.Or(cmp.Compare(e.run, other.run), cmp.Compare(e.attempt, other.attempt))
}

// settle decides which runs of one step count. The CI system numbers workflow runs and attempts, so their order is
// known. Within an attempt, the order is known only for runs of the same job execution.
func (s *selection) settle(runs []store.Run) {
	attempts := map[execution][]store.Run{}
	for _, r := range runs {
		attempts[executionOf(r)] = append(attempts[executionOf(r)], r)
	}
	order := make([]execution, 0, len(attempts))
	for e := range attempts {
		order = append(order, e)
	}
	sort.Slice(order, func(i, j int) bool { return order[j].compare(order[i]) < 0 }) // newest first
	var newer []store.Run
	for i, e := range order {
		last := s.last(attempts[e])
		switch {
		case i == 0:
			s.stands = append(s.stands, last...)
		case len(newer) < len(last): // some of the runs were repeated, and it is unknown which
			s.stands = append(
				s.stands, slices.DeleteFunc(last, func(r store.Run) bool { return r.Status() == store.StatusOK })...)
			continue
		default:
			beside, before := besideAny(last, newer)
			s.stands = append(s.stands, beside...)
			s.compare(before, newer)
		}
		newer = last
	}
}

// besideAny divides runs into failures that ran beside a newer run and other runs. Such a failure counts, because it
// may belong to another workflow of the same name.
func besideAny(runs, newer []store.Run) (beside, others []store.Run) {
	for _, r := range runs {
		if r.Status() != store.StatusOK && slices.ContainsFunc(newer, r.RanBeside) {
			beside = append(beside, r)
		} else {
			others = append(others, r)
		}
	}
	return beside, others
}

// last returns the runs of one attempt. It leaves out a run if a later run of the same job execution repeats it.
func (s *selection) last(runs []store.Run) []store.Run {
	var list []store.Run
	newest := map[string]store.Run{}
	sort.Slice(runs, func(i, j int) bool { return runs[i].Serial > runs[j].Serial })
	for _, r := range runs {
		where := jobRun(r)
		later, ok := newest[where]
		switch {
		case where == "":
			list = append(list, r)
		case !ok:
			newest[where] = r
			list = append(list, r)
		case later.StartedAt.Before(r.StartedAt): // the serials and the start times disagree
			list = append(list, r)
		default:
			s.compare([]store.Run{r}, []store.Run{later})
		}
	}
	return list
}

// compare records a step that failed before it passed.
func (s *selection) compare(earlier, later []store.Run) {
	passed := slices.IndexFunc(later, func(r store.Run) bool { return r.Status() == store.StatusOK })
	failed := slices.IndexFunc(earlier, func(r store.Run) bool {
		return r.State != store.StateRunning && r.Status() != store.StatusOK && r.Reason != store.ReasonCancelled
	})
	if passed >= 0 && failed >= 0 {
		s.flaky = append(s.flaky, retried{earlier[failed], later[passed]})
	}
}

// jobRun identifies the job execution of a run. It returns "" if the job execution, or the run's step, is unknown.
func jobRun(r store.Run) string {
	ci := r.CI
	switch {
	case ci == nil:
		return "local\x00" + r.Hostname + "\x00" + r.Cwd
	case ci.Provider != "github" && ci.Provider != "":
		return "job\x00" + ci.Job // these systems do not run two jobs with the same name at once
	case ci.Step == "":
		return "" // the position of the step in the job is unknown, too
	case ci.EventName == "workflow_run": // the check run belongs to the job that sent the run
		return ci.JobRun
	case ci.CheckRunID != "" || ci.JobRun != "":
		return ci.CheckRunID + "\x00" + ci.JobRun
	}
	return ""
}
