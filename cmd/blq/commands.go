package main

import (
	"fmt"
	"reflect"
	"sort"
	"strings"

	"github.com/spf13/cobra"

	"github.com/blq-ci/blq/internal/project"
	"github.com/blq-ci/blq/internal/project/backend"
	"github.com/blq-ci/blq/internal/runner"
	"github.com/blq-ci/blq/query"
)

// done is the answer of commands that change something.
type done struct {
	Success bool   `json:"success"`
	Message string `json:"message"`
}

// registeredRun is the answer of the command register --run.
type registeredRun struct {
	done
	Run query.Result `json:"run"`
}

// commandList is the answer of the command commands.
type commandList struct {
	Commands []runner.Command `json:"commands"`
}

func newCommands(a *app) *cobra.Command {
	list := func(c *cobra.Command, _ []string) error {
		w, err := a.open(c.Context())
		if err != nil {
			return err
		}
		return a.listCommands(w.Config)
	}
	c := &cobra.Command{
		Use:   "commands",
		Short: "List, register and unregister commands",
		Example: `  blq commands
  blq commands register build 'make -j8'
  blq commands register test 'pytest {path} {flags}' --default path=tests/ --default flags=-v
  blq commands unregister build`,
		RunE: list,
	}
	jsonFlagsOf(c.PersistentFlags(), a, "print JSON", reflect.TypeFor[commandList](), reflect.TypeFor[registeredRun]())
	c.AddCommand(&cobra.Command{Use: "list", Short: "List the registered commands", Example: "  blq commands list --json",
		RunE: list})
	c.AddCommand(registering(a)...)
	return c
}

func (a *app) listCommands(config *project.Config) error {
	list := backend.List(config)
	rows := [][]string{}
	for _, c := range list {
		rows = append(rows, []string{c.Name, c.Cmd + c.Tpl + defaultsText(c.Defaults), c.Description})
	}
	if a.form.json {
		return a.json(commandList{list})
	}
	if len(list) == 0 {
		fmt.Fprintln(a.stderr, "no commands registered; register one: "+a.fromHere("blq commands register build 'make -j8'"))
	}
	return a.style.table(a.stdout, []string{"NAME", "COMMAND", "DESCRIPTION"}, rows)
}

func defaultsText(defaults map[string]string) string {
	var list []string
	for k, v := range defaults {
		list = append(list, k+"="+v)
	}
	if len(list) == 0 {
		return ""
	}
	sort.Strings(list)
	return "  (" + strings.Join(list, " ") + ")"
}
