package main

import (
	"os"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

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
