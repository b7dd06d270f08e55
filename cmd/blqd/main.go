// Command blqd is the hosted service. It receives runs over HTTP, and answers questions about them over HTTP and MCP.
// Without configuration it stores runs in SQLite and files.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// version is set by the linker in releases.
var version = "dev"

func main() { os.Exit(run()) }

// run executes the command line and returns the exit code: 1 for errors, and 2 for wrong usage or settings.
func run() int {
	outliveFileSizes()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	a := &app{stdout: os.Stdout, stderr: os.Stderr, getenv: os.Getenv}
	root := newRoot(a)
	command, err := root.ExecuteContextC(ctx)
	return a.exitCode(command.CommandPath(), err)
}

func newRoot(a *app) *cobra.Command {
	root := &cobra.Command{
		Use:   "blqd COMMAND",
		Short: "Serve runs of many repositories",
		Long: `blqd receives runs of CI jobs with their logs, keeps them, and answers questions
about them: over HTTP, and for agents over MCP.

Every setting is a flag or a variable of the environment; a variable with _FILE
after its name holds the name of a file with the value. blqd doctor checks them.`,
		Example: `  blqd serve                                   # on SQLite and files, at http://127.0.0.1:8080
  blqd token create --name ci --scope ingest --repo acme/shop
  blqd doctor                                  # what is wrong, and what to do`,
		Version:       version,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.NoArgs,
		RunE:          func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	root.SetVersionTemplate("{{.Name}} {{.Version}}\n")
	a.config.flags(root.PersistentFlags(), placeSettings)
	root.AddCommand(newServe(a), newMigrate(a), newToken(a), newRepo(a), newPrune(a), newUsage(a), newDoctor(a),
		newReady(a), newVersion(a), newQueue(a), newApp(a))
	root.SetFlagErrorFunc(badFlag)
	each(root, func(c *cobra.Command) {
		if c.Args == nil {
			c.Args = noArguments
		}
		do := c.RunE
		c.RunE = func(c *cobra.Command, args []string) error {
			a.began = true
			return do(c, args)
		}
	})
	return root
}

// each calls f for a command and all runnable commands below it.
func each(c *cobra.Command, f func(*cobra.Command)) {
	if c.RunE != nil {
		f(c)
	}
	for _, sub := range c.Commands() {
		each(sub, f)
	}
}

func noArguments(c *cobra.Command, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("%s takes no arguments, and %q is one", c.CommandPath(), args[0])
	}
	return nil
}

// badFlag returns the error for a flag that cannot be read. If the value is of a wrong type, the error names the type.
func badFlag(_ *cobra.Command, err error) error {
	var bad *pflag.InvalidValueError
	if !errors.As(err, &bad) {
		return err
	}
	var kind string
	switch bad.GetFlag().Value.Type() {
	case "int":
		kind = "a whole number"
	case "duration":
		kind = "a duration such as 30s or 5m"
	case "bool":
		kind = "true or false"
	default:
		return err
	}
	return fmt.Errorf("--%s: %q is not %s", bad.GetFlag().Name, bad.GetValue(), kind)
}

// group returns a command that only has subcommands.
func group(use, short string, subs ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{Use: use, Short: short, RunE: func(c *cobra.Command, _ []string) error { return c.Help() }}
	c.Args = func(c *cobra.Command, args []string) error {
		if len(args) > 0 {
			return fmt.Errorf("%s has no command %q; it has %s", c.CommandPath(), args[0], strings.Join(names(subs), ", "))
		}
		return nil
	}
	c.AddCommand(subs...)
	return c
}

func names(commands []*cobra.Command) []string {
	var list []string
	for _, c := range commands {
		list = append(list, c.Name())
	}
	return list
}
