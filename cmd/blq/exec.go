package main

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/blq-ci/blq/internal/record"
	"github.com/blq-ci/blq/internal/shellword"
	"github.com/blq-ci/blq/internal/workspace"
	"github.com/blq-ci/blq/store"
)

func newExec(a *app) *cobra.Command {
	var f runFlags
	c := &cobra.Command{
		Use:   "exec [flags] COMMAND [ARG]...",
		Short: "Run a shell command; one that begins like a registered command runs as that",
		Long: `Exec runs a command and records it as run does. A single argument with blanks
is read by the shell. When the words begin like a registered command, it runs
as that command with further arguments, so that its runs stay together.`,
		Example: `  blq exec pytest -v tests/unit    # recorded as "test" when that is registered as: pytest -v
  blq exec 'make -j8 | tail -50'   # read by the shell`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return a.exec(c.Context(), f, args) },
	}
	c.Flags().SetInterspersed(false)
	f.add(c)
	return c
}

// exec runs words as the registered command that they begin with, else as they are.
func (a *app) exec(ctx context.Context, f runFlags, args []string) error {
	words, simple := args, true
	if len(args) == 1 {
		words, simple = shellword.Split(args[0])
	}
	if strings.TrimSpace(args[0]) == "" {
		return usage{store.Hint(errors.New("nothing to run"), "blq exec 'make -j8'")}
	}
	w, err := a.create(ctx)
	if err == nil && simple && f.name == "" {
		if cmd, extra := w.Config.Match(words); cmd != nil {
			return a.runCommand(ctx, f, cmd, nil, extra)
		}
	}
	spec := record.Spec{Command: workspace.Plain(args), Source: store.SourceName(args[0])}
	if len(args) == 1 && (!simple || len(words) > 1) {
		spec.Command, spec.Source = workspace.Shell(args[0], nil), store.SourceName(program(args[0]))
	}
	return a.record(ctx, f, spec, err)
}

// program returns the first word of a shell command that is no assignment.
func program(script string) string {
	words := strings.Fields(script)
	for _, w := range words {
		if name, _, ok := strings.Cut(w, "="); !ok || !store.IsSourceName(name) {
			return w
		}
	}
	return words[0]
}
