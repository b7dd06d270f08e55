package markdown

import (
	"cmp"
	"context"
	"slices"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

// maxPulled is the max number of runs of a commit that are read.
const maxPulled = 2000

// selectRuns returns the runs that show the current state: of each job those of its newest attempt,
// and of a step that was repeated within it the last one. Runs are in the order of their jobs'
// first runs.
func selectRuns(ctx context.Context, a *query.Asker, p PullParams) ([]store.Run, error) {
	f := store.RunFilter{Repo: p.Repo, PR: p.PR, Commits: []string{p.Commit}, Limit: maxPulled}
	if p.PR == 0 {
		f.Branch = p.Branch
	}
	found, err := a.Store.Runs(ctx, a.Scope, f)
	if err != nil {
		return nil, err
	}
	newest := map[job]execution{}
	seen := map[step]bool{}
	var runs []store.Run
	for _, r := range found { // newest first
		if p.PR == 0 && r.CI != nil && r.CI.PR > 0 || p.Workflow != "" && (r.CI == nil || r.CI.Workflow != p.Workflow) {
			continue
		}
		j, e := jobOf(r)
		if _, known := newest[j]; !known {
			newest[j] = e
		}
		s := step{j, r.Source, r.Command}
		if newest[j] != e || seen[s] {
			continue
		}
		seen[s] = true
		runs = append(runs, r)
	}
	slices.SortFunc(runs, func(x, y store.Run) int { return cmp.Compare(x.Serial, y.Serial) })
	return runs, nil
}

// job is one job of a workflow, or one leg of its matrix.
type job struct{ workflow, name, leg string }

// execution is one attempt of a job.
type execution struct {
	run     string
	attempt int
}

// step is one step of a job, whatever its number of tries.
type step struct {
	job
	source, command string
}

func jobOf(r store.Run) (job, execution) {
	if r.CI == nil {
		return job{}, execution{}
	}
	return job{r.CI.Workflow, r.CI.Job, r.Leg()}, execution{r.CI.RunID, r.CI.RunAttempt}
}
