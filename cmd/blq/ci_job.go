//go:build job

package main

import "github.com/spf13/cobra"

// ciCommands returns none: in jobs action/report writes the comment.
func ciCommands(*app) []*cobra.Command { return nil }
