package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/questions"
	"github.com/blq-ci/blq/store"
)

func newCICheck(a *app) *cobra.Command {
	var p query.CheckParams
	c := &cobra.Command{
		Use:   "check [RUN]",
		Short: questions.Check.About,
		Long: `Check exits with 0 or 1. Without RUN it looks at the newest run of each source
(and matrix leg) at the commit of the newest run, and at steps that failed before
on its branch and have not run since; one that fails is enough. --branch and --pr
look at the newest commit of a branch or pull request, --commit at that commit.

  --fail-on errors       fails if there is any error (this is the default)
  --fail-on new-errors   fails if there is an error that the baseline does not
                         have, that is not flaky, and that the base branch does
                         not have by now; blq diff -h says what the baseline is

A run also fails either check if its command failed and no error explains that,
or if it did not end by itself: it is running, timed out, was cancelled or
killed. Where there is no baseline nothing is called new; then a failed command
fails new-errors too, since nothing shows that its errors were there before.`,
		Example: `  blq ci check                                        # any error fails
  blq ci check test --fail-on new-errors              # what main has is forgiven
  blq ci check --fail-on new-errors --baseline main   # or a commit, or a run
  blq ci check --json`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				p.Run = args[0]
			}
			by, err := a.asked(c.Context())
			if err != nil {
				return err
			}
			answer, err := questions.Check.Ask(c.Context(), by, p)
			if err != nil {
				return err
			}
			show := a.check
			if a.form.json {
				show = func(answer query.Check) error { return a.json(answer) }
			}
			if err := show(answer); err != nil || answer.Passed {
				return err
			}
			return exit{1}
		},
	}
	c.Flags().StringVar(&p.Baseline, "baseline", "", "compare with this `RUN`, branch or commit")
	c.Flags().StringVar((*string)(&p.FailOn), "fail-on", string(query.FailOnErrors), "`WHAT` fails: errors or new-errors")
	placeFlags(c, &p.At)
	jsonFlags(c, a, query.Check{}, "print JSON")
	return c
}

// checkErrors is the max number of errors that a check shows for each run.
const checkErrors = 20

func (a *app) check(answer query.Check) error {
	s := a.style
	var b strings.Builder
	for _, r := range answer.Runs {
		word := s.paint(green, "pass")
		if !r.Passed {
			word = s.paint(red, "fail")
		}
		fmt.Fprintf(&b, "%s: %s %s: %s\n", word, r.RunRef, s.status(r.Status), r.Reason)
		if r.Passed {
			continue
		}
		for _, e := range r.Events[:min(len(r.Events), checkErrors)] {
			fmt.Fprintln(&b, "  "+a.eventLine(s, e))
		}
		if more := len(r.Events) - checkErrors; more > 0 {
			fmt.Fprintf(&b, "  … %d more: %s\n", more, a.stepText(store.NewCall("errors", "", "ref", r.RunRef, "limit", 0)))
		}
		for _, o := range r.Truncated {
			fmt.Fprintf(&b, "  … besides %s\n", o.What)
		}
		if len(r.Events) == 0 {
			fmt.Fprintf(&b, "  %s\n", a.stepText(store.NewCall("output", "", "ref", r.RunRef, "tail", 50)))
		}
	}
	for _, o := range answer.Retired {
		fmt.Fprintln(&b, a.retired(o))
	}
	_, err := fmt.Fprint(a.stdout, b.String())
	return err
}
