package query

import (
	"cmp"
	"context"
	"fmt"

	"github.com/blq-ci/blq/store"
)

// HistoryParams select past runs.
type HistoryParams struct {
	Limit  int          `json:"limit,omitempty"`  // max runs, 0 for all
	Source string       `json:"source,omitempty"` // only this source
	Before int          `json:"before,omitempty"` // only runs with a lower serial
	Since  string       `json:"since,omitempty"`  // only runs that started at this time or later, in RFC 3339
	Status store.Status `json:"status,omitempty"` // only runs with this status, such as FAIL; "" for all
	State  store.State  `json:"state,omitempty"`  // running, completed or orphaned; "" for all
	At                  // selects the runs
}

// History is a list of runs, newest first.
type History struct {
	Runs []RunFacts `json:"runs" jsonschema:"facts of info, hostname, platform, arch, ci" schema:"open"`
	Note string     `json:"-"` // note on runs that the list leaves out
}

// maxHistory is the max number of runs in a history.
const maxHistory = 10_000

// RunFacts is a run, with its branch, commit and other facts.
type RunFacts struct {
	Repo     string       `json:"repo,omitempty" jsonschema:"owner/name, where there are several"`
	RunID    int          `json:"run_id" jsonschema:"serial"`
	Source   string       `json:"source_name" jsonschema:"step"`
	Status   store.Status `json:"status" jsonschema:"as in status"`
	Errors   int          `json:"error_count" jsonschema:"errors"`
	Warnings int          `json:"warning_count" jsonschema:"warnings"`
	Started  string       `json:"started_at" jsonschema:"UTC"`
	Seconds  float64      `json:"duration_seconds,omitempty" jsonschema:"seconds"`
	ExitCode *int         `json:"exit_code,omitempty" jsonschema:"of the command"`
	Where
	Command string `json:"-"` // for people
}

// Where says where a run was executed, and on which code.
type Where struct {
	Cwd      string    `json:"cwd,omitempty" jsonschema:"folder"`
	Hostname string    `json:"hostname,omitempty" jsonschema:"machine"`
	Platform string    `json:"platform,omitempty" jsonschema:"system"`
	Arch     string    `json:"arch,omitempty" jsonschema:"processor"`
	Commit   string    `json:"git_commit,omitempty" jsonschema:"commit"`
	Branch   string    `json:"git_branch,omitempty" jsonschema:"branch"`
	Dirty    bool      `json:"git_dirty" jsonschema:"uncommitted changes"`
	CI       *store.CI `json:"ci,omitempty" jsonschema:"provider, workflow, job, pr_number and more"`
}

func newWhere(r store.Run) Where {
	return Where{Clean(r.Cwd), Clean(r.Hostname), r.Platform, r.Arch, r.Git.Commit, Clean(r.Git.Branch), r.Git.Dirty,
		cleanCI(r.CI)}
}

// History lists past runs.
func (a *Asker) History(ctx context.Context, p HistoryParams) (History, error) {
	switch p.State {
	case "", store.StateRunning, store.StateCompleted, store.StateOrphaned:
	default:
		return History{}, store.Next(store.Errorf(store.Invalid, "no status %q", p.State),
			store.NewCall("history", "or running, orphaned", "status", "completed"))
	}
	if err := a.sweep(ctx); err != nil {
		return History{}, err
	}
	if p.Source != "" {
		if err := a.knownSource(ctx, p.Source); err != nil {
			return History{}, err
		}
	}
	from, err := since(p.Since)
	if err != nil {
		return History{}, err
	}
	limit := cmp.Or(p.Limit, maxHistory)
	f := store.RunFilter{Source: p.Source, State: p.State, Status: p.Status, Since: from, Before: p.Before,
		Limit: min(limit, maxHistory)}
	if err := a.at(ctx, p.At, &f); err != nil {
		return History{}, err
	}
	runs, err := a.reader().Runs(ctx, a.Scope, f)
	h := History{Runs: []RunFacts{}}
	for _, r := range runs {
		h.Runs = append(h.Runs, RunFacts{
			Repo: r.Repo, RunID: r.Serial, Source: r.Source, Status: r.Status(), Errors: r.Errors, Warnings: r.Warnings,
			Started: stamp(r.StartedAt), Seconds: seconds(r.Duration()), ExitCode: r.ExitCode, Where: newWhere(r),
			Command: Clean(r.Command),
		})
	}
	if n := len(runs); n == maxHistory && limit >= n && p.Limit != n {
		h.Note = fmt.Sprintf("only %d runs are listed; before=%d lists older ones", n, runs[n-1].Serial)
	}
	return h, err
}
