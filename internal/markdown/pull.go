package markdown

import (
	"context"
	"slices"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

// PullParams say which runs to report on together: those of a pull request's
// newest commit, or of any commit.
type PullParams struct {
	Repo     string `json:"repo,omitempty"`      // owner/name, "" for the only one
	PR       int    `json:"pr,omitempty"`        // runs of this pull request alone, 0 for those of none
	Commit   string `json:"commit"`              // the head commit in full
	Branch   string `json:"branch,omitempty"`    // without PR: runs on this branch alone
	Workflow string `json:"workflow,omitempty"`  // runs of this workflow alone
	MaxBytes int    `json:"max_bytes,omitempty"` // of Markdown, 0 for MaxBytes
	Jobs     []Job  `json:"jobs,omitempty"`      // what the CI system says of jobs
	Passing  bool   `json:"-"`                   // the store is not kept: nobody can ask it for more
}

// Job is what the CI system says of a job, of which there may be no run.
type Job struct {
	ID     string `json:"id"`   // the run's check_run_id
	Name   string `json:"name"` // as people see it
	Failed bool   `json:"failed,omitempty"`
	URL    string `json:"url,omitempty"`
}

// Pull is the report on all runs at a commit.
type Pull struct {
	Markdown string      `json:"markdown"`
	Headline string      `json:"headline"`
	Passed   bool        `json:"passed"` // every run that ended passed, and none was lost
	Counts   PullCounts  `json:"counts"`
	Runs     []PulledRun `json:"runs"`
}

// PullCounts count failures: errors that differ, wherever they were found, and
// runs that failed without one.
type PullCounts struct {
	Failed  int `json:"failed"`
	New     int `json:"new"`     // that the baseline has not
	Base    int `json:"on_base"` // that the base has as well
	Flaky   int `json:"flaky"`
	Unknown int `json:"unknown"` // of runs that have nothing to be compared with
	Fixed   int `json:"fixed"`   // errors of the baselines that are gone
	Running int `json:"running"` // runs that have not ended
}

// PulledRun is a run of the report in short.
type PulledRun struct {
	RunRef string       `json:"run_ref"`
	Status store.Status `json:"status"`
	Errors int          `json:"error_count"`
	New    int          `json:"new_count"`
}

// WritePull reports on all runs at a commit. Invalid: no full commit. NotFound:
// there is no run.
func WritePull(ctx context.Context, a *query.Asker, p PullParams) (Pull, error) {
	if !commitID.MatchString(p.Commit) {
		return Pull{}, store.Errorf(store.Invalid, "%s is no full commit", Code(p.Commit, 80))
	}
	runs, err := selectRuns(ctx, a, p)
	if err != nil {
		return Pull{}, err
	}
	if len(runs) == 0 {
		return Pull{}, store.Errorf(store.NotFound, "no runs at commit %.9s", p.Commit)
	}
	v := &pullView{params: p}
	for _, r := range runs {
		if err := v.add(ctx, a, r); err != nil {
			return Pull{}, err
		}
	}
	v.settle()
	if err := v.excerpts(ctx, a); err != nil {
		return Pull{}, err
	}
	return v.pull(), nil
}

// pull is the answer that shows the view.
func (v *pullView) pull() Pull {
	p := Pull{Headline: v.headline(), Counts: v.counts, Passed: v.passed(), Markdown: v.render(v.params.MaxBytes), Runs: []PulledRun{}}
	for _, f := range v.runs {
		p.Runs = append(p.Runs, PulledRun{f.Run.Ref().String(), f.Run.Status(), f.Run.Errors, f.NewErrors})
	}
	return p
}

// passed says whether nothing is to be mended, nor waited for.
func (v *pullView) passed() bool {
	return !slices.ContainsFunc(v.runs, func(f *Facts) bool { return f.Run.Status() != store.StatusOK }) && len(v.silent) == 0
}
