package mcp

import (
	"github.com/blq-ci/blq/internal/runner"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

type registerIn struct {
	Name        string            `json:"name" jsonschema:"name to run it by"`
	Cmd         string            `json:"cmd" jsonschema:"shell command; {placeholders} make it a template"`
	Description string            `json:"description,omitempty" jsonschema:"purpose"`
	Timeout     int               `json:"timeout,omitempty" jsonschema:"seconds; 300 when left out" min:"0"`
	Capture     bool              `json:"capture,omitempty" jsonschema:"whether its runs are recorded" default:"true"`
	Format      string            `json:"format,omitempty" jsonschema:"parser, such as gcc; all when left out"`
	Defaults    map[string]string `json:"defaults,omitempty" jsonschema:"values of {placeholders}"`
	Force       bool              `json:"force,omitempty" jsonschema:"replace a command of that name"`
	RunNow      bool              `json:"run_now,omitempty" jsonschema:"run it at once"`
	Budget
}

// doneOut is the answer of a tool that changes something.
type doneOut struct {
	Success bool   `json:"success" jsonschema:"true when it was done"`
	Message string `json:"message" jsonschema:"result in words"`
}

type registerOut struct {
	doneOut
	Run *ranOut `json:"run,omitempty" jsonschema:"with run_now: as run answers" schema:"open"`
	Truncation
}

func (o *registerOut) parts() []part {
	if o.Run == nil {
		return nil
	}
	return o.Run.parts()
}

var registerTool = newTool(spec{
	name: "register_command", bytes: 8 << 10, waits: true,
	description: `Register a command for run; repeating it is harmless. Example: register_command(name="test", cmd="pytest {path}").`,
}, func(c *call, in registerIn) (registerOut, error) {
	done, err := c.registry().Register(c, runner.Command{
		Name: in.Name, Cmd: in.Cmd, Description: in.Description, Timeout: in.Timeout, Capture: in.Capture, Format: in.Format,
		Defaults: in.Defaults,
	}, in.Force)
	if err != nil {
		return registerOut{}, err
	}
	out := registerOut{doneOut: doneOut{true, query.Clean(done.Message)}}
	if !in.RunNow {
		return out, nil
	}
	r, err := c.commands.Run(c, runner.Request{Name: done.Name, Limit: 20}, c.patience(nil))
	if err != nil {
		return registerOut{},
			store.Next(store.Errorf(store.CodeOf(err), "registered, but not run: %w", err), store.NextOf(err))
	}
	ran := c.ran(r)
	out.Run = &ran
	return out, nil
})

type unregisterIn struct {
	Name string `json:"name" jsonschema:"of the command"`
}

var unregisterTool = newTool(spec{
	name:        "unregister_command",
	description: "Remove a command from the registry; its runs stay.",
}, func(c *call, in unregisterIn) (doneOut, error) {
	if err := c.registry().Unregister(c, in.Name); err != nil {
		return doneOut{}, err
	}
	return doneOut{true, "Unregistered command '" + in.Name + "'"}, nil
})
