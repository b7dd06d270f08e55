package main

import (
	"github.com/spf13/cobra"

	"github.com/blq-ci/blq/store"
)

func newWarnings(a *app) *cobra.Command { return newOfSeverity(a, store.SeverityWarning) }
