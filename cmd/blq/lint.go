package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/blq-ci/blq/facts/graph"
	"github.com/blq-ci/blq/store"
)

// lintAnswer is the answer of lint.
type lintAnswer struct {
	Violations []graph.Violation `json:"violations"`
	Summary    lintSummary       `json:"summary"`
	Problems   []graph.Problem   `json:"problems,omitempty"` // of the YAML
}

type lintSummary struct {
	Errors   int `json:"errors"`
	Warnings int `json:"warnings"`
	Rules    int `json:"rules_evaluated"`
}

func newLint(a *app) *cobra.Command {
	var f factsFlags
	severity, recorded := "all", false
	c := &cobra.Command{
		Use:   "lint",
		Short: "Check the rules of the architecture",
		Long: `Checks the rules in .beadloom/_graph/rules.yml. It exits with 1 if a rule is broken
whose severity is error, or if a rule cannot be read.`,
		Example: `  blq lint
  blq lint --severity error --at main
  blq lint --json
  blq lint --record                  # as runs: what is new, history, comments`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if severity != "all" && severity != "error" && severity != "warn" {
				return usage{fmt.Errorf("--severity is %q, and has to be all, error or warn", severity)}
			}
			if recorded && f.at != "" {
				return usage{errors.New("--record is for the work tree; leave out --at")}
			}
			g, err := a.graph(c.Context(), f)
			if err != nil {
				return err
			}
			broken := false
			if recorded {
				if broken, err = a.recordFindings(c.Context(), g.from, g.index); err != nil {
					return err
				}
			}
			if len(g.rules) == 0 && len(g.Problems) == 0 && !recorded {
				return store.Hint(store.Errorf(store.NotFound, "there are no rules in %s", graph.RulesFile),
					"docs/graph.md says how rules are written")
			}
			return a.lint(g, severity, broken)
		},
	}
	f.add(c)
	c.Flags().StringVar(&severity, "severity", severity, "show only `SEVERITY`: all, error or warn")
	c.Flags().BoolVar(&recorded, "record", false, "record violations and stale documents as runs arch-lint and docs-sync")
	jsonFlags[lintAnswer](c, a, "print JSON")
	return c
}

// lint shows violations. It fails if there are errors, or with broken.
func (a *app) lint(g loaded, severity string, broken bool) error {
	answer := lintAnswer{Violations: []graph.Violation{}, Summary: lintSummary{Rules: len(g.rules)}, Problems: g.Problems}
	failed := broken || len(g.Problems) > 0
	for _, v := range graph.Lint(g.Graph, g.index, g.rules, g.documents) {
		failed = failed || v.Severity == "error"
		if severity != "all" && v.Severity != severity {
			continue
		}
		if answer.Violations = append(answer.Violations, v); v.Severity == "error" {
			answer.Summary.Errors++
		} else {
			answer.Summary.Warnings++
		}
	}
	if a.form.json {
		if err := a.json(answer); err != nil {
			return err
		}
	} else {
		a.showViolations(answer)
	}
	if failed {
		return exit{1}
	}
	return nil
}

func (a *app) showViolations(answer lintAnswer) {
	a.graphProblems(answer.Problems)
	for _, v := range answer.Violations {
		word := a.style.paint(red, "error")
		if v.Severity == "warn" {
			word = a.style.paint(yellow, "warning")
		}
		place := ""
		if v.File != "" {
			place = fmt.Sprintf("%s:%d: ", firstLine(v.File, reportWidth), v.Line)
		}
		fmt.Fprintf(a.stdout, "%s%s: %s [%s]\n", place, word, firstLine(v.Message, reportWidth),
			firstLine(v.Rule, reportWidth))
	}
	fmt.Fprintf(a.stdout, "%s, %s; %s\n", count(answer.Summary.Errors, "error"), count(answer.Summary.Warnings, "warning"),
		count(answer.Summary.Rules, "rule"))
}
