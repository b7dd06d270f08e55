package main

import (
	"errors"
	"fmt"
	"os/exec"
	"strings"

	"github.com/spf13/cobra"

	"github.com/blq-ci/blq/internal/nearest"
	"github.com/blq-ci/blq/internal/shellword"
	"github.com/blq-ci/blq/store"
)

// prepare makes all commands print help in the same form. It also makes each command return an error for arguments
// that the command does not accept.
func (a *app) prepare(root *cobra.Command) {
	cobra.EnableCommandSorting = false
	a.addGlobalFlags(root)
	root.SetUsageFunc(writeUsage)
	root.SetHelpFunc(writeHelp)
	root.SetCompletionCommandGroupID("keep")
	root.SetHelpCommandGroupID("keep")
	root.InitDefaultCompletionCmd()
	root.InitDefaultHelpCmd()
	each(root, func(c *cobra.Command) {
		switch {
		case c.Name() == "help":
			c.RunE, c.Run, c.Short = helpOf, nil, "Show the help of a command"
		case c.Name() == "completion" && !c.Hidden:
			c.Args, c.RunE, c.Short = noSuchCommand, help, "Print what makes a shell complete blq's words"
		case c.Args == nil && c.HasSubCommands():
			c.Args = noSuchCommand
		case c.Args == nil:
			c.Args = cobra.NoArgs
		}
		if c.Args != nil {
			c.Args = inWords(c.Args)
		}
		if do := c.RunE; do != nil {
			c.RunE = func(c *cobra.Command, args []string) error {
				if err := a.begin(); err != nil {
					return err
				}
				a.began = true
				return do(c, args)
			}
		}
		c.InitDefaultHelpFlag()
		c.Flags().Lookup("help").Usage = "show this help"
		if c.InitDefaultVersionFlag(); c.Version != "" {
			c.Flags().Lookup("version").Usage = "show the version"
		}
	})
}

// inWords returns a check of arguments whose errors name the arguments, as the help does. cobra's errors only count
// them.
func inWords(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		err := check(c, args)
		var own usage
		if err == nil || errors.As(err, &own) {
			return err
		}
		form, _, _ := strings.Cut(c.Use, "\n")
		var words, needed []string
		for _, word := range strings.Fields(form)[1:] {
			if word != "[flags]" {
				words = append(words, word)
			}
			if !strings.HasPrefix(word, "[") {
				needed = append(needed, word)
			}
		}
		switch n := len(words); {
		case len(args) < len(needed):
			return usage{fmt.Errorf("%s needs %s", c.CommandPath(), strings.Join(needed[len(args):], " "))}
		case len(args) > n && n == 0:
			return usage{fmt.Errorf("%s takes no arguments, and %q is one", c.CommandPath(), args[0])}
		case len(args) > n:
			return usage{fmt.Errorf("%s takes only %s, and %q is left over",
				c.CommandPath(), strings.Join(words, " "), args[n])}
		}
		return err
	}
}

// each calls f for a command and all commands below it.
func each(c *cobra.Command, f func(*cobra.Command)) {
	f(c)
	for _, sub := range c.Commands() {
		each(sub, f)
	}
}

func help(c *cobra.Command, _ []string) error { return c.Help() }

// helpOf implements the command "blq help COMMAND".
func helpOf(c *cobra.Command, args []string) error {
	of, err := named(c.Root(), args)
	if err != nil {
		return err
	}
	return of.Help()
}

// noSuchCommand returns an error for the arguments of a command that only has subcommands.
func noSuchCommand(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() {
			names = append(names, sub.Name())
		}
	}
	hint := c.CommandPath() + " -h"
	if like := nearest.Word(args[0], names); like != "" {
		hint = c.CommandPath() + " " + like
	} else if _, err := exec.LookPath(args[0]); err == nil && !c.HasParent() {
		hint = shellword.Join(append([]string{"blq", "run", "--"}, args...))
	}
	return usage{store.Next(fmt.Errorf("%s has no command %q", c.CommandPath(), args[0]), store.Shell{Line: hint})}
}

// named returns the command that a list of words names.
func named(root *cobra.Command, words []string) (*cobra.Command, error) {
	at := root
	for _, name := range words {
		next, _, err := at.Find([]string{name})
		if err != nil || next == at {
			return nil, noSuchCommand(at, []string{name})
		}
		at = next
	}
	return at, nil
}
