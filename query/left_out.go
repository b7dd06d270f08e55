package query

import (
	"context"
	"fmt"
	"slices"

	"github.com/blq-ci/blq/store"
)

// leftOut is the newest run of a step that is not run any more. It is not OK, and does not count.
type leftOut struct {
	store.Run
	Why string // in a few words, with the commit that shows it
}

const (
	maxStale = 20 // steps that are not OK, and are looked at for whether they are still run
	maxSince = 5  // later commits that are looked at for each of them
)

// current divides the newest runs of steps into those that count and those of steps that are not run any more. A run
// that is OK, or goes on, always counts. Another one is left out if a later commit shows that its step is gone:
//
//   - all other steps that ran at its commit have ended there; at least two where no CI system runs them, because
//     one command is often run without the other, or
//   - in CI, its job has run another command there under its name.
//
// Later is a commit of the same branch, or one that contains the run's commit.
func (a *Asker) current(ctx context.Context, runs []store.Run) (in []store.Run, out []leftOut, err error) {
	asked := 0
	for _, r := range runs {
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

// goneSince returns why a step is left out whose newest run is r, or nil if it counts.
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
	here, err := a.stepsAt(ctx, r, r.Git.Commit)
	if err != nil {
		return nil, err
	}
	delete(here, r.Step())
	for _, commit := range commits {
		there, err := a.stepsAt(ctx, r, commit)
		if err != nil {
			return nil, err
		}
		why := replaced(r, here, there)
		if why == "" {
			continue
		}
		later, err := a.isLater(ctx, r, commit, there)
		if err != nil {
			return nil, err
		}
		if later {
			return &leftOut{r, fmt.Sprintf("it happened at %.9s, and at %.9s %s", r.Git.Commit, commit, why)}, nil
		}
	}
	return nil, nil
}

// stepsAt returns the newest runs at a commit, by their steps.
func (a *Asker) stepsAt(ctx context.Context, r store.Run, commit string) (map[store.Step]store.Run, error) {
	list, err := a.Store.Runs(ctx, a.Scope, store.RunFilter{Repo: r.Repo, Commits: []string{commit}, Newest: true})
	steps := map[store.Step]store.Run{}
	for _, o := range list {
		steps[o.Step()] = o
	}
	return steps, err
}

// replaced says why a later commit shows that the step of r is not run any more, "" if it does not. here has the other
// steps at the commit of r, and there has the steps at the other commit.
func replaced(r store.Run, here, there map[store.Step]store.Run) string {
	for step, o := range there {
		of := r.Step()
		if step.Job != "" && step.Job == of.Job && step.Workflow == of.Workflow && step.Leg == of.Leg &&
			step.Source == of.Source &&
			step.Shape != of.Shape && o.State == store.StateCompleted && o.Follows(r) {
			return "its job has another command"
		}
	}
	if len(here) == 0 || len(here) == 1 && r.CI == nil {
		return ""
	}
	for step := range here {
		if o, ok := there[step]; !ok || o.State != store.StateCompleted || !o.Follows(r) {
			return ""
		}
	}
	return "all other steps were run without it"
}

// isLater reports whether a commit with these runs comes after that of a run.
func (a *Asker) isLater(ctx context.Context, r store.Run, commit string, there map[store.Step]store.Run) (bool, error) {
	if a.Ancestry != nil {
		base, err := a.Ancestry.Ancestors(ctx, r.Repo, commit, r.Git.Commit, 1)
		switch {
		case err != nil && store.CodeOf(err) != store.NotFound:
			return false, fmt.Errorf("history of %.9s: %w", commit, err)
		case err == nil && len(base) > 0 && (base[0] == r.Git.Commit || base[0] == commit):
			return base[0] == r.Git.Commit, nil
		}
	}
	for _, o := range there {
		if o.Git.Branch != r.Git.Branch || o.Git.Branch == "" {
			return false, nil
		}
	}
	return true, nil
}
