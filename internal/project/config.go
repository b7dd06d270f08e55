package project

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"syscall"

	"github.com/blq-ci/blq/internal/nearest"
	"github.com/blq-ci/blq/internal/regularfile"
	"github.com/blq-ci/blq/internal/settings"
	"github.com/blq-ci/blq/internal/shellword"
	"github.com/blq-ci/blq/store"
)

// ConfigName is the file with settings and commands.
const ConfigName = "config.toml"

const defaultConfig = `# blq keeps what it recorded beside this file. Settings and commands:
#
# [retention]
# days = 90               # remove runs that are older
# runs_per_source = 500   # keep that many runs of each source
# max_mb = 2000           # remove the oldest until the logs fit
#
# [redact]
# off = true              # keep logs that stay here as they are printed, secrets too
#
# [checks]
# off = true              # blq run does not check the rules of the architecture and its documents
#
# [commands.build]
# cmd = "make -j8"
# description = "Build the project"
# timeout = 300           # seconds
#
# [commands.test]
# tpl = "pytest {path} {flags}"
# defaults = { path = "tests/", flags = "-v" }
`

// DefaultTimeout is the timeout in seconds of registered commands that set none. It is also the timeout of other
// commands that agents run without a timeout.
const DefaultTimeout = 300

// Config is the content of .lq/config.toml.
type Config struct {
	path      string
	Retention Retention           `toml:"retention"`
	MCP       MCP                 `toml:"mcp"`
	Redact    Redact              `toml:"redact"`
	Checks    Checks              `toml:"checks"`
	Commands  map[string]*Command `toml:"commands"`
}

// Retention decides which runs are kept. A zero field sets no limit.
type Retention struct {
	Days          int `toml:"days"`
	RunsPerSource int `toml:"runs_per_source"`
	MaxMB         int `toml:"max_mb"`
}

// MCP configures the MCP server.
type MCP struct {
	DisabledTools []string `toml:"disabled_tools"`
}

// Redact configures the removal of secrets from stored data.
type Redact struct {
	Off bool `toml:"off"`
}

// Checks configures the checks after a command.
type Checks struct {
	Off bool `toml:"off"`
}

// Command is a registered command: a shell command, or a template with
// {placeholders}.
type Command struct {
	Name        string            `toml:"-"`
	Cmd         string            `toml:"cmd"`
	Tpl         string            `toml:"tpl"`
	Defaults    map[string]string `toml:"defaults"`
	Description string            `toml:"description"`
	Timeout     int               `toml:"timeout"` // in seconds, 0 for DefaultTimeout
	Format      string            `toml:"format"`  // "" and "auto" for all formats
	Capture     *bool             `toml:"capture"` // nil for true
}

// Text returns the command or template as the user wrote it.
func (c *Command) Text() string {
	if c.Tpl != "" {
		return c.Tpl
	}
	return c.Cmd
}

// Captures reports whether the command's output is stored and parsed.
func (c *Command) Captures() bool { return c.Capture == nil || *c.Capture }

// ReadConfig reads a configuration file. A missing file gives an empty configuration. Errors: invalid, with the line
// of the mistake.
func ReadConfig(path string) (*Config, error) {
	data, err := regularfile.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
		return nil, fmt.Errorf("read configuration: %w", err)
	}
	c, err := parseConfig(path, data)
	if err != nil {
		return nil, store.Next(err, store.Shell{Line: "${EDITOR:-vi} " + shellword.Quote(path)})
	}
	return c, nil
}

func parseConfig(path string, data []byte) (*Config, error) {
	c := &Config{path: path}
	if err := settings.Decode(data, c); err != nil {
		return nil, store.Errorf(store.Invalid, "%s: %v", path, problem(err))
	}
	if c.Commands == nil {
		c.Commands = map[string]*Command{}
	}
	for name, cmd := range c.Commands {
		cmd.Name = name
		switch {
		case !store.IsSourceName(name) || name == "latest":
			return nil, store.Errorf(store.Invalid, "%s: %q cannot name a command", path, name)
		case (cmd.Cmd == "") == (cmd.Tpl == ""):
			return nil, store.Errorf(store.Invalid, "%s: command %q needs either cmd or tpl", path, name)
		case cmd.Timeout < 0:
			return nil, store.Errorf(store.Invalid, "%s: command %q has a negative timeout", path, name)
		}
	}
	return c, nil
}

// problem returns the text of an error in a file, with the place of the mistake if it is known.
func problem(err error) string {
	var p *settings.Problem
	if errors.As(err, &p) {
		return fmt.Sprintf("line %d, column %d: %s", p.Line, p.Column, p.Message)
	}
	return err.Error()
}

// Names returns the names of the registered commands, sorted.
func (c *Config) Names() []string { return slices.Sorted(maps.Keys(c.Commands)) }

// Registered is the result of registering a command.
type Registered struct {
	Command *Command
	Created bool // false if the command already existed, under the same name or another name
}

// Register adds a command. Without force, it returns the existing command if a command with the same text exists under
// any name. With force, it replaces the existing command of that name. Errors: conflict when a command of that name has
// another text and force is not set; invalid when the name is not valid.
func (c *Config) Register(cmd Command, force bool) (Registered, error) {
	if !store.IsSourceName(cmd.Name) || cmd.Name == "latest" {
		return Registered{}, store.Next(store.Errorf(store.Invalid, "%q cannot name a command", cmd.Name),
			store.NewCall("register_command", "letters, digits and . _ -", "name", "build", "cmd", "make -j8"))
	}
	var done Registered
	err := c.change(func(text string) (string, error) {
		if old := c.Commands[cmd.Name]; old != nil && !force {
			if sameText(old, &cmd) {
				done = Registered{Command: old}
				return text, nil
			}
			return "", store.Next(store.Errorf(store.Conflict, "command %q is registered already: %s", cmd.Name, old.Text()),
				store.NewCall("register_command", "", "name", cmd.Name, "cmd", cmd.Text(), "force", true))
		}
		if !force {
			for _, name := range c.Names() {
				if sameText(c.Commands[name], &cmd) {
					done = Registered{Command: c.Commands[name]}
					return text, nil
				}
			}
		}
		table, err := commandTable(cmd)
		if err != nil {
			return "", err
		}
		done = Registered{Command: &cmd, Created: true}
		return putTable(text, cmd.Name, table)
	})
	return done, err
}

// Unregister removes a command. NotFound: the command is not registered.
func (c *Config) Unregister(name string) error {
	if c.Commands[name] == nil {
		return c.nothingToUnregister(name)
	}
	err := c.change(func(text string) (string, error) {
		if c.Commands[name] == nil {
			return "", c.nothingToUnregister(name)
		}
		return putTable(text, name, "")
	})
	if err == nil && c.Commands[name] != nil {
		err = c.byHand(errors.New(name + " is still there"))
	}
	return err
}

func (c *Config) nothingToUnregister(name string) error {
	err := store.Errorf(store.NotFound, "'%s' is not a registered command", name)
	if len(c.Commands) == 0 {
		return store.Next(err, store.NewCall("commands", "lists them; there are none"))
	}
	return store.Next(err, store.NewCall("commands", "lists them: "+strings.Join(c.Names(), ", ")))
}

// Command returns a registered command. NotFound: the command is not registered.
func (c *Config) Command(name string) (*Command, error) {
	if cmd := c.Commands[name]; cmd != nil {
		return cmd, nil
	}
	return nil, c.unknown(name)
}

func (c *Config) unknown(name string) error {
	err := store.Errorf(store.NotFound, "'%s' is not a registered command", name)
	if strings.ContainsAny(name, " \t") {
		return store.Next(err, store.NewCall("exec", "", "command", name))
	}
	if like := nearest.Word(name, c.Names()); like != "" {
		return store.Next(fmt.Errorf("%w; did you mean %s?", err, like), store.NewCall("run", "", "command", like))
	}
	if len(c.Commands) > 0 {
		return store.Next(
			err, store.NewCall("exec", "registered are "+strings.Join(c.Names(), ", "), "command", shellword.Quote(name)))
	}
	return store.Next(err, store.NewCall("exec", "", "command", shellword.Quote(name)))
}

func sameText(a, b *Command) bool {
	return strings.Join(strings.Fields(a.Text()), " ") == strings.Join(strings.Fields(b.Text()), " ") &&
		(a.Tpl == "") == (b.Tpl == "")
}
