//go:build !job

package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/blq-ci/blq/internal/project"
	"github.com/blq-ci/blq/internal/project/backend"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

// registering returns the commands that change the configuration.
func registering(a *app) []*cobra.Command { return []*cobra.Command{newRegister(a), newUnregister(a)} }

func newRegister(a *app) *cobra.Command {
	var cmd project.Command
	var defaults []string
	var force, noCapture, runNow bool
	c := &cobra.Command{
		Use:   "register NAME COMMAND",
		Short: "Register a command; {placeholders} make it a template",
		Example: `  blq commands register build 'make -j8' --description 'Build it' --timeout 600
  blq commands register test 'pytest {path}' --default path=tests/`,
		Args: cobra.ExactArgs(2),
		RunE: func(c *cobra.Command, args []string) error {
			w, err := a.create(c.Context())
			if err != nil {
				return err
			}
			cmd.Name, cmd.Cmd = args[0], args[1]
			if cmd.Defaults, err = pairs(defaults); err != nil {
				return err
			}
			if noCapture {
				no := false
				cmd.Capture = &no
			}
			reg, message, err := backend.Register(w.Config, cmd, force)
			if err != nil {
				return err
			}
			if !runNow {
				return a.say(message)
			}
			return a.runRegisteredNow(c.Context(), reg.Command, message)
		},
	}
	c.Flags().StringVarP(&cmd.Description, "description", "d", "", "`TEXT` that says what it is for")
	countFlag(c, &cmd.Timeout, "timeout", "", 1,
		fmt.Sprintf("stop it after so many seconds (default %d)", project.DefaultTimeout))
	c.Flags().StringVar(&cmd.Format, "format", "", "read its output as this `FORMAT` alone (see blq formats)")
	c.Flags().StringArrayVar(&defaults, "default", nil, "`PARAM=VALUE` of a template, may be repeated")
	c.Flags().BoolVar(&noCapture, "no-capture", false, "do not record its output")
	c.Flags().BoolVar(&force, "force", false, "replace a command of that name")
	c.Flags().BoolVar(&runNow, "run", false, "run it at once")
	return c
}

func (a *app) runRegisteredNow(ctx context.Context, cmd *project.Command, message string) error {
	var f runFlags
	if a.form.json {
		f = runFlags{quiet: true, answer: func(r query.Result) error { return a.json(registeredRun{done{true, message}, r}) }}
	} else {
		fmt.Fprintln(a.stderr, message) // the command itself writes to stdout
	}
	job, err := backend.Registered(cmd, nil, nil, a.root())
	if err != nil {
		return err
	}
	return a.runJob(ctx, f, job)
}

func pairs(list []string) (map[string]string, error) {
	m := map[string]string{}
	for _, p := range list {
		k, v, ok := strings.Cut(p, "=")
		if !ok || k == "" {
			return nil, usage{store.Next(fmt.Errorf("%q is no PARAM=VALUE", p),
				store.NewCall("register_command", "", "name", "test", "cmd", "pytest {path}", "defaults",
					map[string]string{"path": "tests/"}))}
		}
		m[k] = v
	}
	return m, nil
}

func (a *app) say(message string) error {
	if a.form.json {
		return a.json(done{true, message})
	}
	_, err := fmt.Fprintln(a.stdout, message)
	return err
}
