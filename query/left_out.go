package query

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/blq-ci/blq/store"
)

// leftOut is a run that did not end well, but does not count, because its step is retired: later commits no longer run
// the step.
type leftOut struct {
	store.Run
	Why string // the reason in a few words, with the commit that shows it
}

// others returns failed runs of retired steps in the form that answers show.
func others(list []leftOut) (brief []OtherRun) {
	for _, o := range list {
		brief = append(brief, OtherRun{RunRef: o.Ref().String(), Status: o.Status(), Errors: o.Errors, LeftOut: o.Why})
	}
	return brief
}

const (
	maxStale = 20 // max steps that are checked for retirement; only steps whose newest run is not OK are checked
	maxSince = 5  // max later commits to read for each step

	// maxWaiting is the max time that a CI job may wait for a runner or for other jobs, and that a person may take to
	// run the next step. A step without a run after that time is retired.
	maxWaiting = 24 * time.Hour
)

// current divides the newest runs of steps into two lists: the runs that matter, and the runs of retired steps. Runs
// that are OK or still running always matter. Each other run matters too, unless a later commit shows that its step is
// no longer run. A later commit is a commit of the same branch, or a commit that contains the run's commit. A step is
// retired in three cases:
//
//   - It is an earlier definition of a registered command (see redefined).
//   - All other steps that ran at the run's commit have ended at the later commit, and the step is too late (see
//     turnIsOver). Outside of CI, there must be at least two other steps, because people often run a single command.
//   - In CI, the run's job has run another command at the later commit, with the same name and at the same place.
func (a *Asker) current(ctx context.Context, runs []store.Run) (in []store.Run, out []leftOut, err error) {
	asked := 0
	for _, r := range runs {
		if why := a.redefined(r, runs); why != "" {
			out = append(out, leftOut{r, why})
			continue
		}
		if urgency(r) <= urgencyOfRunning || r.Git.Commit == "" || asked == maxStale {
			in = append(in, r)
			continue
		}
		asked++
		gone, err := a.goneSince(ctx, r, runs)
		if err != nil {
			return nil, nil, err
		}
		if gone == nil {
			in = append(in, r)
		} else {
			out = append(out, *gone)
		}
	}
	return in, out, nil
}

// redefined returns a reason if the failed run r ran an earlier definition of a registered command, and the newest
// definition ran later on its branch. Otherwise it returns "". A run with another command that was only given the name
// of a registered command is never such a run.
func (a *Asker) redefined(r store.Run, newest []store.Run) string {
	if a.Defined == nil || r.CI != nil || urgency(r) <= urgencyOfRunning || r.Git.Branch == "" && r.Git.Commit != "" {
		return ""
	}
	shapes := a.Defined()[r.Source]
	last := len(shapes) - 1
	if !slices.Contains(shapes, r.Shape) || shapes[last] == r.Shape {
		return ""
	}
	for _, o := range newest {
		if o.CI == nil && o.Source == r.Source && o.Shape == shapes[last] && o.Git.Branch == r.Git.Branch &&
			o.Repo == r.Repo && o.State == store.StateCompleted && o.Follows(r) {
			return fmt.Sprintf("%s is defined as another command since, see %s", r.Source, o.Ref())
		}
	}
	return ""
}

// goneSince returns the run r with the reason why its step is retired, or nil if the step is not retired. r is the
// newest run of its step.
func (a *Asker) goneSince(ctx context.Context, r store.Run, newest []store.Run) (*leftOut, error) {
	var commits []string
	for _, o := range newest {
		if o.Repo == r.Repo && o.Serial > r.Serial && o.Git.Commit != "" && o.Git.Commit != r.Git.Commit &&
			!slices.Contains(commits, o.Git.Commit) && len(commits) < maxSince {
			commits = append(commits, o.Git.Commit)
		}
	}
	if len(commits) == 0 {
		return nil, nil
	}
	others, err := a.stepsAt(ctx, r, r.Git.Commit)
	if err != nil {
		return nil, err
	}
	delete(others, r.Step())
	for _, commit := range commits {
		later, err := a.stepsAt(ctx, r, commit)
		if err != nil {
			return nil, err
		}
		why := replaced(r, others, later, a.now())
		if why == "" {
			continue
		}
		isLater, err := a.isLater(ctx, r, commit, later)
		if err != nil {
			return nil, err
		}
		if isLater {
			return &leftOut{r, fmt.Sprintf("it happened at %.9s, and at %.9s %s", r.Git.Commit, commit, why)}, nil
		}
	}
	return nil, nil
}

// stepsAt returns the newest runs at a commit, by step.
func (a *Asker) stepsAt(ctx context.Context, r store.Run, commit string) (map[store.Step]store.Run, error) {
	list, err := a.reader().Runs(ctx, a.Scope, store.RunFilter{Repo: r.Repo, Commits: []string{commit}, Newest: true})
	steps := map[store.Step]store.Run{}
	for _, o := range list {
		steps[o.Step()] = o
	}
	return steps, err
}

// replaced returns the reason why the step of r is retired, or "" if the runs at a later commit show no such reason.
// siblings holds the other steps at the commit of r. later holds the steps at the later commit.
func replaced(r store.Run, siblings, later map[store.Step]store.Run, now time.Time) string {
	for step, o := range later {
		_, beside := siblings[step] // a job may have several steps with one name
		if !beside && inJobOf(r, step) && step.Source == r.Source && step.Shape != r.Shape && !otherPlace(r, o) &&
			o.State == store.StateCompleted && o.Follows(r) && !o.IsOvertaken(r) {
			return "its job has another command"
		}
	}
	if len(siblings) == 0 || len(siblings) == 1 && r.CI == nil {
		return ""
	}
	for step := range siblings {
		if o, ok := later[step]; !ok || o.State != store.StateCompleted || !o.Follows(r) || o.IsOvertaken(r) {
			return ""
		}
	}
	if !turnIsOver(r, siblings, later, now) {
		return ""
	}
	return "all other steps were run without it"
}

// inJobOf reports whether a step belongs to the job of r, and to its leg.
func inJobOf(r store.Run, step store.Step) bool {
	of := r.Step()
	return step.Job != "" && step.Job == of.Job && step.Workflow == of.Workflow && step.Leg == of.Leg
}

// otherPlace reports whether two runs belong to steps at different places of a job. In this case o does not show that
// the step of r was replaced: the job may have both steps, and the step of r may have been skipped.
func otherPlace(r, o store.Run) bool {
	return r.CI != nil && o.CI != nil && r.CI.Step != "" && o.CI.Step != "" && r.CI.Step != o.CI.Step
}

// turnIsOver reports whether the step of r cannot begin any more at a later commit, at which all other steps have
// ended. The step cannot begin if another step of the same job normally runs after it, because that step has ended.
// Outside of CI, all steps count as steps of one job. But there a step must also run before that of r: a person who
// runs the first step of a sequence again may begin with another step. Otherwise the job may still wait for other jobs
// or for a runner, or the person may not have come to the step, but not longer than maxWaiting.
func turnIsOver(r store.Run, others, later map[store.Step]store.Run, now time.Time) bool {
	waited, before, after := true, false, false
	for step, o := range others {
		if r.CI == nil && o.CI == nil {
			before, after = before || r.Follows(o), after || o.Follows(r)
		} else if inJobOf(r, step) && o.Follows(r) {
			return true
		}
		waited = waited && now.Sub(later[step].FinishedAt) > maxWaiting
	}
	return waited || before && after
}

// isLater reports whether a commit comes after the commit of r. runs holds the runs at the commit, by step. If the
// history of the commits is unknown, isLater reports whether all these runs are on the branch of r.
func (a *Asker) isLater(ctx context.Context, r store.Run, commit string, runs map[store.Step]store.Run) (bool, error) {
	onBranch := true
	for _, o := range runs {
		onBranch = onBranch && o.Git.Branch == r.Git.Branch && o.Git.Branch != ""
	}
	if a.Ancestry == nil {
		return onBranch, nil
	}
	if is, known := a.alreadyInside(commit, r.Git.Commit); known && (is || !onBranch) {
		return is, nil
	}
	base, err := a.Ancestry.Ancestors(ctx, r.Repo, commit, r.Git.Commit, 1)
	switch {
	case err != nil && store.CodeOf(err) != store.NotFound:
		return false, fmt.Errorf("history of %.9s: %w", commit, err)
	case err == nil && len(base) > 0 && (base[0] == r.Git.Commit || base[0] == commit):
		return base[0] == r.Git.Commit, nil
	}
	return onBranch, nil
}
