package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/blq-ci/blq/internal/nearest"
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
  blq history --status fail --since 7d`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				p.Source = args[0]
			}
			if err := ofStatus(&p, state); err != nil {
				return err
			}
			return reply(c, a, questions.History, p, a.history)
		},
	}
	placeFlags(c, &p.At)
	sinceFlag(c, &p.Since)
	limitFlag(c, &p.Limit, 20, "runs")
	c.Flags().StringVar(&state, "status",
		"", "runs of this `STATUS`: ok, fail, timeout, cancelled, running, orphaned, or completed for all that ended")
	c.Flags().StringVar(&p.Source, "source", "", "of this `SOURCE`")
	jsonFlags(c, a, query.History{}, "print JSON")
	return c
}

// statuses are the values of --status.
var statuses = []string{"ok", "fail", "timeout", "cancelled", "running", "orphaned", "completed"}

// ofStatus selects the runs with a status. The value completed selects all completed runs: those with the status ok,
// fail, timeout or cancelled.
func ofStatus(p *query.HistoryParams, word string) error {
	word = strings.ToLower(word)
	switch status := store.Status(strings.ToUpper(word)); status {
	case store.StatusOK, store.StatusFail, store.StatusTimeout, store.StatusCancelled:
		p.Status = status
		return nil
	}
	p.State = store.State(word)
	switch p.State {
	case "", store.StateRunning, store.StateCompleted, store.StateOrphaned:
		return nil
	}
	meant := nearest.Meant(word, statuses)
	return store.Next(store.Errorf(store.Invalid, "no status %q%s", word, meant),
		store.Shell{Line: "blq history --status completed", Why: "or ok, fail, timeout, cancelled, running, orphaned"})
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
			took, r.Commit[:min(len(r.Commit), shortCommit)], r.Branch, since(r.Started), firstLine(r.Command, historyCommand)})
	}
	if len(rows) == 0 {
		fmt.Fprintln(a.stderr, "no runs")
	}
	a.noteLeftOut(h)
	return a.style.table(
		a.stdout, []string{"RUN", "STATUS", "ERRORS", "WARNINGS", "TOOK", "COMMIT", "BRANCH", "STARTED", "COMMAND"},
		rows)
}

// shortCommit is the number of digits of a commit that are shown. They are enough to identify the commit.
const shortCommit = 9

// historyCommand is the max width of a command in a row.
const historyCommand = 60

// several reports whether rows come from more than one repository.
func several[R any](rows []R, repo func(R) string) bool {
	return slices.ContainsFunc(rows, func(r R) bool { return repo(r) != repo(rows[0]) })
}

// runRef returns the reference of a run for a row of a table. If several is true, the reference includes the
// repository.
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
