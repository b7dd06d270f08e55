package main

import (
	"github.com/spf13/cobra"
)

func newCI(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:   "ci COMMAND",
		Short: "Judge runs in a job of a CI system",
		Args:  noSuchCommand,
		RunE:  help,
	}
	c.AddCommand(newCICheck(a))
	return c
}
