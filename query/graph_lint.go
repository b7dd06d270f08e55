package query

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/blq-ci/blq/facts"
	"github.com/blq-ci/blq/facts/graph"
	"github.com/blq-ci/blq/store"
)

// LintParams select violations.
type LintParams struct {
	Severity string `json:"severity,omitempty" jsonschema:"all, error or warn" default:"\"all\"" enum:"all,error,warn"`
	DocsAt
}

// LintAnswer lists the violations of the architecture's rules.
type LintAnswer struct {
	Violations []LintViolation `json:"violations" jsonschema:"rule, severity, rule_type, file_path, line_number, from_ref_id, to_ref_id, message, status: new or existing" schema:"open"`
	Summary    LintSummary     `json:"summary" jsonschema:"errors, warnings, new, rules_evaluated" schema:"open"`
	Problems   []graph.Problem `json:"problems,omitempty" jsonschema:"mistakes in the YAML: file, line, message" schema:"open"`
	Since      string          `json:"since_commit,omitempty" jsonschema:"commit that it was compared with" schema:"unlisted"`
	Warning    string          `json:"warning,omitempty" jsonschema:"parts that are missing, with the reason" schema:"unlisted"`
	Resolved
}

// LintViolation is a violation and its status.
type LintViolation struct {
	graph.Violation
	// Status is new or existing. It is "" if the graph was not compared with an earlier graph.
	Status string `json:"status,omitempty"`
}

// LintSummary holds numbers of violations.
type LintSummary struct {
	Errors   int `json:"errors" jsonschema:"with severity error"`
	Warnings int `json:"warnings" jsonschema:"with severity warn"`
	New      int `json:"new,omitempty" jsonschema:"that were not there before"`
	Rules    int `json:"rules_evaluated" jsonschema:"rules"`
}

// These are the values of LintViolation.Status.
const (
	violationIsNew = "new"
	violationIsOld = "existing"
)

// Lint returns the violations of the architecture's rules. It compares them with the violations at an earlier commit
// (see before). Invalid: there is no such severity.
func (a *Asker) Lint(ctx context.Context, p LintParams) (LintAnswer, error) {
	answer := LintAnswer{Violations: []LintViolation{}}
	if !slices.Contains([]string{"", "all", "error", "warn"}, p.Severity) {
		return answer, store.Errorf(store.Invalid, "severity is %.40q, and has to be all, error or warn", p.Severity)
	}
	g, err := a.architecture(ctx, p.DocsAt)
	if err != nil {
		return answer, err
	}
	j, err := g.judged(ctx)
	if err != nil {
		return answer, err
	}
	answer.Since = j.since
	answer.Violations = make([]LintViolation, 0, len(j.violations))
	answer.Summary.Rules = len(g.Rules)
	for _, v := range j.violations {
		answer.add(LintViolation{cleanViolation(v.Violation), v.Status})
	}
	notes := slices.Concat(g.notes, j.notes)
	answer.Problems, answer.Resolved, answer.Warning = g.problems(), g.resolved, Clean(strings.Join(notes, "; "))
	return answer.Only(p.Severity), ctx.Err()
}

// judgement holds the violations of a graph, compared with an earlier graph.
type judgement struct {
	violations []LintViolation // texts in them are not yet safe to show
	since      string          // commit of the earlier graph, "" if there is none
	notes      []string        // notes about missing information
}

// judged compares the violations of the rules with those in the earlier graph (see before).
func (g *architecture) judged(ctx context.Context) (j judgement, err error) {
	all := g.Violations()
	if len(all) == 0 {
		return j, nil
	}
	status, added := make([]string, len(all)), func(graph.Edge) bool { return true }
	if before, why := g.before(ctx); before == nil {
		j.notes = []string{"which violations are new is not known: " + why}
	} else {
		old, err := g.adopted(ctx, before)
		if err != nil {
			return j, err
		}
		j.since, j.notes = before.found.Pin(), unlisted(all)
		status, added = statusSince(all, old, g, before), before.lacks()
	}
	for i, v := range all {
		if status[i] == violationIsNew {
			v = v.AtEdge(added)
		}
		j.violations = append(j.violations, LintViolation{v, status[i]})
	}
	return j, nil
}

// Only returns a copy of the answer that has only the violations of a severity, and their summary. The severities ""
// and all select all violations.
func (l LintAnswer) Only(severity string) LintAnswer {
	if severity == "" || severity == "all" {
		return l
	}
	all := l.Violations
	l.Violations, l.Summary = []LintViolation{}, LintSummary{Rules: l.Summary.Rules}
	for _, v := range all {
		if v.Severity == severity {
			l.add(v)
		}
	}
	return l
}

// add appends a violation, and counts it in the summary.
func (l *LintAnswer) add(v LintViolation) {
	l.Violations = append(l.Violations, v)
	if v.Status == violationIsNew {
		l.Summary.New++
	}
	if v.Severity == "error" {
		l.Summary.Errors++
	} else {
		l.Summary.Warnings++
	}
}

// statusSince returns the status of each violation in the list all: new or existing. The map left has the number of
// earlier violations with each fingerprint (see graph.Counts). statusSince changes this map. If the earlier graph has n
// violations with a fingerprint, then at most n present violations with that fingerprint are existing, and the others
// are new. If there are more than n, statusSince chooses the existing ones in this order: violations in unchanged
// files, in files that already had such violations, in other changed files, and in added files.
func statusSince(all []graph.Violation, left map[string]int, g, earlier *architecture) []string {
	old, now := digests(earlier.sources), digests(g.sources)
	list := make([]string, len(all))
	for _, counts := range []func(v graph.Violation) bool{
		func(v graph.Violation) bool { return old[v.File] == now[v.File] },
		func(v graph.Violation) bool { return left[v.InFile()] > 0 },
		func(v graph.Violation) bool { return old[v.File] != "" },
		func(graph.Violation) bool { return true },
	} {
		for i, v := range all {
			if list[i] == "" && left[v.Fingerprint] > 0 && counts(v) {
				left[v.Fingerprint]--
				left[v.InFile()]--
				list[i] = violationIsOld
			}
		}
	}
	for i := range list {
		list[i] = cmp.Or(list[i], violationIsNew)
	}
	return list
}

// lacks returns a function that reports whether the graph lacks an edge: it has no edge with the same ends and kind.
func (g *architecture) lacks() func(graph.Edge) bool {
	type key struct{ src, dst, kind string }
	have := make(map[key]bool, len(g.Edges))
	for _, e := range g.Edges {
		have[key{e.Src, e.Dst, e.Kind}] = true
	}
	return func(e graph.Edge) bool { return !have[key{e.Src, e.Dst, e.Kind}] }
}

// unlisted returns a note for each rule with violations that the list leaves out. The violations that are left out may
// be new.
func unlisted(all []graph.Violation) (notes []string) {
	for _, v := range all {
		if v.More > 0 {
			notes = append(notes, fmt.Sprintf("%d more violations of %s are not listed, and which of them are new is not known",
				v.More, v.Rule))
		}
	}
	return notes
}

// digests returns the digests of the files of a set, by path.
func digests(set facts.Set) map[string]string {
	of := map[string]string{}
	if set != nil {
		for _, f := range set.Files() {
			of[f.Path] = f.Digest
		}
	}
	return of
}

// before returns the earlier graph with which violations are compared. On a branch, this is the graph of the commit
// at which the branch began. On the default branch, it is the graph of the previous commit, or of the checked-out
// commit if there are uncommitted changes. If there is no earlier graph, before returns nil and the reason.
func (g *architecture) before(ctx context.Context) (*architecture, string) {
	a, commit := g.asker, g.found.Commit
	left, why := g.branchPoint(ctx, commit)
	if left == "" {
		return nil, why
	}
	from, back := DocsAt{Repo: g.library.repo, At: left}, 0
	if left == commit && !g.resolved.Dirty {
		back = 1
	}
	before, err := a.architectureBack(ctx, from, back)
	switch {
	case store.CodeOf(err) == store.NotFound && back == 1:
		return nil, fmt.Sprintf("no commit before %.12s is known", commit)
	case err != nil:
		return nil, err.Error()
	case before.sources == nil && g.sources != nil:
		return nil, fmt.Sprintf("the source files of %.12s are not known", from.At)
	}
	return before, ""
}

// branchPoint returns the commit of the default branch at which the given commit's branch began. For a commit on the
// default branch, it returns the commit itself. If blq does not know, it returns "" and the reason.
func (g *architecture) branchPoint(ctx context.Context, commit string) (base, reason string) {
	if commit == "" {
		return "", "there are no commits to compare with"
	}
	repo := g.library.repo
	if stored, ok := g.library.Facts.(branching); ok {
		left, err := stored.Base(ctx, repo, commit)
		if err != nil {
			return "", err.Error()
		}
		return left, ""
	}
	if g.asker.Ancestry == nil {
		return "", "there are no commits to compare with"
	}
	branch, err := g.asker.Ancestry.DefaultBranch(ctx, repo)
	if err != nil || branch == "" {
		return "", "the default branch is not known"
	}
	commits, err := g.asker.Ancestry.Ancestors(ctx, repo, commit, branch, 1)
	if err != nil || len(commits) == 0 {
		return "", "where " + branch + " was left is not known; in a shallow clone: git fetch --unshallow"
	}
	return commits[0], ""
}

// branching is implemented by sources of facts that know where branches began. Base returns the commit of the default
// branch at which the branch of a commit began.
type branching interface {
	Base(ctx context.Context, repo, commit string) (string, error)
}
