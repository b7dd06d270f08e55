package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/blq-ci/blq/internal/cmdline"
	"github.com/blq-ci/blq/store"
)

// app holds what all commands share.
type app struct {
	stdout io.Writer
	stderr io.Writer
	getenv func(string) string
	config Config
	began  bool // the command line was valid
}

// one returns a check for cobra: the command must have exactly one argument. kind names the argument in the error
// message, and hint says what to do next.
func one(kind, hint string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) != 1 {
			return store.Next(store.Errorf(store.Invalid, "%s needs one %s, not %d", c.CommandPath(), kind, len(args)),
				store.Shell{Line: hint})
		}
		return nil
	}
}

// withDirectory opens the store for a command that needs only the directory of repositories and tokens.
func (a *app) withDirectory(c *cobra.Command, f func(context.Context, store.Directory) error) error {
	return a.withStore(c, func(ctx context.Context, s engine) error { return f(ctx, s) })
}

// withStore opens the store for a command that needs only the store.
func (a *app) withStore(c *cobra.Command, f func(context.Context, engine) error) error {
	if err := a.configure(c, placeSettings); err != nil {
		return err
	}
	s, err := a.openStore(c.Context())
	if err != nil {
		return err
	}
	defer s.Close()
	return f(c.Context(), s)
}

// json writes a value as JSON.
func (a *app) json(v any) error {
	enc := json.NewEncoder(a.stdout)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// errIll is the error of a command that has already printed what is wrong.
var errIll = errors.New("something is wrong")

func (a *app) exitCode(command string, err error) int {
	switch {
	case err == nil:
		return 0
	case errors.Is(err, errIll):
		return 1
	}
	fmt.Fprintf(a.stderr, "blqd: %v\n", a.config.redacted(err))
	if hint := cmdline.Of(store.NextOf(err)); hint != "" {
		fmt.Fprintf(a.stderr, "  try: %s\n", hint)
	} else if !a.began {
		fmt.Fprintf(a.stderr, "  try: %s -h\n", command)
	}
	if !a.began || store.CodeOf(err) == store.Invalid {
		return 2
	}
	return 1
}

// configure sets the settings of a command from the environment, and completes the configuration.
func (a *app) configure(c *cobra.Command, settings []setting) error {
	if err := a.config.fromEnvironment(c.Flags(), a.getenv, settings); err != nil {
		return err
	}
	return a.config.complete(a.getenv)
}
