//go:build !report

package main

import (
	"github.com/spf13/cobra"

	"github.com/blq-ci/blq/store"
)

// newActionReport returns a command that only names the program with the report.
func newActionReport(*app) *cobra.Command {
	return &cobra.Command{
		Use:   "report",
		Short: "Tell of all jobs of the workflow run together: in the image of action/report",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return store.Hint(
				store.Errorf(store.Unavailable, "reports of workflow runs are written by the image of action/report"),
				"uses: blq-ci/blq/action/report@v1")
		},
	}
}
