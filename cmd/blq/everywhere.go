package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/blq-ci/blq/internal/nearest"
	"github.com/blq-ci/blq/internal/shellword"
	"github.com/blq-ci/blq/store"
)

// globalFlags holds the flags that all commands have.
type globalFlags struct {
	dir    dirFlag
	colour colourFlag
	utc    bool
}

func (a *app) addGlobalFlags(root *cobra.Command) {
	a.all.colour = "auto"
	flags := root.PersistentFlags()
	flags.VarP(&a.all.dir, "directory", "C", "work in this `DIR`, as if blq were started there")
	flags.Var(&a.all.colour, "color", "colour: auto, always or never")
	flags.BoolVar(&a.all.utc, "utc", false, "show times in UTC, not in the local zone")
	root.SetFlagErrorFunc(a.noSuchFlag)
}

// begin applies the flags --jq, --color and -C before the command runs.
func (a *app) begin() error {
	if a.form.filter != "" {
		a.form.json = true
		if _, err := a.findJQ(); err != nil {
			return err
		}
	}
	if a.all.colour != "auto" {
		a.style.colour, a.notes.colour = a.all.colour == "always", a.all.colour == "always"
	}
	if a.all.dir == "" {
		return nil
	}
	if err := os.Chdir(string(a.all.dir)); err != nil {
		return usage{store.Next(err, store.Shell{Line: "ls"})}
	}
	if dir, err := os.Getwd(); err == nil && a.getenv("PWD") != "" {
		return os.Setenv("PWD", dir) // child processes read this variable
	}
	return nil
}

// fromHere adds the -C of this call to a command line of blq. It returns the line unchanged if this call has no -C, or
// if the line already has a -C or does not run blq.
func (a *app) fromHere(line string) string {
	rest, ours := strings.CutPrefix(line, "blq ")
	if a.all.dir == "" || !ours || strings.HasPrefix(rest, "-C ") {
		return line
	}
	return "blq -C " + shellword.Quote(string(a.all.dir)) + " " + rest
}

// dirFlag is the value of -C. Each further -C is relative to the -C before it, as in git.
type dirFlag string

// Type implements pflag.Value.
func (v *dirFlag) Type() string { return "DIR" }

// String implements pflag.Value.
func (v *dirFlag) String() string { return string(*v) }

// Set implements pflag.Value.
func (v *dirFlag) Set(dir string) error {
	if !filepath.IsAbs(dir) && dir != "" {
		if *v != "" {
			dir = string(*v) + "/" + dir // not cleaned, because the system must follow links before ..
		}
	}
	if dir != "" {
		*v = dirFlag(dir)
	}
	return nil
}

// colourFlag is the value of --color.
type colourFlag string

// Type implements pflag.Value.
func (v *colourFlag) Type() string { return "WHEN" }

// String implements pflag.Value.
func (v *colourFlag) String() string { return string(*v) }

// Set implements pflag.Value.
func (v *colourFlag) Set(text string) error {
	switch text {
	case "auto", "always", "never":
		*v = colourFlag(text)
		return nil
	}
	return errors.New("it must be auto, always or never")
}

// localTime returns a time of an answer in the local time zone. If the user wants UTC, it returns the time in UTC.
func (a *app) localTime(stamp string) string {
	t, err := time.Parse(time.RFC3339, stamp)
	if err != nil {
		return stamp
	}
	if a.all.utc {
		return t.UTC().Format("2006-01-02 15:04:05 MST")
	}
	return t.Local().Format("2006-01-02 15:04:05 MST")
}

// noSuchFlag returns an error for an unknown flag. It suggests the flag that the user probably meant. If the flag comes
// after the name of a command to run, it was probably meant for that command.
func (a *app) noSuchFlag(c *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		return err
	}
	switch words := c.Flags().Args(); {
	case len(words) > 0 && !c.HasParent():
		return noSuchCommand(c, os.Args[slices.Index(os.Args, words[0]):])
	case len(words) > 0 && c.CommandPath() == "blq run":
		return store.Next(err, store.Shell{Line: a.runLine(c.Context(), words[0])})
	}
	var names []string
	c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	name := strings.TrimLeft(unknown.GetSpecifiedName(), "-")
	like := nearest.Word(name, names)
	if like == "" || len(name) < 2 {
		return err
	}
	return store.Next(fmt.Errorf("%w; did you mean --%s?", err, like), store.Shell{Line: c.CommandPath() + " --" + like})
}

// runLine returns a command line of blq that runs a command. name is the name of a registered command
// or of a program. All arguments after the name belong to the command.
func (a *app) runLine(ctx context.Context, name string) string {
	rest := os.Args[slices.Index(os.Args, name)+1:]
	if slices.Contains(a.registered(ctx), name) {
		return shellword.Join(append([]string{"blq", "run", name, "--"}, rest...))
	}
	return shellword.Join(append([]string{"blq", "run", "--", name}, rest...))
}

// registered returns the names of the registered commands.
func (a *app) registered(ctx context.Context) []string {
	w := a.here(ctx)
	if w == nil {
		return nil
	}
	return slices.Sorted(maps.Keys(w.Config.Commands))
}

// here returns the project, or nil if there is none or it cannot be opened. Only completion and hints use it, and they
// work without a project.
func (a *app) here(ctx context.Context) *opened {
	if a.opened == nil && a.begin() == nil {
		_, _ = a.open(ctx)
	}
	return a.opened
}

// exitCodeFlag adds the flag --exit-code to the command of a question.
func (a *app) exitCodeFlag(c *cobra.Command, about string) {
	c.Flags().BoolVar(&a.form.exitCode, "exit-code", false, about)
}

// verdict returns the error with exit code 1 if the answer is bad and the user has set --exit-code. Otherwise it
// returns nil.
func (a *app) verdict(bad bool) error {
	if bad && a.form.exitCode {
		return exit{1}
	}
	return nil
}
