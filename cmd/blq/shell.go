package main

import (
	"github.com/spf13/cobra"

	"github.com/blq-ci/blq/action"
)

func newShell(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "shell [flags] [SHELL] {0}\n  blq shell [flags] -- COMMAND [ARG]... {0}",
		Short: "Run the script of a GitHub Actions step and record it",
		Long: `Shell is for shell: and defaults.run.shell of a workflow: it runs a step's
script as GitHub does, records it, and tells how it went. Without SHELL that is
bash -e; SHELL is bash, sh, pwsh, powershell, python or cmd, with the flags that
GitHub gives it; after -- stands any command.

The flags are the inputs of the action, --name and --format for example. What
action/setup was told need not be said again. The run is named by --name, else
BLQ_NAME, else the step's id, else by the first program in the script.`,
		Example: `  shell: blq shell {0}
  shell: blq shell --name test bash {0}
  shell: blq shell -- nix develop -c bash -e {0}`,
		DisableFlagParsing: true,
		Args:               cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 1 && (args[0] == "-h" || args[0] == "--help") {
				return c.Help()
			}
			job := a.job()
			given := action.ShellArgs(args)
			in, wrong := job.ReadInputs(given.Over(job.FromSetup()))
			step, err := action.ShellStep(given.Words, given.Whole, a.getenv("RUNNER_TEMP"))
			if err != nil {
				return err
			}
			in.Dir, in.Name = "", job.StepName(in.Name)
			return a.endStep(job.Run(in, step, append(given.Wrong, wrong...)))
		},
	}
}
