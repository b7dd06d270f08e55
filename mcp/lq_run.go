package mcp

import (
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

type lqRunIn struct {
	Command string   `json:"command" jsonschema:"registered name, or a shell command"`
	Args    []string `json:"args,omitempty" jsonschema:"further arguments, each passed as one"`
	Timeout float64  `json:"timeout,omitempty" jsonschema:"seconds; its own, else 300" min:"0"`
}

// lqRan is the result of a command, as lq has it.
type lqRan struct {
	RunID    int          `json:"run_id,omitempty" jsonschema:"serial"`
	Status   store.Status `json:"status" jsonschema:"as in status"`
	ExitCode *int         `json:"exit_code,omitempty" jsonschema:"of the command"`
	Seconds  float64      `json:"duration_seconds,omitempty" jsonschema:"seconds"`
	Errors   int          `json:"error_count" jsonschema:"errors"`
	Warnings int          `json:"warning_count" jsonschema:"warnings"`
	List     []lqEvent    `json:"errors" jsonschema:"first errors"`
	Truncation
}

func (o *lqRan) parts() []part {
	return []part{lqRest("errors", lqEventsIn{RunID: o.RunID}, &o.List, o.Errors)}
}

var lqRun = newTool(spec{
	name: "run", bytes: 8 << 10,
	description: `Run a command, registered or any, and say what it reported. Example: run(command="make", args=["-j8"]).`,
}, func(c *call, in lqRunIn) (lqRan, error) {
	limits := Limits{Timeout: in.Timeout, Wait: maxWait.Seconds(), Limit: 20}
	r, err := c.commands.Run(c, limits.request(RunRequest{Name: in.Command, Extra: in.Args}), maxWait)
	if store.CodeOf(err) == store.NotFound && !c.server.config.SafeMode {
		r, err = c.commands.Run(c, limits.request(RunRequest{Exec: in.Command, Extra: in.Args}), maxWait)
	}
	if err != nil {
		return lqRan{}, err
	}
	out := lqRan{
		Status: r.Status, ExitCode: r.ExitCode, Errors: r.Summary.Errors, Warnings: r.Summary.Warnings,
		List: newLQEvents(r.Result.Errors),
	}
	if r.RunRef == "" {
		return out, nil // the command is not recorded
	}
	info, err := c.Asker.Info(c, query.InfoParams{Ref: r.RunRef})
	out.RunID, out.Seconds = info.RunID, info.Seconds
	return out, err
})

// lqCommand is a registered command as lq has it.
type lqCommand struct {
	Name        string `json:"name"`
	Command     string `json:"command"`
	Description string `json:"description,omitempty"`
	Timeout     int    `json:"timeout"`
}

func lqReadCommands(c *call, _ string, _ map[string]any) (any, error) {
	all, err := c.commands.List(c)
	list := []lqCommand{}
	for _, cmd := range all {
		text := cmd.Cmd
		if cmd.Tpl != "" {
			text = cmd.Tpl
		}
		list = append(list, lqCommand{cmd.Name, text, cmd.Description, cmd.Timeout})
	}
	return map[string]any{"commands": list}, err
}
