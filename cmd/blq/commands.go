package main

import (
	"errors"
	"fmt"
	"os"
	"sort"
	"strings"

	"github.com/spf13/cobra"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/internal/workspace"
	"github.com/blq-ci/blq/store"
)

func newInit(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:     "init",
		Short:   "Make the .lq folder here",
		Example: `  blq init`,
		RunE: func(c *cobra.Command, _ []string) error {
			dir := a.getenv("BLQ_DIR")
			if dir == "" {
				cwd, err := os.Getwd()
				if err != nil {
					return err
				}
				dir = cwd + string(os.PathSeparator) + workspace.DirName
			}
			made, err := workspace.Create(dir)
			if err != nil {
				return err
			}
			if _, err := a.openDir(c.Context(), dir); err != nil {
				return err
			}
			if made {
				fmt.Fprintf(a.stdout, "made %s\n", dir)
			} else {
				fmt.Fprintf(a.stdout, "%s is there already\n", dir)
			}
			return nil
		},
	}
	return c
}

// commandJSON is a registered command as the contract has it.
type commandJSON struct {
	Name        string            `json:"name"`
	Cmd         string            `json:"cmd,omitempty"`
	Tpl         string            `json:"tpl,omitempty"`
	Defaults    map[string]string `json:"defaults,omitempty"`
	Description string            `json:"description,omitempty"`
	Timeout     int               `json:"timeout"`
	Format      string            `json:"format"`
	Capture     bool              `json:"capture"`
}

func newCommandJSON(c *workspace.Command) commandJSON {
	j := commandJSON{c.Name, c.Cmd, c.Tpl, c.Defaults, c.Description, c.Timeout, c.Format, c.Captures()}
	if j.Timeout == 0 {
		j.Timeout = workspace.DefaultTimeout
	}
	if j.Format == "" {
		j.Format = "auto"
	}
	return j
}

// done is the answer of commands that change something.
type done struct {
	Success bool   `json:"success"`
	Message string `json:"message"`
}

func newCommands(a *app) *cobra.Command {
	var asJSON bool
	list := func(c *cobra.Command, _ []string) error {
		w, err := a.open(c.Context())
		if err != nil {
			return err
		}
		return a.listCommands(w.Config, asJSON)
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
	c.PersistentFlags().BoolVar(&asJSON, "json", false, "print JSON")
	c.AddCommand(
		&cobra.Command{Use: "list", Short: "List the registered commands", Example: "  blq commands list --json", Args: usageArgs(&cobra.Command{Args: cobra.NoArgs}), RunE: list},
		newRegister(a, &asJSON), newUnregister(a, &asJSON))
	return c
}

func (a *app) listCommands(config *workspace.Config, asJSON bool) error {
	list := []commandJSON{}
	rows := [][]string{}
	for _, name := range config.Names() {
		j := newCommandJSON(config.Commands[name])
		list = append(list, j)
		rows = append(rows, []string{j.Name, config.Commands[name].Text() + defaultsText(j.Defaults), j.Description})
	}
	if asJSON {
		return a.json(map[string]any{"commands": list})
	}
	if len(list) == 0 {
		fmt.Fprintln(a.stderr, "no commands registered; register one: blq commands register build 'make -j8'")
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

func newRegister(a *app, asJSON *bool) *cobra.Command {
	var cmd workspace.Command
	var defaults []string
	var force, noCapture, runNow bool
	c := &cobra.Command{
		Use:   "register NAME COMMAND",
		Short: "Register a command; {placeholders} make it a template",
		Example: `  blq commands register build 'make -j8' --description 'Build it' --timeout 600
  blq commands register test 'pytest {path}' --default path=tests/`,
		Args: usageArgs(&cobra.Command{Args: cobra.ExactArgs(2)}),
		RunE: func(c *cobra.Command, args []string) error {
			w, err := a.create(c.Context())
			if err != nil {
				return err
			}
			cmd.Name, cmd.Cmd = args[0], args[1]
			if workspace.IsTemplate(args[1]) {
				cmd.Cmd, cmd.Tpl = "", args[1]
			}
			if cmd.Defaults, err = pairs(defaults); err != nil {
				return err
			}
			if noCapture {
				no := false
				cmd.Capture = &no
			}
			if _, err := parse.Select(cmd.Format); err != nil && cmd.Format != "auto" {
				return err
			}
			reg, err := w.Config.Register(cmd, force)
			if err != nil {
				return err
			}
			if err := a.say(*asJSON && !runNow, registeredMessage(args[0], reg)); err != nil || !runNow {
				return err
			}
			return a.runCommand(c.Context(), runFlags{json: *asJSON}, reg.Command, nil, nil)
		},
	}
	c.Flags().StringVarP(&cmd.Description, "description", "d", "", "what it is for")
	c.Flags().IntVarP(&cmd.Timeout, "timeout", "t", 0, fmt.Sprintf("seconds after which it is stopped (default %d)", workspace.DefaultTimeout))
	c.Flags().StringVarP(&cmd.Format, "format", "f", "", "read its output as this format alone")
	c.Flags().StringArrayVar(&defaults, "default", nil, "PARAM=VALUE of a template, may be repeated")
	c.Flags().BoolVar(&noCapture, "no-capture", false, "do not record its output")
	c.Flags().BoolVar(&force, "force", false, "replace a command of that name")
	c.Flags().BoolVar(&runNow, "run", false, "run it at once")
	return c
}

func registeredMessage(name string, r workspace.Registered) string {
	switch {
	case r.Created:
		return fmt.Sprintf("Registered command '%s': %s", name, r.Command.Text())
	case r.Command.Name != name:
		return fmt.Sprintf("The same command is registered as '%s': %s", r.Command.Name, r.Command.Text())
	}
	return fmt.Sprintf("Command '%s' is registered already: %s", name, r.Command.Text())
}

func pairs(list []string) (map[string]string, error) {
	m := map[string]string{}
	for _, p := range list {
		k, v, ok := strings.Cut(p, "=")
		if !ok || k == "" {
			return nil, usage{store.Hint(fmt.Errorf("%q is no PARAM=VALUE", p), "blq commands register test 'pytest {path}' --default path=tests/")}
		}
		m[k] = v
	}
	return m, nil
}

func newUnregister(a *app, asJSON *bool) *cobra.Command {
	return &cobra.Command{
		Use:     "unregister NAME",
		Short:   "Remove a command",
		Example: `  blq commands unregister build`,
		Args:    usageArgs(&cobra.Command{Args: cobra.ExactArgs(1)}),
		RunE: func(c *cobra.Command, args []string) error {
			w, err := a.open(c.Context())
			if err != nil {
				return err
			}
			if err := w.Config.Unregister(args[0]); err != nil {
				return err
			}
			return a.say(*asJSON, fmt.Sprintf("Unregistered command '%s'", args[0]))
		},
	}
}

func (a *app) say(asJSON bool, message string) error {
	if asJSON {
		return a.json(done{true, message})
	}
	_, err := fmt.Fprintln(a.stdout, message)
	return err
}

func newClean(a *app) *cobra.Command {
	var days int
	var yes, asJSON bool
	c := &cobra.Command{
		Use:   "clean [data|prune|schema|full]",
		Short: "Remove recorded data",
		Long: `Clean removes recorded data:

  data    all runs; configuration and commands stay (the default)
  prune   runs older than --days, or what the [retention] settings do not keep
  schema  the database is made anew; configuration stays
  full    the whole .lq folder is made anew

Serials of removed runs are not used again, except after schema and full.`,
		Example: `  blq clean prune --days 30 --yes
  blq clean full --yes`,
		Args:      cobra.MatchAll(cobra.MaximumNArgs(1), cobra.OnlyValidArgs),
		ValidArgs: []string{"data", "prune", "schema", "full"},
		RunE: func(c *cobra.Command, args []string) error {
			mode := workspace.CleanData
			if len(args) > 0 {
				mode = workspace.CleanMode(args[0])
			}
			if !yes {
				return usage{store.Hint(errors.New("clean removes data for good and wants to be told so"), "blq clean %s --yes", mode)}
			}
			return a.clean(c, mode, days, asJSON)
		},
	}
	c.Flags().IntVar(&days, "days", 0, "with prune: remove runs that are older")
	c.Flags().BoolVarP(&yes, "yes", "y", false, "do it")
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

func (a *app) clean(c *cobra.Command, mode workspace.CleanMode, days int, asJSON bool) error {
	var answer workspace.Cleaned
	if mode == workspace.CleanSchema || mode == workspace.CleanFull {
		cwd, err := os.Getwd()
		if err != nil {
			return err
		}
		dir, err := workspace.Find(cwd, a.getenv)
		if err != nil {
			return err
		}
		if answer, err = workspace.Reset(c.Context(), dir, mode); err != nil {
			return err
		}
	} else {
		w, err := a.open(c.Context())
		if err != nil {
			return err
		}
		if answer, err = w.Clean(c.Context(), mode, days); err != nil {
			return err
		}
	}
	if asJSON {
		return a.json(answer)
	}
	fmt.Fprintln(a.stdout, answer.Message)
	if r := answer.Removed; r != nil {
		fmt.Fprintf(a.stdout, "removed %s, %s, %.1f MB of logs\n", count(r.Invocations, "run"), count(r.Events, "event"), float64(r.BytesFreed)/(1<<20))
	}
	return nil
}

func newFormats(a *app) *cobra.Command {
	var asJSON, markdown bool
	c := &cobra.Command{
		Use:     "formats",
		Short:   "List the formats that are recognised",
		Example: `  blq formats`,
		RunE: func(*cobra.Command, []string) error {
			type format struct {
				Name  string `json:"name"`
				About string `json:"about"`
			}
			list := make([]format, 0, len(parse.All))
			rows := make([][]string, 0, len(parse.All))
			for _, f := range parse.All {
				list = append(list, format{f.Name, f.About})
				rows = append(rows, []string{f.Name, f.About})
			}
			switch {
			case asJSON:
				return a.json(map[string]any{"formats": list})
			case markdown:
				fmt.Fprint(a.stdout, "| format | reads |\n| --- | --- |\n")
				for _, f := range list {
					fmt.Fprintf(a.stdout, "| %s | %s |\n", f.Name, strings.ReplaceAll(f.About, "|", `\|`))
				}
				return nil
			}
			return a.style.table(a.stdout, []string{"FORMAT", "READS"}, rows)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	c.Flags().BoolVar(&markdown, "markdown", false, "print a Markdown table")
	return c
}
