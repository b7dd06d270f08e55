package backend

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"strings"

	"github.com/blq-ci/blq/ingest/parse/formats"
	"github.com/blq-ci/blq/internal/nearest"
	"github.com/blq-ci/blq/internal/project"
	"github.com/blq-ci/blq/internal/record"
	"github.com/blq-ci/blq/internal/runner"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

// List returns the registered commands, sorted by name.
func (b *Backend) List(context.Context) ([]runner.Command, error) {
	config, err := ReadConfig(b.dir, b.getenv)
	if err != nil {
		return nil, err
	}
	return List(config), nil
}

// List returns the registered commands in the form for answers, sorted by name.
func List(config *project.Config) []runner.Command {
	list := []runner.Command{}
	secrets := record.Redactor()
	for _, name := range config.Names() {
		c := config.Commands[name]
		secrets.Learn(c.Text())
		shown := runner.Command{
			Name: c.Name, Cmd: query.Clean(secrets.Command(c.Cmd)), Tpl: query.Clean(secrets.Command(c.Tpl)),
			Defaults:    c.Defaults,
			Description: query.Clean(c.Description),
			Timeout:     seconds(c), Format: c.Format, Capture: c.Captures(),
		}
		if shown.Format == "" {
			shown.Format = "auto"
		}
		list = append(list, shown)
	}
	return list
}

// Register adds a command. The answer says whether the command was already registered.
func (b *Backend) Register(_ context.Context, c runner.Command, force bool) (runner.Registered, error) {
	cmd := project.Command{
		Name: c.Name, Cmd: c.Cmd, Tpl: c.Tpl, Defaults: c.Defaults, Description: c.Description, Timeout: c.Timeout,
		Format: c.Format,
	}
	if !c.Capture {
		cmd.Capture = &c.Capture
	}
	dir := project.Place(b.dir, b.getenv)
	config, err := project.ReadConfig(filepath.Join(dir, project.ConfigName))
	if err != nil {
		return runner.Registered{}, err
	}
	if err := check(&cmd); err != nil {
		return runner.Registered{}, err
	}
	if _, err := project.Create(dir); err != nil {
		return runner.Registered{}, err
	}
	done, message, err := Register(config, cmd, force)
	if err != nil {
		return runner.Registered{}, err
	}
	return runner.Registered{Name: done.Command.Name, Message: message}, nil
}

// Register adds a command to the configuration. Without force, it keeps a registered command with the same text. The
// returned string says whether the command was added. A command with {placeholders} is a template. Errors: conflict
// when another command has the name and force is not set, invalid when the name, text or format is wrong.
func Register(config *project.Config, cmd project.Command, force bool) (project.Registered, string, error) {
	if err := check(&cmd); err != nil {
		return project.Registered{}, "", err
	}
	done, err := config.Register(cmd, force)
	if err != nil {
		return done, "", err
	}
	secrets := record.Redactor()
	secrets.Learn(done.Command.Text())
	text := secrets.Command(done.Command.Text())
	switch {
	case done.Created:
		return done, fmt.Sprintf("Registered command '%s': %s", cmd.Name, text), nil
	case done.Command.Name != cmd.Name:
		return done, fmt.Sprintf("The same command is registered as '%s': %s", done.Command.Name, text), nil
	case differs(cmd, done.Command):
		return done, fmt.Sprintf("Command '%s' is registered already, and its other settings stay: %s", cmd.Name, text), nil
	}
	return done, fmt.Sprintf("Command '%s' is registered already: %s", cmd.Name, text), nil
}

// check marks a command with {placeholders} as a template. Errors: invalid when the command is
// empty or its format unknown.
func check(cmd *project.Command) error {
	if strings.TrimSpace(cmd.Text()) == "" {
		return store.Next(store.Errorf(store.Invalid, "no command to register"),
			store.NewCall("register_command", "", "name", "build", "cmd", "make -j8"))
	}
	if cmd.Tpl == "" && project.IsTemplate(cmd.Cmd) {
		cmd.Cmd, cmd.Tpl = "", cmd.Cmd
	}
	if cmd.Format == "auto" {
		return nil
	}
	_, err := formats.Select(cmd.Format)
	if err == nil {
		return nil
	}
	var names []string
	for _, f := range formats.All().Formats() {
		names = append(names, f.Name)
	}
	advice := "leave it out to have all tried"
	if like := nearest.Word(cmd.Format, names); like != "" {
		advice = "did you mean " + like + "?"
	}
	return store.Next(store.Errorf(store.Invalid, "%w; %s", err, advice), store.NextOf(err))
}

// differs reports whether a requested setting of a command differs from the existing setting. Empty settings are not
// requested.
func differs(asked project.Command, is *project.Command) bool {
	return asked.Description != "" && asked.Description != is.Description ||
		asked.Timeout != 0 && asked.Timeout != seconds(is) ||
		asked.Format != "" && asked.Format != "auto" && asked.Format != is.Format ||
		asked.Capture != nil && *asked.Capture != is.Captures() ||
		len(asked.Defaults) > 0 && !maps.Equal(asked.Defaults, is.Defaults)
}

// Unregister removes a command.
func (b *Backend) Unregister(_ context.Context, name string) error {
	config, err := ReadConfig(b.dir, b.getenv)
	if err != nil {
		return err
	}
	return config.Unregister(name)
}
