package main

import (
	"context"
	"fmt"

	"github.com/blq-ci/blq/facts/code"
	"github.com/blq-ci/blq/facts/graph"
	"github.com/blq-ci/blq/facts/worktree"
	"github.com/blq-ci/blq/internal/ci"
	"github.com/blq-ci/blq/internal/findings"
	"github.com/blq-ci/blq/internal/record"
	"github.com/blq-ci/blq/store"
)

// recordFindings checks rules and documents, and records each check as a run. The work tree is compared with a base
// commit. If a check has no run for the base commit, recordFindings records this run first, so that old violations do
// not look new. If short is true, recordFindings prints only checks with findings. broken reports whether a rule with
// the severity error is broken.
func (a *app) recordFindings(ctx context.Context, from *worktree.Source, index *code.Index, short bool) (
	broken bool, err error) {
	w, err := a.create(ctx)
	if err != nil {
		return false, err
	}
	said, err := w.Store.Attestations(ctx, store.Everything(), "")
	if err != nil {
		return false, err
	}
	base, branch := baseOfFindings(ctx, w.Root())
	check := findings.Check{Source: from, Base: base, Before: index,
		Attested: func(context.Context, []graph.Pair) (graph.Attested, error) { return graph.NewAttested(said), nil }}
	report, err := check.Run(ctx)
	if err != nil {
		return false, err
	}
	results := report.Results()
	if len(results) == 0 && report.Warning == "" {
		return false, store.Hint(store.Errorf(store.NotFound, "there are no rules, and no node names a document"),
			"docs/graph.md says how they are written")
	}
	if err := a.recordBase(ctx, check, branch, results); err != nil {
		return false, err
	}
	for _, r := range results {
		if err := a.recordResult(ctx, r, short && r.Errors+r.Warnings == 0); err != nil {
			return false, err
		}
	}
	if report.Warning != "" {
		fmt.Fprintf(a.stderr, "%s%s\n", a.notes.paint(dim, "blq: "), firstLine(report.Warning, reportWidth*2))
	}
	return report.Lint != nil && report.Lint.Errors > 0, nil
}

// baseOfFindings returns the base commit with which the findings of the work tree are compared, and the branch of that
// commit. base is "" if there is no base commit.
func baseOfFindings(ctx context.Context, root string) (base, branch string) {
	git := ci.Git(ctx, root)
	if of := ci.DefaultBranch(ctx, root); git.Dirty && git.Branch == of {
		return git.Commit, of
	}
	base, branch, err := findings.BaseOf(ctx, root, git.Commit, "")
	if err != nil {
		return "", ""
	}
	return base, branch
}

// recordResult records a result for the work tree as a run. If silent is false, it prints that the run was recorded.
func (a *app) recordResult(ctx context.Context, r *findings.Result, silent bool) error {
	run, err := r.Record(ctx, a.opened.Project, record.Spec{Dir: a.opened.Root()})
	if err != nil || silent {
		return err
	}
	fmt.Fprintf(a.stderr, "%s%s %s: %s, %s%s\n", a.notes.paint(dim, "blq: "), run.Ref(), a.notes.status(run.Status()),
		count(run.Errors, "error"), count(run.Warnings, "warning"), a.changed(ctx, run))
	return nil
}

// isRecorded reports whether a check has a run for a commit. A run with uncommitted changes does not count.
func (a *app) isRecorded(ctx context.Context, source, commit string) (bool, error) {
	runs, err := a.opened.Store.Runs(ctx, store.Everything(), store.RunFilter{Source: source,
		Commits: []string{commit}, Clean: true, Limit: 1})
	return len(runs) > 0, err
}

// recordBase records the findings in the base commit, for each wanted check that has no run for this commit.
func (a *app) recordBase(ctx context.Context, check findings.Check, branch string, wanted []*findings.Result) error {
	missing, any := map[string]bool{}, false
	for _, r := range wanted {
		recorded, err := a.isRecorded(ctx, r.Name, check.Base)
		if err != nil {
			return err
		}
		missing[r.Name] = !recorded
		any = any || missing[r.Name]
	}
	if !any || check.Base == "" {
		return nil
	}
	commit := check.Base
	check.At, check.Base = commit, ""
	report, err := check.Run(ctx)
	if err != nil {
		return nil //nolint:nilerr // a partial clone may not have the whole base; then no finding is new
	}
	for _, r := range report.Results() {
		if !missing[r.Name] {
			continue
		}
		spec := record.Spec{Dir: a.opened.Root(), Commit: commit, Branch: branch}
		if _, err := r.Record(ctx, a.opened.Project, spec); err != nil {
			return err
		}
	}
	return nil
}
