package main

import (
	"github.com/spf13/cobra"
)

func newCI(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:   "ci COMMAND",
		Short: "Judge runs in a job, and comment on pull requests",
		Args:  noSuchCommand,
		RunE:  help,
	}
	c.AddCommand(newCICheck(a))
	c.AddCommand(ciCommands(a)...)
	return c
}
