//go:build job

package main

import "github.com/spf13/cobra"

// ciCommands returns no commands, because in jobs action/report writes the comment on a pull request.
func ciCommands(*app) []*cobra.Command { return nil }
