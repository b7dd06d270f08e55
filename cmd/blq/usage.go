package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
)

// This file writes help and usage with plain code, and not with cobra's templates. With templates, the linker would
// keep every method of every type, and the binary would be a seventh larger.

// writeHelp prints the description of a command and its usage.
func writeHelp(c *cobra.Command, _ []string) {
	about := c.Long
	if about == "" {
		about = c.Short
	}
	out := c.OutOrStdout()
	if about != "" {
		fmt.Fprintf(out, "%s\n\n", strings.TrimSpace(about))
	}
	usageTo(out, c)
}

func writeUsage(c *cobra.Command) error {
	usageTo(c.OutOrStderr(), c)
	return nil
}

func usageTo(out io.Writer, c *cobra.Command) {
	fmt.Fprintf(out, "Usage:\n  %s\n", c.UseLine())
	if c.HasExample() {
		fmt.Fprintf(out, "\nExamples:\n%s\n", c.Example)
	}
	if c.HasAvailableSubCommands() {
		if len(c.Groups()) == 0 {
			writeCommands(out, c, "Commands:", func(*cobra.Command) bool { return true })
		}
		for _, g := range c.Groups() {
			writeCommands(out, c, g.Title, func(sub *cobra.Command) bool { return sub.GroupID == g.ID })
		}
	}
	writeFlags(out, "Flags:", c.HasAvailableLocalFlags(), c.LocalFlags().FlagUsages())
	writeFlags(out, "Flags of all:", c.HasAvailableInheritedFlags(), c.InheritedFlags().FlagUsages())
	if c.HasAvailableSubCommands() {
		fmt.Fprintf(out, "\n%s COMMAND -h shows examples and flags of each.\n", c.CommandPath())
	}
}

func writeCommands(out io.Writer, c *cobra.Command, title string, wanted func(*cobra.Command) bool) {
	fmt.Fprintf(out, "\n%s\n", title)
	for _, sub := range c.Commands() {
		if wanted(sub) && sub.IsAvailableCommand() {
			fmt.Fprintf(out, "  %-*s %s\n", sub.NamePadding(), sub.Name(), sub.Short)
		}
	}
}

func writeFlags(out io.Writer, title string, any bool, usages string) {
	if any {
		fmt.Fprintf(out, "\n%s\n%s\n", title, strings.TrimRight(usages, " \t\n"))
	}
}
