package mcp

import (
	"github.com/blq-ci/blq/internal/runner"
	"github.com/blq-ci/blq/query"
)

type commandsIn struct {
	Budget
}

type commandsOut struct {
	Commands []runner.Command `json:"commands" jsonschema:"name, cmd or tpl, defaults, description, timeout, format, capture" schema:"open"`
	Truncation
}

func (o *commandsOut) parts() []part {
	all := len(o.Commands)
	return []part{list(&o.Commands, func(n int) []query.Omission {
		return omitted(n, all, "commands", callLike("commands", commandsIn{}, "max_bytes", maxBytes))
	})}
}

var commandsTool = newTool(spec{
	name:        "commands",
	description: "The registered commands, for run.",
}, func(c *call, _ commandsIn) (commandsOut, error) {
	list, err := c.commands.List(c)
	return commandsOut{Commands: list}, err
})
