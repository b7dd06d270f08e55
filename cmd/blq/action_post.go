package main

import (
	"github.com/spf13/cobra"
)

func newActionPost(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "post",
		Short: "Send what the job's steps have not sent",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			job := a.job()
			job.Post(job.ReadInputs(job.FromAction()))
			return nil
		},
	}
}
