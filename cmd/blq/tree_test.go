package main

import (
	"os"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// A letter means the same in every command.
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
