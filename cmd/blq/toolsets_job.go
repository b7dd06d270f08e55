//go:build job

package main

import "github.com/spf13/cobra"

// addToolsets adds commands that only print which program has the real command. It adds no commands that check the
// architecture. Jobs have the real ones, which are made from the rows of their questions.
func (a *app) addToolsets(add func(group string, commands ...*cobra.Command)) {
	graph := &cobra.Command{
		Use: "graph COMMAND", Short: "Check documents against their code", Args: noSuchCommand, RunE: help,
	}
	graph.AddCommand(elsewhere("show", "context", "list", "search", "status", "update", "mark-synced", "docs", "prime",
		"diff", "init")...)
	add("ask", graph)
	add("ask", elsewhere("docs", "why", "ui", "export")...)
	add("keep", elsewhere("completion")...)
}

// The program for jobs does not complete command lines for shells, because people do not use it in a terminal.

func completing([]string) bool { return false }

func (a *app) complete(*cobra.Command) {}

func newMan(*app) *cobra.Command {
	return notForJobs("man", "Show the manual page of a command: in the blq of releases")
}

// askRealm returns the commands that ask about a realm.
func (a *app) askRealm() []*cobra.Command {
	return elsewhere("status", "contract", "notifications")
}

// registering returns hidden commands in place of register and unregister. A job can run the registered commands, but
// cannot register a command.
func registering(*app) []*cobra.Command { return elsewhere("register", "unregister") }

// elsewhere returns hidden commands. Each only prints which program has the real command.
func elsewhere(names ...string) []*cobra.Command {
	var list []*cobra.Command
	for _, name := range names {
		c := notForJobs(name, "In the blq of releases")
		c.Hidden = true
		list = append(list, c)
	}
	return list
}

func newWatch(*app) *cobra.Command {
	return notForJobs("watch", "Show running runs until they have ended: in the blq of releases")
}
