package main

import (
	"github.com/spf13/cobra"
)

func newActionSetup(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "setup",
		Short: "Keep the inputs for the steps whose shell is blq",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			job := a.job()
			look := job.FromAction()
			_, wrong := job.ReadInputs(look)
			job.Warn(wrong)
			if err := job.Setup(look); err != nil {
				job.Warn([]string{"the inputs of setup are not kept: " + err.Error()})
			}
			return nil
		},
	}
}
