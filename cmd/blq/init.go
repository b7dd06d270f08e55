package main

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/blq-ci/blq/internal/project"
)

func newInit(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:     "init",
		Short:   "Make the .lq folder here",
		Example: `  blq init`,
		RunE: func(c *cobra.Command, _ []string) error {
			dir := a.getenv("BLQ_DIR")
			if dir == "" {
				dir = project.DirName
			}
			dir, err := filepath.Abs(dir)
			if err != nil {
				return err
			}
			made, err := project.Create(dir)
			if err != nil {
				return err
			}
			if _, err := a.opening(project.Open(c.Context(), dir)); err != nil {
				return err
			}
			if made {
				fmt.Fprintf(a.stdout, "made %s\n", dir)
			} else {
				fmt.Fprintf(a.stdout, "%s is there already\n", dir)
			}
			return nil
		},
	}
	return c
}
