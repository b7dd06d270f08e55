package main

import "github.com/spf13/cobra"

// known describes a command with code of its own. The function make creates the command. The other commands belong to
// toolsets, or are made from the table of questions.
type known struct {
	group, name string
	make        func(*app) *cobra.Command
	// below is true if the command has subcommands, or if it needs the other commands.
	below bool
}

// first and last are the commands in the order of the help. The commands of toolsets and questions are between them.
var (
	first = []known{
		{"record", "run", newRun, false}, {"record", "exec", newExec, false}, {"record", "import", newImport, false},
		{"record", "capture", newCapture, false}, {"record", "parse", newParse, false},
		{"record", "push", newPush, false}, {"record", "facts", newFacts, true}, {"record", "lint", newLint, false},
		{"record", "shell", newShell, false},
		{"ask", "triage", newTriage, false}, {"ask", "events", newEvents, false}, {"ask", "errors", newErrors, false},
		{"ask", "warnings", newWarnings, false}, {"ask", "event", newEvent, false},
		{"ask", "context", newContext, false}, {"ask", "inspect", newInspect, false}, {"ask", "info", newInfo, false},
		{"ask", "output", newOutput, false}, {"ask", "status", newStatus, false}, {"ask", "tests", newTests, false},
		{"ask", "watch", newWatch, false}, {"ask", "history", newHistory, false}, {"ask", "diff", newDiff, false},
		{"ask", "report", newReport, false}, {"ask", "query", newQuery, false}, {"ask", "realm", newRealm, true},
		{"ask", "ci", newCI, true},
	}
	last = []known{
		{"serve", "mcp", newMCP, true},
		{"", "action", newAction, true},
		{"keep", "init", newInit, false}, {"keep", "commands", newCommands, true}, {"keep", "clean", newClean, false},
		{"keep", "formats", newFormats, false}, {"keep", "man", newMan, true}, {"keep", "version", newVersion, false},
	}
)

// newTree returns the commands for a command line, ready to run. If the first argument names a known command whose
// field below is false, the tree has only this command. Making all commands would take a millisecond.
func newTree(a *app, args []string) *cobra.Command {
	root, found := newTrunk(a), false
	for _, list := range [][]known{first, last} {
		for _, k := range list {
			if !k.below && len(args) > 0 && args[0] == k.name {
				a.add(root, k.group, k.make(a))
				root.CompletionOptions.DisableDefaultCmd = true // the command that prints scripts for shells
				found = true
			}
		}
	}
	if !found {
		root = newRoot(a)
	}
	a.prepare(root)
	return root
}

// newRoot returns the command blq with all commands.
func newRoot(a *app) *cobra.Command {
	root := newTrunk(a)
	add := func(group string, commands ...*cobra.Command) { a.add(root, group, commands...) }
	for _, k := range first {
		add(k.group, k.make(a))
	}
	a.addToolsets(add)
	a.addQuestions(root, func(c *cobra.Command) { add("ask", c) })
	for _, k := range last {
		add(k.group, k.make(a))
	}
	return root
}

// add adds commands to a group of the root, "" for no group.
func (a *app) add(root *cobra.Command, group string, commands ...*cobra.Command) {
	for _, c := range commands {
		c.GroupID = group
		root.AddCommand(c)
		if group == "ask" {
			a.whereFlags(c)
		}
	}
}
