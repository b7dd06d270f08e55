//go:build job

package main

import "github.com/spf13/cobra"

// ciCommands returns no commands, because action/report writes the comment in jobs.
func ciCommands(*app) []*cobra.Command { return nil }
