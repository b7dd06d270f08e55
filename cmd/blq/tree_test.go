package main

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// A command is the same whether it was made alone or with all others.
func TestCommandsMadeAloneAreEqual(t *testing.T) {
	t.Parallel()
	alone := 0
	for _, k := range slices.Concat(first, last) {
		a := &app{getenv: os.Getenv}
		all := newRoot(a)
		a.prepare(all)
		want := describe(t, all, k.name)
		one := newTree(&app{getenv: os.Getenv}, []string{k.name, "-h"})
		if got := describe(t, one, k.name); got != want {
			t.Errorf("%s alone:\n%s\nwith all others:\n%s", k.name, got, want)
		}
		if only := len(one.Commands()) <= 2; only == k.below { // the command and help
			t.Errorf("%s: the tree has %d commands, below = %v", k.name, len(one.Commands()), k.below)
		} else if only {
			alone++
		}
		if c, _, _ := all.Find([]string{k.name}); !k.below && c.HasSubCommands() {
			t.Errorf("%s has subcommands, so it needs all commands", k.name)
		}
	}
	if alone < 25 {
		t.Errorf("%d commands are made alone", alone)
	}
	for _, args := range [][]string{nil, {"-C", "x", "run"}, {"nope"}, {"help", "run"}, {"completion"},
		{"__complete", "run", ""}} {
		if n := len(newTree(&app{getenv: os.Getenv}, args).Commands()); n < 30 {
			t.Errorf("%v: the tree has %d commands", args, n)
		}
	}
}

// describe returns the help of a command, its flags and its group.
func describe(t *testing.T, root *cobra.Command, name string) string {
	c, _, err := root.Find([]string{name})
	if err != nil || c.Name() != name {
		t.Fatalf("%s is not found: %v", name, err)
	}
	var b bytes.Buffer
	c.SetOut(&b)
	writeHelp(c, nil)
	fmt.Fprintln(&b, c.CommandPath(), c.GroupID, c.Use, c.Args == nil, c.RunE == nil, c.ValidArgs, c.Hidden)
	show := func(f *pflag.Flag) {
		fmt.Fprintln(&b, f.Name, f.Shorthand, f.Usage, f.DefValue, f.NoOptDefVal, f.Annotations, f.Hidden, f.Value.Type())
	}
	c.Flags().VisitAll(show)
	c.InheritedFlags().VisitAll(show)
	return b.String()
}

// A short flag means the same in every command.
func TestShortFlagsHaveOneMeaning(t *testing.T) {
	t.Parallel()
	a := &app{getenv: os.Getenv}
	root := newRoot(a)
	a.prepare(root)
	meaning, where, commands := map[string]string{}, map[string]string{}, 0
	each(root, func(c *cobra.Command) {
		commands++
		c.InitDefaultVersionFlag()
		check := func(f *pflag.Flag) {
			if f.Shorthand == "" {
				return
			}
			if known := meaning[f.Shorthand]; known != "" && known != f.Name {
				t.Errorf("-%s is --%s in %q, and --%s in %q", f.Shorthand, f.Name, c.CommandPath(), known, where[f.Shorthand])
			}
			meaning[f.Shorthand], where[f.Shorthand] = f.Name, c.CommandPath()
		}
		c.Flags().VisitAll(check)
		c.PersistentFlags().VisitAll(check)
	})
	if commands < 35 || meaning["C"] != "directory" || meaning["f"] != "follow" {
		t.Errorf("%d commands, %v", commands, meaning)
	}
}

// Every command that prints an answer as JSON can print selected fields.
func TestEveryJSONFlagTakesFields(t *testing.T) {
	t.Parallel()
	a := &app{getenv: os.Getenv}
	root := newRoot(a)
	a.prepare(root)
	found := 0
	each(root, func(c *cobra.Command) {
		f := c.Flags().Lookup("json")
		if f == nil {
			return
		}
		found++
		if v, ok := f.Value.(*jsonFlag); !ok || len(v.known()) == 0 || c.Flags().Lookup("jq") == nil {
			t.Errorf("%s --json takes no fields, or there is no --jq", c.CommandPath())
		}
	})
	if found < 25 {
		t.Errorf("%d commands have --json", found)
	}
}
