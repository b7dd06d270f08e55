package query

import (
	"context"
	"math"
	"slices"
	"strings"

	"github.com/blq-ci/blq/facts/graph"
	"github.com/blq-ci/blq/store"
)

// GetStatusParams say whose graph is meant.
type GetStatusParams struct{ DocsAt }

// GraphStatus counts what a graph is made of.
type GraphStatus struct {
	Nodes       int     `json:"nodes_count" jsonschema:"nodes"`
	Edges       int     `json:"edges_count" jsonschema:"edges"`
	Docs        int     `json:"docs_count" jsonschema:"documents of nodes"`
	Chunks      int     `json:"chunks_count" jsonschema:"sections of them"`
	Symbols     int     `json:"symbols_count" jsonschema:"symbols of source files"`
	Stale       int     `json:"stale_count" jsonschema:"stale documents"`
	DocCoverage int     `json:"doc_coverage" jsonschema:"nodes with a document"`
	CoveragePct float64 `json:"doc_coverage_pct" jsonschema:"of all nodes"`
	Rules       int     `json:"rules_count" jsonschema:"rules"`
	LastReindex string  `json:"last_reindex" jsonschema:"UTC"`
	Version     string  `json:"beadloom_version" jsonschema:"of these answers"`
	Warning     string  `json:"warning,omitempty" jsonschema:"what is missing" schema:"unlisted"`
	Resolved
}

// graphVersion is the version of the answers about graphs.
const graphVersion = "2"

// GetGraphStatus counts what the graph is made of.
func (a *Asker) GetGraphStatus(ctx context.Context, p GetStatusParams) (GraphStatus, error) {
	g, err := a.architecture(ctx, p.DocsAt)
	if err != nil {
		return GraphStatus{}, err
	}
	s := GraphStatus{Nodes: len(g.Nodes), Edges: len(g.Edges), Rules: len(g.Rules), LastReindex: g.reindexed(),
		Version: graphVersion, CoveragePct: 100}
	for _, f := range g.Index.Files() {
		s.Symbols += len(f.Symbols)
	}
	seen := map[string]bool{}
	for i := range g.Nodes {
		documents := g.Documents(&g.Nodes[i])
		if len(documents) > 0 {
			s.DocCoverage++
		}
		for _, d := range documents {
			seen[d.Path] = true
		}
	}
	s.Docs = len(seen)
	if s.Nodes > 0 {
		s.CoveragePct = math.Round(float64(s.DocCoverage)/float64(s.Nodes)*1000) / 10
	}
	if _, s.Chunks, err = g.Chunks(ctx, g.Nodes, 0); err != nil {
		return s, err
	}
	stale, err := g.stale(ctx, nil)
	s.Stale = len(stale)
	s.Warning, s.Resolved = g.warning(), g.resolved
	return s, err
}

// LintParams select violations.
type LintParams struct {
	Severity string `json:"severity,omitempty" jsonschema:"all, error or warn" default:"\"all\"" enum:"all,error,warn"`
	DocsAt
}

// LintAnswer is where the architecture does not keep its rules.
type LintAnswer struct {
	Violations []graph.Violation `json:"violations" jsonschema:"rule, severity, rule_type, file_path, line_number, from_ref_id, to_ref_id, message" schema:"open"`
	Summary    LintSummary       `json:"summary" jsonschema:"errors, warnings, rules_evaluated" schema:"open"`
	Problems   []graph.Problem   `json:"problems,omitempty" jsonschema:"mistakes in the YAML: file, line, message" schema:"open"`
	Warning    string            `json:"warning,omitempty" jsonschema:"what is missing" schema:"unlisted"`
	Resolved
}

// LintSummary counts violations.
type LintSummary struct {
	Errors   int `json:"errors" jsonschema:"with severity error"`
	Warnings int `json:"warnings" jsonschema:"with severity warn"`
	Rules    int `json:"rules_evaluated" jsonschema:"rules"`
}

// Lint checks the rules of the architecture. Invalid: there is no such severity.
func (a *Asker) Lint(ctx context.Context, p LintParams) (LintAnswer, error) {
	answer := LintAnswer{Violations: []graph.Violation{}}
	if !slices.Contains([]string{"", "all", "error", "warn"}, p.Severity) {
		return answer, store.Errorf(store.Invalid, "severity is %.40q, and has to be all, error or warn", p.Severity)
	}
	g, err := a.architecture(ctx, p.DocsAt)
	if err != nil {
		return answer, err
	}
	answer.Summary.Rules = len(g.Rules)
	for _, v := range g.Violations() {
		if p.Severity != "" && p.Severity != "all" && v.Severity != p.Severity {
			continue
		}
		answer.Violations = append(answer.Violations, cleanViolation(v))
		if v.Severity == "error" {
			answer.Summary.Errors++
		} else {
			answer.Summary.Warnings++
		}
	}
	answer.Problems, answer.Resolved, answer.Warning = g.problems(), g.resolved, strings.Join(g.notes, "; ")
	return answer, nil
}
