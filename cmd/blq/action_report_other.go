//go:build !linux

package main

import (
	"github.com/spf13/cobra"

	"github.com/blq-ci/blq/store"
)

// newActionReport says where the report is written.
func newActionReport(*app) *cobra.Command {
	return &cobra.Command{
		Use:   "report",
		Short: "Tell of all jobs of the workflow run together: on Linux",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return store.Hint(store.Errorf(store.Invalid, "reports are written on Linux"), "runs-on: ubuntu-latest")
		},
	}
}
