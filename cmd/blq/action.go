package main

import (
	"os"
	"path/filepath"

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

// job is the job of GitHub Actions that we are in.
func (a *app) job() *action.Job {
	return &action.Job{Getenv: a.getenv, Notes: a.stderr, Version: version}
}

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
			forgetInputs()
			if filepath.Base(os.Args[0]) == postProgram {
				job.Post(in, wrong)
				return nil
			}
			step, more := action.ScriptStep(in)
			return a.endStep(job.Run(in, step, append(wrong, more...)))
		},
	}
}

// postProgram is another name of this program in the image. The post step of a
// container action has the arguments of its step, and must not run it again.
const postProgram = "blq-post"

// forgetInputs keeps our inputs from the step: among them is a token.
func forgetInputs() {
	for _, name := range append(action.InputVariables(), "BLQ_BIN") {
		_ = os.Unsetenv(name) // it fails for no such name
	}
}

// endStep gives our process the ending of a step.
func (a *app) endStep(e action.Ended) error {
	if e.Own {
		return exit{e.Code}
	}
	return a.ended(record.Recorded{Result: e.Result}, nil)
}

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
			step, err := action.ShellStep(given.Words, given.Whole)
			if err != nil {
				return err
			}
			in.Dir, in.Name = "", job.StepName(in.Name)
			return a.endStep(job.Run(in, step, append(given.Wrong, wrong...)))
		},
	}
}
