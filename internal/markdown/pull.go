package markdown

import (
	"context"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

// PullParams select the runs of a report: the runs of a pull request's newest commit, or the runs of another commit.
type PullParams struct {
	Repo     string `json:"repo,omitempty"`     // owner/name, "" for the only one
	PR       int    `json:"pr,omitempty"`       // only runs of this pull request; 0 for runs without a pull request
	Commit   string `json:"commit"`             // full hash of the head commit
	Branch   string `json:"branch,omitempty"`   // only runs of this branch; with PR: also the runs of pushes to it
	Workflow string `json:"workflow,omitempty"` // only runs of this workflow
	// Unbranched selects only runs without a branch, such as runs of tags. It has an effect only if PR is 0.
	Unbranched bool `json:"unbranched,omitempty"`
	MaxBytes   int  `json:"max_bytes,omitempty"` // max bytes of Markdown, 0 for the constant MaxBytes
	// RunID, Jobs, Needs and Conclusion are facts of the CI system about the workflow run, as far as they are known.
	// Needs has the results of the jobs that the reporting job needs, by their IDs.
	RunID      string            `json:"run_id,omitempty"`
	Jobs       []Job             `json:"jobs,omitempty"`
	Needs      map[string]string `json:"needs,omitempty"`
	Conclusion string            `json:"conclusion,omitempty"`
	Unread     int               `json:"unread,omitempty"` // number of artifacts and runs that could not be read
	// Docs adds documentation to errors, at most one block for each error.
	Docs    bool `json:"docs,omitempty"`
	Passing bool `json:"-"` // the store is temporary, so the report must not refer to its runs
	// Event is the event of the workflow that the report shows, such as push. It is "" for none. A commit may have
	// several reports, one for each event, and this field tells them apart.
	Event string `json:"-"`
}

// Pull is the report on all runs of a commit.
type Pull struct {
	Markdown string      `json:"markdown"`
	Headline string      `json:"headline"`
	Passed   bool        `json:"passed"` // all steps ended, and passed or are allowed to fail; nothing is unknown
	Counts   PullCounts  `json:"counts"`
	Runs     []PulledRun `json:"runs"`
	Partial  bool        `json:"partial,omitempty"` // some runs may be unknown
	Seen     int         `json:"seen"`              // grows with each start and end of a run
}

// PullCounts has the counts of a report. A failure is an error, or a failed run without an error. An error in several
// runs counts once.
type PullCounts struct {
	Failed  int `json:"failed"`
	New     int `json:"new"`     // failures that are not in the baseline
	Base    int `json:"on_base"` // failures that the base branch has, too
	Flaky   int `json:"flaky"`
	Unknown int `json:"unknown"` // failures in runs without a baseline
	Fixed   int `json:"fixed"`   // errors of the baselines that do not occur any more
	Running int `json:"running"` // unfinished runs
	Open    int `json:"open"`    // unfinished jobs, except the reporting job

	Steps       int `json:"steps"`        // failed runs that must pass, including runs whose errors are counted
	Jobs        int `json:"jobs"`         // failed or cancelled jobs without a run that explains it
	Allowed     int `json:"allowed"`      // failed runs that may fail
	Retried     int `json:"retried"`      // steps that failed before they passed
	Reported    int `json:"reported"`     // errors of steps that passed
	ReportedNew int `json:"reported_new"` // errors of steps that passed, if they are not in the baselines
	// Stopped counts failed runs that did not end by themselves. Such a run might have had further errors.
	Stopped int `json:"stopped,omitempty"`

	Contracts int `json:"contracts,omitempty"` // changed contracts that others use
}

// PulledRun is the summary of a run in a report.
type PulledRun struct {
	RunRef string       `json:"run_ref"`
	Status store.Status `json:"status"`
	Errors int          `json:"error_count"`
	New    int          `json:"new_count"`
}

// These limit the errors that are read completely: at most maxPulledErrors in all runs together, but for each run at
// least minInFull and at most maxInFull.
const (
	maxPulledErrors = 20_000
	minInFull       = 20
	maxInFull       = 5000
)

// WritePull writes the report on the selected runs of a commit. Invalid: Commit is not a full hash. NotFound: there is
// no such run.
func WritePull(ctx context.Context, a *query.Asker, line Line, p PullParams) (Pull, error) {
	if !commitID.MatchString(p.Commit) {
		return Pull{}, store.Errorf(store.Invalid, "commit must be the full hash of a commit; it is %q", clip(p.Commit, 80))
	}
	selected, err := selectRuns(ctx, a, p)
	if err != nil {
		return Pull{}, err
	}
	if len(selected.stands) == 0 {
		return Pull{}, store.Errorf(store.NotFound, "no runs at commit %.9s", p.Commit)
	}
	v := &pullView{line: line, params: p, flaky: selected.flaky, allowed: map[*Facts]bool{}, cut: selected.cut,
		seen: selected.seen}
	inFull := min(maxInFull, max(minInFull, maxPulledErrors/len(selected.stands)))
	for _, r := range selected.stands {
		f, err := gather(ctx, a, line, r, query.Sorting{InFull: inFull})
		if err != nil {
			return Pull{}, err
		}
		v.runs = append(v.runs, f)
	}
	v.settle()
	if err := v.excerpts(ctx, a); err != nil {
		return Pull{}, err
	}
	if p.Docs {
		v.mention(ctx, a)
	}
	v.place(ctx, a)
	if err := v.contracts(ctx, a); err != nil {
		return Pull{}, err
	}
	return v.pull(), nil
}

// pull returns the report as data.
func (v *pullView) pull() Pull {
	p := Pull{Headline: v.headline(), Counts: v.counts, Passed: v.passed(), Markdown: v.render(v.params.MaxBytes),
		Runs: []PulledRun{}, Partial: v.partial(), Seen: v.seen}
	for _, f := range v.runs {
		p.Runs = append(p.Runs, PulledRun{f.Run.Ref().String(), f.Run.Status(), f.Run.Errors, f.NewErrors})
	}
	return p
}

// passed reports whether the commit has passed. All runs must have ended, no run that must pass may have failed, and
// nothing may be unknown. No job may have failed or been cancelled without a run that explains it.
func (v *pullView) passed() bool {
	c := v.counts
	return c.Failed+c.Steps+c.Jobs+c.Running == 0 && !v.partial()
}

// MayBeNew reports whether a failure is new or may be new. This includes failures without a baseline, runs that were
// stopped, and unknown results.
func (p Pull) MayBeNew() bool {
	return p.Counts.New+p.Counts.Unknown+p.Counts.Jobs+p.Counts.Stopped > 0 || p.Partial
}

// partial reports whether some runs may be unknown.
func (v *pullView) partial() bool { return v.params.Unread > 0 || v.cut }
