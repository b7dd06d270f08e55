// Package findings checks the rules of the architecture and the documents of its nodes, in a work tree or at a commit.
// It records the findings as the runs arch-lint and docs-sync. The package may import facts, facts/code, facts/graph,
// facts/worktree, internal/ci, internal/project, internal/record, query and store.
package findings

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/blq-ci/blq/facts"
	"github.com/blq-ci/blq/facts/code"
	"github.com/blq-ci/blq/facts/graph"
	"github.com/blq-ci/blq/facts/worktree"
	"github.com/blq-ci/blq/internal/ci"
	"github.com/blq-ci/blq/internal/record"
	"github.com/blq-ci/blq/store"
)

// Check is the input of the checks.
type Check struct {
	Source *worktree.Source
	At     string // name of a commit, "" for the work tree
	// Base is the commit with which rules, documents and files are compared, "" for none.
	Base string
	// Before is an index of an earlier state of the sources; it may be nil.
	Before *code.Index
	// Attested returns the attestations of stale pairs. It may be nil. If it returns an error, the check only warns
	// about these pairs.
	Attested func(ctx context.Context, stale []graph.Pair) (graph.Attested, error)
}

// Report has the results of all checks. A result is nil if its check was not made, for example because there is nothing
// to check.
type Report struct {
	Lint, Sync *Result
	Warning    string // why the documents cannot be checked completely, "" if they can
}

// Result is the result of one check.
type Result struct {
	Name     string // name of its runs
	Command  string
	Findings []record.Finding
	Errors   int
	Warnings int
	Of       string // the checked things, such as 7 rules
	// Partial is set if the check failed, or if the rules were checked without a base commit. A check with the whole
	// history may find more.
	Partial bool
}

// Run runs the checks. A file that cannot be read makes the check fail, and the result says so.
func (c Check) Run(ctx context.Context) (Report, error) {
	s := state{Check: c, before: &graph.Graph{}}
	declared, err := c.find(ctx, store.FactGraph)
	if err != nil {
		return Report{}, err
	}
	if err := s.base(ctx); err != nil {
		return Report{}, err
	}
	if len(declared.Files()) == 0 && len(s.rulesBefore) == 0 && len(s.before.DocPaths()) == 0 {
		return Report{}, nil
	}
	if err := s.load(ctx, declared); err != nil {
		if ctx.Err() != nil {
			return Report{}, ctx.Err()
		}
		return Report{Lint: failed(graph.LintRun, "blq lint", err)}, nil
	}
	report := Report{Lint: s.lint(ctx)}
	report.Sync, report.Warning, err = s.sync(ctx)
	if err != nil && ctx.Err() == nil {
		report.Sync, err = failed(graph.SyncRun, "blq graph sync", err), nil
	}
	return report, err
}

// find returns the facts of a kind at the commit or work tree in c.At.
func (c Check) find(ctx context.Context, kind store.FactKind) (facts.Found, error) {
	return c.Source.At(ctx, facts.Query{At: c.At, Kind: kind})
}

// Declares reports whether any of a graph's files declares nodes or rules.
func Declares(files []facts.File) bool {
	return slices.ContainsFunc(files, func(f facts.File) bool { return strings.HasPrefix(f.Path, graph.Folder) })
}

// state is the input that was read for the checks.
type state struct {
	Check
	graph         *graph.Graph
	rules         []graph.Rule
	index         *code.Index
	sources, docs facts.Found
	documents     *graph.Documents
	declared      facts.Found
	before        *graph.Graph // graph at the base, without its sources
	rulesBefore   []graph.Rule
	declaredThen  facts.Found // files of the graph at the base
}

// base reads the nodes, edges and rules that the base commit declares.
func (s *state) base(ctx context.Context) error {
	if s.Base == "" {
		return nil
	}
	declared, err := s.Source.AtCommit(ctx, s.Base, store.FactGraph)
	if err == nil {
		s.before, s.rulesBefore, err = graph.Load(ctx, declared, &code.Index{})
	}
	if err != nil && ctx.Err() == nil {
		// The base cannot be read, for example because the clone is shallow or partial.
		s.before, s.rulesBefore, declared, err = &graph.Graph{}, nil, facts.Found{}, nil
	}
	s.declaredThen = declared
	return err
}

func (s *state) load(ctx context.Context, declared facts.Found) error {
	var err error
	s.declared = declared
	if s.sources, err = s.find(ctx, store.FactCode); err != nil {
		return err
	}
	if s.index, err = code.Build(ctx, s.sources, s.Before); err != nil {
		return err
	}
	if s.graph, s.rules, err = graph.Load(ctx, declared, s.index); err != nil {
		return err
	}
	if s.docs, err = s.find(ctx, store.FactDocs); err != nil {
		return err
	}
	s.documents, err = graph.ReadDocuments(ctx, s.graph, s.docs)
	return err
}

// lint checks the rules. It returns nil if there are none.
func (s *state) lint(ctx context.Context) *Result {
	removed := graph.RemovedRules(s.graph, s.index, s.documents, s.rules, s.rulesBefore)
	if len(s.rules)+len(s.graph.Problems)+len(removed) == 0 {
		return nil
	}
	r := &Result{Name: graph.LintRun, Command: "blq lint", Of: plural(len(s.rules), "rule"), Partial: s.Base == ""}
	for _, p := range s.graph.Problems {
		r.add(p.Event(), "")
	}
	for _, old := range removed {
		r.add(old.Event(), "")
		for _, v := range old.Violations {
			r.add(v.Event(), v.Reason())
		}
	}
	rank := s.ranks(ctx)
	for _, v := range graph.Lint(s.graph, s.index, s.rules, s.documents) {
		if rank != nil && rank(v.File) == unchanged { // a new cycle is reported in the file whose change closes it
			v = v.AtEdge(func(e graph.Edge) bool { return rank(e.File) != unchanged })
		}
		r.add(v.Event(), v.Reason())
	}
	oldFirst(r.Findings, rank)
	s.markOlder(ctx, r.Findings)
	return r
}

// sync compares documents with code. It returns nil if no node names documents, now or at the base commit. It also
// returns nil if the repository lacks the history of the documents. If the documents cannot be checked completely,
// warning is the reason. Otherwise warning is "".
func (s *state) sync(ctx context.Context) (r *Result, warning string, err error) {
	r = &Result{Name: graph.SyncRun, Command: "blq graph sync"}
	named := s.graph.DocPaths()
	if len(named) == 0 {
		if len(s.before.DocPaths()) == 0 {
			return nil, "", nil
		}
		r.add(store.Event{Severity: store.SeverityWarning, File: graph.Folder, Tool: graph.SyncRun,
			Category: store.CategoryLint, Code: "removed", Message: "nodes named documents before, and name none now"}, "")
		return r, "", nil
	}
	past, err := s.Source.Past(ctx, s.sources, s.docs, named)
	if err != nil {
		return nil, "", err
	}
	synced, err := graph.Sync{Graph: s.graph, Index: s.index, Documents: s.documents, Past: past}.Check(ctx)
	if err != nil {
		return nil, "", err
	}
	if n := len(synced.Unknown); n > 0 {
		return nil, fmt.Sprintf("docs-sync is not recorded: the history of %s such as %s is not here; fetch it, in a job "+
			"with fetch-depth: 0", plural(n, "document"), synced.Unknown[0]), nil
	}
	r.Of = plural(len(synced.Pairs), "pair")
	return r, s.stale(ctx, r, synced.Pairs), nil
}

// stale adds the stale pairs without an attestation. If the attestations are unknown, the pairs become warnings, and
// the returned text says why. So the check does not fail only because a server does not answer.
func (s *state) stale(ctx context.Context, r *Result, pairs []graph.Pair) (warning string) {
	stale := slices.DeleteFunc(pairs, func(p graph.Pair) bool { return p.Status == graph.OK })
	var said graph.Attested
	var unknown error
	if len(stale) > 0 && s.Attested != nil {
		said, unknown = s.Attested(ctx, stale)
	}
	attested := 0
	for _, p := range stale {
		if p = said.Accept(p); p.Status == graph.OK {
			attested++
			continue
		}
		e, details := p.Event(), p.Details
		if unknown != nil {
			e.Severity = store.SeverityWarning
			details = strings.TrimPrefix(details+"; unless somebody attested it", "; ")
		}
		r.add(e, details)
	}
	if attested > 0 {
		r.Of += fmt.Sprintf(", %d of them only because somebody attested that they fit", attested)
	}
	if unknown == nil {
		return ""
	}
	return fmt.Sprintf("whether somebody attested %s is not known, so docs-sync only warns: %v",
		plural(len(stale), "stale pair"), unknown)
}

// failed returns the result of a check that could not be made. The result must not look like a passed check.
func failed(name, command string, err error) *Result {
	r := &Result{Name: name, Command: command, Of: "nothing", Partial: true}
	r.add(store.Event{Severity: store.SeverityError, Tool: name, Category: store.CategoryLint, Code: "failed",
		Message: Failure + err.Error()}, "")
	return r
}

// Failed reports whether the check failed to run.
func (r *Result) Failed() bool { return len(r.Findings) == 1 && r.Findings[0].Code == "failed" }

// Failure is the beginning of the message of a check that could not be made.
const Failure = "the check could not be made: "

// add adds a finding. If its message ends with store.OlderThanRule, add appends a full stop, because only markOlder
// may mark findings in this way.
func (r *Result) add(e store.Event, details string) {
	if strings.HasSuffix(e.Message, store.OlderThanRule) {
		e.Message += "."
	}
	if e.Severity == store.SeverityError {
		r.Errors++
	} else {
		r.Warnings++
	}
	place := ""
	if e.File != "" {
		if place = e.File + ": "; e.Line > 0 {
			place = fmt.Sprintf("%s:%d: ", e.File, e.Line)
		}
	}
	line := fmt.Sprintf("%s%s: %s [%s]", place, e.Severity, e.Message, e.Code)
	if details != "" {
		line += " " + details
	}
	line = strings.Join(strings.FieldsFunc(line, func(c rune) bool { return c == '\n' || c == '\r' }), " ")
	r.Findings = append(r.Findings, record.Finding{Event: e, Line: line})
}

// summary returns the number of findings as text.
func (r *Result) summary() string {
	return fmt.Sprintf("%s, %s; %s", plural(r.Errors, "error"), plural(r.Warnings, "warning"), r.Of)
}

// plural returns a number and a noun, in the plural if necessary.
func plural(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

// BaseOf returns the commit with which a commit should be compared. The base is the newest commit that the commit
// shares with the branch. For a commit on the branch itself, the base is the commit before that commit. An empty
// branch means the default branch. BaseOf also returns the branch of the base. The error is NotFound if the history
// does not show the base.
func BaseOf(ctx context.Context, root, commit, branch string) (base, of string, err error) {
	of = cmp.Or(branch, ci.DefaultBranch(ctx, root))
	if of == "" || commit == "" {
		return "", "", store.Errorf(store.NotFound, "the branch that others are merged into is not known")
	}
	commits, err := ci.Ancestors(ctx, root, commit, of, 2)
	if err != nil {
		return "", "", err
	}
	if commits[0] != commit {
		return commits[0], of, nil
	}
	if len(commits) < 2 {
		return "", "", store.Errorf(store.NotFound, "%.12s has no commit before it", commit)
	}
	return commits[1], of, nil
}
