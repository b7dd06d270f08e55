package markdown

import (
	"context"
	"slices"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

// PullParams say which runs to report together: those of a pull request's newest commit, or of any
// commit.
type PullParams struct {
	Repo     string `json:"repo,omitempty"`      // owner/name, "" for the only one
	PR       int    `json:"pr,omitempty"`        // only runs of this pull request; 0 for runs without one
	Commit   string `json:"commit"`              // full hash of the head commit
	Branch   string `json:"branch,omitempty"`    // without PR: only runs of this branch
	Workflow string `json:"workflow,omitempty"`  // only runs of this workflow
	MaxBytes int    `json:"max_bytes,omitempty"` // max bytes of Markdown, 0 for the constant MaxBytes
	Jobs     []Job  `json:"jobs,omitempty"`      // what the CI system says of the jobs
	Passing  bool   `json:"-"`                   // the store is temporary, so the report must not point to it
}

// Job is what the CI system says of a job. There may be no run of it.
type Job struct {
	ID     string `json:"id"`   // the runs' check_run_id
	Name   string `json:"name"` // name as shown to people
	Failed bool   `json:"failed,omitempty"`
	URL    string `json:"url,omitempty"`
}

// Pull is the report on all runs of a commit.
type Pull struct {
	Markdown string      `json:"markdown"`
	Headline string      `json:"headline"`
	Passed   bool        `json:"passed"` // every run ended and passed, and none was lost
	Counts   PullCounts  `json:"counts"`
	Runs     []PulledRun `json:"runs"`
	Seen     int         `json:"seen"` // grows with each run of the commit that starts or ends
}

// PullCounts counts failures. A failure is an error, counted once wherever it was found, or a run
// that failed without one.
type PullCounts struct {
	Failed  int `json:"failed"`
	New     int `json:"new"`     // not in the baseline
	Base    int `json:"on_base"` // also on the base branch
	Flaky   int `json:"flaky"`
	Unknown int `json:"unknown"` // in runs without a baseline
	Fixed   int `json:"fixed"`   // errors of the baselines that are gone
	Running int `json:"running"` // runs that have not ended
}

// PulledRun is the summary of a run.
type PulledRun struct {
	RunRef string       `json:"run_ref"`
	Status store.Status `json:"status"`
	Errors int          `json:"error_count"`
	New    int          `json:"new_count"`
}

// WritePull reports all runs of a commit. Errors: invalid when Commit is not a full hash, not_found
// when there is no run.
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

// pull returns the report of the view.
func (v *pullView) pull() Pull {
	p := Pull{Headline: v.headline(), Counts: v.counts, Passed: v.passed(), Markdown: v.render(v.params.MaxBytes), Runs: []PulledRun{}}
	for _, f := range v.runs {
		p.Runs = append(p.Runs, PulledRun{f.Run.Ref().String(), f.Run.Status(), f.Run.Errors, f.NewErrors})
	}
	return p
}

// passed reports whether all runs ended and nothing failed.
func (v *pullView) passed() bool {
	return !slices.ContainsFunc(v.runs, func(f *Facts) bool { return f.Run.Status() != store.StatusOK }) && len(v.silent) == 0
}
