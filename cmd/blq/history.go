package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/blq-ci/blq/ask"
	"github.com/blq-ci/blq/store"
)

func newStatus(a *app) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:     "status",
		Short:   "Show how the newest run of each source went",
		Example: `  blq status`,
		RunE: func(c *cobra.Command, _ []string) error {
			return reply(c, a, asJSON, func(ctx context.Context, q *ask.Asker) (ask.Status, error) { return q.Status(ctx) }, a.status)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

func (a *app) status(answer ask.Status) error {
	rows := make([][]string, 0, len(answer.Sources))
	for _, s := range answer.Sources {
		rows = append(rows, []string{s.Name, a.style.status(s.Status), count(s.Errors, "error"), count(s.Warnings, "warning"),
			fmt.Sprintf("%s:%d", s.Name, s.RunID), since(s.LastRun)})
	}
	if len(rows) == 0 {
		fmt.Fprintln(a.stderr, "no runs yet; record one: blq run -- make")
	}
	return a.style.table(a.stdout, []string{"SOURCE", "STATUS", "ERRORS", "WARNINGS", "RUN", "STARTED"}, rows)
}

func newHistory(a *app) *cobra.Command {
	p := ask.HistoryParams{}
	var state string
	var asJSON bool
	c := &cobra.Command{
		Use:   "history [SOURCE]",
		Short: "List past runs, newest first",
		Example: `  blq history
  blq history test --limit 5
  blq history --status orphaned`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				p.Source = args[0]
			}
			p.State = store.State(state)
			return reply(c, a, asJSON, func(ctx context.Context, q *ask.Asker) (ask.History, error) { return q.History(ctx, p) }, a.history)
		},
	}
	limitFlag(c, &p.Limit, 20, "runs")
	c.Flags().StringVar(&state, "status", "", "`STATE`: running, completed or orphaned")
	c.Flags().StringVar(&p.Source, "source", "", "of this `SOURCE`")
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

func (a *app) history(h ask.History) error {
	rows := make([][]string, 0, len(h.Runs))
	for _, r := range h.Runs {
		took := ""
		if r.Seconds > 0 {
			took = short(time.Duration(r.Seconds * float64(time.Second)))
		}
		rows = append(rows, []string{fmt.Sprintf("%s:%d", r.Source, r.RunID), a.style.status(r.Status), count(r.Errors, "error"), count(r.Warnings, "warning"),
			took, firstLine(r.Commit, 9), r.Branch, since(r.Started)})
	}
	if len(rows) == 0 {
		fmt.Fprintln(a.stderr, "no runs")
	}
	return a.style.table(a.stdout, []string{"RUN", "STATUS", "ERRORS", "WARNINGS", "TOOK", "COMMIT", "BRANCH", "STARTED"}, rows)
}

func since(stamp string) string {
	t, err := time.Parse(time.RFC3339, stamp)
	if err != nil {
		return stamp
	}
	return ago(t, time.Now())
}

func newDiff(a *app) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "diff [RUN1 [RUN2]]",
		Short: "Compare the errors of two runs: what is new, what is fixed",
		Long: `Diff compares two runs, the earlier one first. With one run it is compared with
the run of the same source before it; with none, so is the newest run.`,
		Example: `  blq diff                   # the newest run with the one before
  blq diff build:5           # build:5 with the one before
  blq diff build:4 build:5`,
		Args: cobra.MaximumNArgs(2),
		RunE: func(c *cobra.Command, args []string) error {
			ctx := c.Context()
			w, err := a.open(ctx)
			if err != nil {
				return err
			}
			run1, run2, err := a.pair(c, w, args)
			if err != nil {
				return err
			}
			answer, err := w.ask.Diff(ctx, run1.String(), run2.String())
			if err != nil {
				return err
			}
			if asJSON {
				return a.json(answer)
			}
			return a.diff(run1, run2, answer)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

// pair finds the two runs to compare.
func (a *app) pair(c *cobra.Command, w *opened, args []string) (run1, run2 store.Ref, err error) {
	ctx := c.Context()
	find := func(arg string) (store.Run, error) {
		ref, err := store.ParseRef(arg)
		if err != nil {
			return store.Run{}, err
		}
		return w.Store.Run(ctx, store.Everything(), ref.Run())
	}
	head := "latest"
	if len(args) > 0 {
		head = args[len(args)-1]
	}
	second, err := find(head)
	if err != nil {
		return run1, run2, err
	}
	if len(args) == 2 {
		first, err := find(args[0])
		return first.Ref(), second.Ref(), err
	}
	first, err := a.before(ctx, second)
	if err == nil && first.Serial == 0 {
		err = store.Hint(store.Errorf(store.NotFound, "no run of %q before %s to compare with", second.Source, second.Ref()), "blq history   # lists runs; diff compares any two")
	}
	return first.Ref(), second.Ref(), err
}

func (a *app) diff(run1, run2 store.Ref, d ask.Diff) error {
	s := a.style
	var errs []error
	say := func(format string, args ...any) {
		_, err := fmt.Fprintf(a.stdout, format+"\n", args...)
		errs = append(errs, err)
	}
	say("%s → %s: %d new, %d fixed, %d unchanged", run1, run2, d.Summary.New, d.Summary.Fixed, d.Summary.Unchanged)
	for _, e := range d.New {
		say("%s %s  %s%s", s.paint(red, "+"), s.paint(cyan, e.Ref), at(e), firstLine(e.Message, reportWidth))
	}
	for _, e := range d.Fixed {
		say("%s %s%s", s.paint(green, "-"), at(e), firstLine(e.Message, reportWidth))
	}
	return errors.Join(errs...)
}

func at(e ask.DiffEvent) string {
	if e.File == "" {
		return ""
	}
	return place(e.File, e.Line, 0) + "  "
}
