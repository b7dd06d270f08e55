package query

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/blq-ci/blq/store"
)

// Status is the present state of each source.
type Status struct {
	Sources []SourceStatus `json:"sources" jsonschema:"newest first: name, status, error_count, warning_count, last_run, run_id, git_branch" schema:"open"`
	// Retired holds failed runs of retired steps, which later commits no longer run. A retired step is listed here
	// only if Sources has another step of its source.
	Retired []OtherRun `json:"retired,omitempty" jsonschema:"failed runs that do not count" schema:"unlisted"`
	Partial string     `json:"partial,omitempty" jsonschema:"parts that were not examined" schema:"unlisted"`
	Unasked
}

// SourceStatus is a source in brief: the run that decides its state.
type SourceStatus struct {
	Repo     string       `json:"repo,omitempty" jsonschema:"owner/name, where there are several"`
	Name     string       `json:"name" jsonschema:"of the source"`
	Status   store.Status `json:"status" jsonschema:"RUNNING, OK, FAIL, TIMEOUT, CANCELLED or ORPHANED"`
	Errors   int          `json:"error_count" jsonschema:"errors"`
	Warnings int          `json:"warning_count" jsonschema:"warnings"`
	LastRun  string       `json:"last_run" jsonschema:"start of that run"`
	RunID    int          `json:"run_id" jsonschema:"serial of that run"`
	// Branch is set if the answer has runs of several branches.
	Branch string `json:"git_branch,omitempty" jsonschema:"branch, where there are several"`
	Going
	LeftOut string `json:"left_out,omitempty" jsonschema:"reason why it does not count any more"`
	Despite string `json:"despite,omitempty" jsonschema:"the later success that does not answer this failure, and why"`
}

// StatusParams select the runs.
type StatusParams struct {
	Since string `json:"since,omitempty"` // only runs that started at this time or later, in RFC 3339
	At           // selects the runs
}

// Status returns one run of each source: the newest run of the source's most urgent step. The source with the newest
// run comes first. If the run of a source passed, Status returns an earlier failed run whose failure is not fixed, if
// there is one. The steps of a source differ in command, directory or leg of a matrix. If the question names no branch,
// failed runs on other branches follow.
func (a *Asker) Status(ctx context.Context, p StatusParams) (Status, error) {
	a = a.once()
	s, err := a.status(ctx, p)
	if err != nil {
		return s, err
	}
	s.Unasked, err = a.unasked(ctx, p.Repo)
	return s, err
}

// status does the same as Status, but without the notifications about contracts.
func (a *Asker) status(ctx context.Context, p StatusParams) (Status, error) {
	s := Status{Sources: []SourceStatus{}}
	runs, f, err := a.newestSince(ctx, p.At, p.Since)
	if err != nil {
		return s, err
	}
	in, out, err := a.current(ctx, runs)
	if err != nil {
		return s, err
	}
	trees, err := a.unanswered(ctx, f, runs, p.At != (At{}))
	if err != nil {
		return s, err
	}
	hidden := countingRuns(trees)
	if s.Partial, err = a.lookedAt(ctx, p.At, f, runs); err != nil {
		return s, err
	}
	why := map[string]string{}
	for _, o := range out {
		why[o.Ref().String()] = o.Why
	}
	failed, err := a.failedElsewhere(ctx, p.At, store.RunFilter{Repo: p.Repo, Since: f.Since}, runs)
	if err != nil {
		return s, err
	}
	counted := map[string]bool{}
	for _, r := range in {
		counted[r.Repo+"@"+r.Source] = true
	}
	shown := slices.DeleteFunc(runs, func(r store.Run) bool { // hide a retired step if its source has other steps
		return why[r.Ref().String()] != "" && counted[r.Repo+"@"+r.Source]
	})
	list := append(worstSteps(append(shown, hidden...)), worstOnBranches(besides(hidden, failed))...)
	several := slices.ContainsFunc(list, func(r store.Run) bool { return r.Git.Branch != list[0].Git.Branch })
	for _, r := range list {
		one := SourceStatus{Repo: r.Repo, Name: r.Source, Status: r.Status(), Errors: r.Errors, Warnings: r.Warnings,
			LastRun: stamp(r.StartedAt), RunID: r.Serial, Going: a.going(r), LeftOut: why[r.Ref().String()]}
		if one.LeftOut == "" {
			one.Despite = despite(r, in, trees)
		}
		if several {
			one.Branch = branchOf(r)
		}
		s.Sources = append(s.Sources, one)
	}
	s.Retired = others(slices.DeleteFunc(append(out, retiredRuns(trees)...), func(o leftOut) bool {
		return slices.ContainsFunc(list, isAttempt(o.Run))
	}))
	return s, nil
}

// despite returns a sentence about a later run that passed under the same name, although the failure of r is not over.
// It returns "" if there is no such run. runs holds the newest run of each step, newest first.
func despite(r store.Run, runs []store.Run, trees []unanswered) string {
	if !endedBadly(r) {
		return ""
	}
	if i := slices.IndexFunc(trees, func(o unanswered) bool { return o.Attempt == r.Attempt }); i >= 0 {
		return strings.TrimPrefix(trees[i].despite(), "; ")
	}
	for _, o := range runs {
		if what := r.DiffersFrom(o); what != "" && o.Repo == r.Repo && o.Source == r.Source && o.Follows(r) &&
			o.Status() == store.StatusOK && o.Git.Branch == r.Git.Branch {
			return fmt.Sprintf("%s passed later, but has another %s", o.Ref(), what)
		}
	}
	return ""
}

// longAgo is the min age of an old failure. The age is measured at the start of the newest run.
const longAgo = 14 * 24 * time.Hour

// lookedAt returns a sentence about the limits of the search for failures that still matter although their steps
// passed later. It returns "" if the search read all failed runs that are not old. f selects the runs.
func (a *Asker) lookedAt(ctx context.Context, at At, f store.RunFilter, newest []store.Run) (string, error) {
	f.Newest, f.Limit = false, maxRecent
	recent, err := a.reader().Runs(ctx, a.Scope, f)
	if err != nil || len(recent) < maxRecent {
		return "", err
	}
	failed, err := a.failures(ctx, f)
	if err != nil || len(failed) < maxFailed || newest[0].StartedAt.Sub(failed[maxFailed-1].StartedAt) > longAgo {
		return "", err
	}
	text := fmt.Sprintf("failures that still count although their step passed later are looked for in the newest %d runs "+
		"and %d failures", maxRecent, maxFailed)
	if at.Repo == "" && slices.ContainsFunc(newest, func(r store.Run) bool { return r.Repo != newest[0].Repo }) {
		text += " of all repositories; name a repository to look in its own"
	}
	return text, nil
}

// worstOnBranches keeps one run of each source on each branch: the first of the most urgent runs.
func worstOnBranches(runs []store.Run) []store.Run {
	byBranch := map[string][]store.Run{}
	var branches []string
	for _, r := range runs {
		if byBranch[r.Git.Branch] == nil {
			branches = append(branches, r.Git.Branch)
		}
		byBranch[r.Git.Branch] = append(byBranch[r.Git.Branch], r)
	}
	var list []store.Run
	for _, b := range branches {
		list = append(list, worstSteps(byBranch[b])...)
	}
	return list
}
