//go:build !job

package main

import (
	"fmt"

	"github.com/spf13/cobra"
)

func newUnregister(a *app) *cobra.Command {
	return &cobra.Command{
		Use:     "unregister NAME",
		Short:   "Remove a command",
		Example: `  blq commands unregister build`,
		Args:    cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			w, err := a.open(c.Context())
			if err != nil {
				return err
			}
			if err := w.Config.Unregister(args[0]); err != nil {
				return err
			}
			return a.say(fmt.Sprintf("Unregistered command '%s'", args[0]))
		},
	}
}
