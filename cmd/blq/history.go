package main

import (
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/questions"
	"github.com/blq-ci/blq/store"
)

func newHistory(a *app) *cobra.Command {
	p := query.HistoryParams{}
	var state string
	c := &cobra.Command{
		Use:   "history [SOURCE]",
		Short: questions.History.About,
		Example: `  blq history
  blq history test --limit 5
  blq history --branch main
  blq history --status orphaned`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				p.Source = args[0]
			}
			p.State = store.State(state)
			return reply(c, a, questions.History, p, a.history)
		},
	}
	placeFlags(c, &p.At)
	limitFlag(c, &p.Limit, 20, "runs")
	c.Flags().StringVar(&state, "status", "", "`STATE`: running, completed or orphaned")
	c.Flags().StringVar(&p.Source, "source", "", "of this `SOURCE`")
	jsonFlags[query.History](c, a, "print JSON")
	return c
}

func (a *app) history(h query.History) error {
	rows := make([][]string, 0, len(h.Runs))
	repos := several(h.Runs, func(r query.RunFacts) string { return r.Repo })
	for _, r := range h.Runs {
		took := ""
		if r.Seconds > 0 {
			took = short(time.Duration(r.Seconds * float64(time.Second)))
		}
		rows = append(rows, []string{runRef(repos, r.Repo, r.Source, r.RunID), a.style.status(r.Status),
			count(r.Errors, "error"), count(r.Warnings, "warning"),
			took, firstLine(r.Commit, 9), r.Branch, since(r.Started)})
	}
	if len(rows) == 0 {
		fmt.Fprintln(a.stderr, "no runs")
	}
	return a.style.table(a.stdout, []string{"RUN", "STATUS", "ERRORS", "WARNINGS", "TOOK", "COMMIT", "BRANCH", "STARTED"},
		rows)
}

// several reports whether rows are of more than one repository.
func several[R any](rows []R, repo func(R) string) bool {
	return slices.ContainsFunc(rows, func(r R) bool { return repo(r) != repo(rows[0]) })
}

// runRef is a run's reference in a row, with its repository if the rows have several.
func runRef(several bool, repo, source string, serial int) string {
	r := store.Ref{Source: source, Serial: serial}
	if several {
		r.Repo = repo
	}
	return r.String()
}

func since(stamp string) string {
	t, err := time.Parse(time.RFC3339, stamp)
	if err != nil {
		return stamp
	}
	return ago(t, time.Now())
}
