package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/blq-ci/blq/internal/project"
	"github.com/blq-ci/blq/internal/project/backend"
	"github.com/blq-ci/blq/internal/record"
)

func newExec(a *app) *cobra.Command {
	var f runFlags
	c := &cobra.Command{
		Use:   "exec [flags] COMMAND [ARG]...",
		Short: "Run a shell command; one that begins like a registered command runs as that",
		Long: `Exec runs a command and records it as run does. A single argument with blanks
is read by the shell. When the words begin like a registered command, it runs
as that command with further arguments, so that its runs stay together.`,
		Example: `  blq exec pytest -v tests/unit    # recorded as "test" when that is registered as: pytest -v
  blq exec 'make -j8 | tail -50'   # read by the shell`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return a.exec(c.Context(), f, args) },
	}
	c.Flags().SetInterspersed(false)
	f.add(c, a)
	return c
}

// exec runs a command line. If the line begins with the words of a registered command, and the flags give the run no
// name, the run is recorded as a run of that command.
func (a *app) exec(ctx context.Context, f runFlags, args []string) error {
	var config *project.Config
	ahead := record.LookAhead(ctx, "", f.raw)
	w, err := a.create(ctx)
	if a.unopened = err; err == nil && f.name == "" {
		config = w.Config
	}
	var job backend.Job
	if len(args) == 1 {
		job, err = backend.Shell(config, args[0], nil, a.root())
	} else {
		job, err = backend.Words(config, args, a.root())
	}
	if err != nil {
		return err
	}
	job.Ahead = ahead
	return a.runJob(ctx, f, job)
}
