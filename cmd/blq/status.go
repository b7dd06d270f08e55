package main

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/questions"
)

func newStatus(a *app) *cobra.Command {
	var p query.StatusParams
	c := &cobra.Command{
		Use:   "status",
		Short: questions.Status.About,
		Example: `  blq status
  blq status --branch main`,
		RunE: func(c *cobra.Command, _ []string) error {
			return reply(c, a, questions.Status, p, a.status)
		},
	}
	placeFlags(c, &p.At)
	sinceFlag(c, &p.Since)
	jsonFlags(c, a, query.Status{}, "print JSON")
	return c
}

func (a *app) status(answer query.Status) error {
	rows := make([][]string, 0, len(answer.Sources))
	repos := several(answer.Sources, func(s query.SourceStatus) string { return s.Repo })
	columns := []string{"SOURCE", "STATUS", "ERRORS", "WARNINGS", "RUN", "STARTED"}
	branches := slices.ContainsFunc(answer.Sources, func(s query.SourceStatus) bool { return s.Branch != "" })
	if branches {
		columns = append(columns, "BRANCH")
	}
	for _, s := range answer.Sources {
		row := []string{s.Name, a.style.status(s.Status), count(s.Errors, "error"), count(s.Warnings, "warning"),
			runRef(repos, s.Repo, s.Name, s.RunID), since(s.LastRun)}
		if branches {
			row = append(row, s.Branch)
		}
		rows = append(rows, row)
	}
	for _, s := range answer.Sources {
		if s.Despite != "" {
			fmt.Fprintf(a.stderr, "%s still counts: %s\n", runRef(repos, s.Repo, s.Name, s.RunID), s.Despite)
		}
		if s.LeftOut != "" {
			fmt.Fprintf(a.stderr, "%s does not count any more: %s; %s removes it\n",
				s.Name, s.LeftOut, a.fromHere("blq clean source "+s.Name+" --yes"))
		}
	}
	for _, o := range answer.Retired {
		fmt.Fprintln(a.stderr, a.retired(o))
	}
	if answer.Partial != "" {
		fmt.Fprintln(a.stderr, answer.Partial)
	}
	if len(rows) == 0 {
		fmt.Fprintln(a.stderr, "no runs yet; record one: "+a.streaming())
	}
	a.unasked(answer.Unasked)
	return a.style.table(a.stdout, columns, rows)
}
