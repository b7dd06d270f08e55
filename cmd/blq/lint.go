package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/blq-ci/blq/facts/graph"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

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
			broken := false
			if recorded {
				g, err := a.graph(c.Context(), f)
				if err != nil {
					return err
				}
				if broken, err = a.recordFindings(c.Context(), g.from, g.index, false); err != nil {
					return err
				}
			}
			return a.lint(c.Context(), f, severity, recorded, broken)
		},
	}
	f.add(c)
	c.Flags().StringVar(&severity, "severity", severity, "show only `SEVERITY`: all, error or warn")
	c.Flags().BoolVar(&recorded, "record", false, "record violations and stale documents as runs arch-lint and docs-sync")
	jsonFlags(c, a, query.LintAnswer{}, "print JSON")
	return c
}

// lint prints violations of the rules. The command ends with exit code 1 if a violation is an error, if the YAML has
// mistakes, or if broken is true.
func (a *app) lint(ctx context.Context, f factsFlags, severity string, recorded, broken bool) error {
	asker, err := a.architectureAsker(ctx, f)
	if err != nil {
		return err
	}
	all, err := asker.Lint(ctx, query.LintParams{DocsAt: query.DocsAt{At: f.at}})
	if err != nil {
		return err
	}
	if all.Summary.Rules == 0 && len(all.Problems) == 0 && !recorded && !a.form.json {
		return store.Hint(store.Errorf(store.NotFound, "there are no rules in %s", graph.RulesFile),
			"docs/graph.md says how rules are written")
	}
	failed := broken || len(all.Problems) > 0 || all.Summary.Errors > 0
	answer := all.Only(severity)
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

// architectureAsker returns an asker for the architecture of the current directory.
func (a *app) architectureAsker(ctx context.Context, f factsFlags) (*query.Asker, error) {
	from, _, err := a.factsSource(ctx, f)
	if err != nil {
		return nil, err
	}
	asker, err := a.factsAsker(ctx)
	if err != nil {
		return nil, err
	}
	docs := *asker.Docs
	docs.Facts = from
	asker.Docs = &docs
	return asker, nil
}

func (a *app) showViolations(answer query.LintAnswer) {
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
		status := ""
		if v.Status != "" {
			status = " (" + v.Status + ")"
		}
		fmt.Fprintf(a.stdout, "%s%s: %s [%s]%s\n", place, word, firstLine(v.Message, reportWidth),
			firstLine(v.Rule, reportWidth), status)
	}
	s := answer.Summary
	since := ""
	if answer.Since != "" && len(answer.Violations) > 0 {
		since = fmt.Sprintf("; %d new since %.12s", s.New, answer.Since)
	}
	fmt.Fprintf(a.stdout, "%s, %s; %s%s\n", count(s.Errors, "error"), count(s.Warnings, "warning"), count(s.Rules, "rule"),
		since)
	if answer.Warning != "" {
		fmt.Fprintf(a.stderr, "%s%s\n", a.notes.paint(dim, "blq: "), firstLine(answer.Warning, reportWidth*2))
	}
}
