package main

import (
	"github.com/spf13/cobra"

	"github.com/blq-ci/blq/action/report"
)

func newActionReport(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "report",
		Short: "Tell of all jobs of the workflow run together, in a comment and the summary",
		Long: `Report asks the server about all runs at the commit of this workflow run, or
reads those that jobs left as artifacts. It writes one comment on the pull
request, the job's summary and outputs. In a workflow that is started by
workflow_run it does so for the one that has ended, also for a fork's.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			job := a.job()
			in, wrong := report.ReadInputs(job.FromAction(), a.getenv)
			if code := report.Run(c.Context(), job, in, wrong); code != 0 {
				return exit{code}
			}
			return nil
		},
	}
}
