package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/blq-ci/blq/internal/project"
	"github.com/blq-ci/blq/internal/project/backend"
	"github.com/blq-ci/blq/internal/runner"
	"github.com/blq-ci/blq/store"
)

func newClean(a *app) *cobra.Command {
	var days int
	var yes bool
	c := &cobra.Command{
		Use:   "clean [data|prune|schema|full] [flags]\n  blq clean source NAME [flags]",
		Short: "Remove recorded data",
		Long: `Clean removes recorded data:

  data    all runs that have ended; configuration and commands stay (the default)
  source  the runs of one source, such as a step that is not run any more
  prune   runs older than --days, or what the [retention] settings do not keep
  schema  the database is made anew; configuration stays
  full    the whole .lq folder is made anew

Serials of removed runs are not used again, except after schema and full.`,
		Example: `  blq clean prune --days 30 --yes
  blq clean source old-lint --yes
  blq clean full --yes`,
		Args:      cleanArgs,
		ValidArgs: []string{"data", "source", "prune", "schema", "full"},
		RunE: func(c *cobra.Command, args []string) error {
			mode, source := string(project.CleanData), ""
			if len(args) > 0 {
				mode = args[0]
			}
			again := []any{"mode", mode}
			if len(args) > 1 {
				source = args[1]
				again = append(again, "source", source)
			}
			if !yes {
				return usage{store.Next(errors.New("clean removes data for good, so it needs --yes"),
					store.NewCall("clean", "", append(again, "confirm", true)...))}
			}
			return a.clean(c, mode, days, source)
		},
	}
	countFlag(c, &days, "days", "", 1, "with prune: remove runs that are older")
	c.Flags().BoolVarP(&yes, "yes", "y", false, "remove it, without asking")
	jsonFlags(c, a, runner.Cleaned{}, "print JSON")
	return c
}

// cleanArgs checks that there is at most one mode. The name of a source must follow the mode "source".
func cleanArgs(c *cobra.Command, args []string) error {
	switch {
	case len(args) == 0:
		return nil
	case !slices.Contains(c.ValidArgs, args[0]):
		return usage{store.Hint(fmt.Errorf("blq clean has no mode %q", args[0]),
			"modes are %s", strings.Join(c.ValidArgs, ", "))}
	case args[0] != string(project.CleanSource):
		return cobra.MaximumNArgs(1)(c, args)
	case len(args) == 1:
		return usage{errors.New("blq clean source needs NAME")}
	case len(args) > 2:
		return usage{fmt.Errorf("blq clean source takes one NAME, and %q is left over", args[2])}
	}
	return nil
}

func (a *app) clean(c *cobra.Command, mode string, days int, source string) error {
	cwd, err := os.Getwd()
	if err != nil {
		return err
	}
	backend := backend.New(a.getenv, cwd)
	defer backend.Close()
	answer, err := backend.Clean(c.Context(), mode, days, source)
	if err != nil {
		return err
	}
	if a.form.json {
		return a.json(answer)
	}
	fmt.Fprintln(a.stdout, answer.Message)
	if r := answer.Removed; r != nil {
		fmt.Fprintf(a.stdout, "removed %s, %s, %.1f MB of logs\n", count(r.Invocations, "run"), count(r.Events, "event"),
			float64(r.BytesFreed)/(1<<20))
	}
	return nil
}
