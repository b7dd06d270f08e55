package main

import (
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/blq-ci/blq/action"
)

func newActionRun(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "run",
		Short: "Run the step of the input run, record it, and tell how it went",
		Long: `Run reads the inputs of the action from the environment: BLQ_INPUT_RUN,
BLQ_INPUT_NAME and so on from a composite action, INPUT_RUN from a container
action. It ends as the step's command does, whatever happens to the rest.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			job := a.job()
			in, wrong := job.ReadInputs(job.FromAction())
			if filepath.Base(os.Args[0]) == postProgram {
				job.Post(in, wrong)
				return nil
			}
			return a.endStep(job.Run(in, action.ScriptStep(in), wrong))
		},
	}
}

// postProgram is the name under which the image starts blq for the post step of a container action. The post step gets
// the same arguments as the step itself, and must not run the step again. blq tells the two apart by this name.
const postProgram = "blq-post"
