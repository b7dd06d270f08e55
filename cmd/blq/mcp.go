package main

import "github.com/spf13/cobra"

func newMCP(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:   "mcp COMMAND",
		Short: "Serve agents over the Model Context Protocol",
		Example: `  blq mcp install         # tell agents that work here about blq
  blq mcp serve           # what they start: stdin and stdout
  blq mcp serve --transport http --port 8080`,
		Args: noSuchCommand,
		RunE: help,
	}
	c.AddCommand(newMCPServe(a), newMCPInstall(a), newMCPTools(a))
	return c
}
