package mcp

import "github.com/blq-ci/blq/internal/runner"

type execIn struct {
	Command string   `json:"command" jsonschema:"shell command"`
	Args    []string `json:"args,omitempty" jsonschema:"further arguments, not split"`
	Limits
	Budget
}

var execTool = newTool(spec{
	name: "exec", bytes: 8 << 10, waits: true,
	description: `Run any shell command; answers as run does. One that begins like a registered command runs as that. Example: exec(command="make", args=["-j8"]).`,
}, func(c *call, in execIn) (ranOut, error) {
	r, err := c.commands.Run(c, in.request(runner.Request{Exec: in.Command, Extra: in.Args}), c.patience(in.Wait))
	if err != nil {
		return ranOut{}, err
	}
	return c.ran(r), nil
})
