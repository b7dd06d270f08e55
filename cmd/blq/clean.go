package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/blq-ci/blq/internal/project"
	"github.com/blq-ci/blq/internal/project/backend"
	"github.com/blq-ci/blq/store"
)

func newClean(a *app) *cobra.Command {
	var days int
	var yes, asJSON bool
	c := &cobra.Command{
		Use:   "clean [data|prune|schema|full]",
		Short: "Remove recorded data",
		Long: `Clean removes recorded data:

  data    all runs; configuration and commands stay (the default)
  prune   runs older than --days, or what the [retention] settings do not keep
  schema  the database is made anew; configuration stays
  full    the whole .lq folder is made anew

Serials of removed runs are not used again, except after schema and full.`,
		Example: `  blq clean prune --days 30 --yes
  blq clean full --yes`,
		Args:      cobra.MatchAll(cobra.MaximumNArgs(1), cobra.OnlyValidArgs),
		ValidArgs: []string{"data", "prune", "schema", "full"},
		RunE: func(c *cobra.Command, args []string) error {
			mode := string(project.CleanData)
			if len(args) > 0 {
				mode = args[0]
			}
			if !yes {
				return usage{store.Next(errors.New("clean removes data for good and wants to be told so"),
					store.NewCall("clean", "", "mode", mode, "confirm", true))}
			}
			return a.clean(c, mode, days, asJSON)
		},
	}
	countFlag(c, &days, "days", "", 1, "with prune: remove runs that are older")
	c.Flags().BoolVarP(&yes, "yes", "y", false, "remove it, without asking")
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

func (a *app) clean(c *cobra.Command, mode string, days int, asJSON bool) error {
	cwd, err := os.Getwd()
	if err != nil {
		return err
	}
	backend := backend.New(a.getenv, cwd)
	defer backend.Close()
	answer, err := backend.Clean(c.Context(), mode, days)
	if err != nil {
		return err
	}
	if asJSON {
		return a.json(answer)
	}
	fmt.Fprintln(a.stdout, answer.Message)
	if r := answer.Removed; r != nil {
		fmt.Fprintf(a.stdout, "removed %s, %s, %.1f MB of logs\n", count(r.Invocations, "run"), count(r.Events, "event"),
			float64(r.BytesFreed)/(1<<20))
	}
	return nil
}
