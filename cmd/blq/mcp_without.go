//go:build job

package main

import (
	"github.com/spf13/cobra"

	"github.com/blq-ci/blq/store"
)

func newMCPServe(*app) *cobra.Command {
	return notForJobs("serve", "Start the MCP server: in the blq of releases")
}

func newMCPInstall(*app) *cobra.Command {
	return notForJobs("install", "Tell agents about blq: in the blq of releases")
}

func newMCPTools(*app) *cobra.Command {
	return notForJobs("tools", "List the tools that agents get: in the blq of releases")
}

// notForJobs returns a command that only prints which program has the real command. Every job downloads blq-job,
// and few jobs need the real command. So blq-job does not have it.
func notForJobs(name, short string) *cobra.Command {
	return &cobra.Command{
		Use:                name,
		Short:              short,
		DisableFlagParsing: true,
		Args:               cobra.ArbitraryArgs,
		RunE: func(*cobra.Command, []string) error {
			return store.Hint(store.Errorf(store.Unavailable,
				"this blq is the one for jobs, without the MCP server, what agents ask of documentation, architecture and "+
					"contracts, and the commands that edit a project; action/setup installs the other"),
				"with: { mcp: true }")
		},
	}
}
