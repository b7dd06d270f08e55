package main

import (
	"github.com/spf13/cobra"

	"github.com/blq-ci/blq/action"
	"github.com/blq-ci/blq/internal/record"
)

func newAction(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:    "action COMMAND",
		Short:  "Work in a job of GitHub Actions: what action.yml calls",
		Hidden: true,
		Args:   noSuchCommand,
		RunE:   help,
	}
	c.AddCommand(newActionRun(a), newActionSetup(a), newActionPost(a), newActionReport(a))
	return c
}

// job returns the GitHub Actions job in which this process runs.
func (a *app) job() *action.Job {
	return &action.Job{Getenv: a.getenv, Notes: a.stderr, Version: version}
}

// endStep ends this process in the same way as the step ended.
func (a *app) endStep(e action.Ended) error {
	if e.Own {
		return exit{e.Code}
	}
	return a.ended(record.Recorded{Result: e.Result}, nil)
}
