package mcp

import (
	"strings"

	"github.com/blq-ci/blq/internal/runner"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

type lqRunIn struct {
	Command string   `json:"command" jsonschema:"registered name, or a shell command where the server allows any"`
	Args    []string `json:"args,omitempty" jsonschema:"further arguments, each passed as one"`
	Timeout float64  `json:"timeout,omitempty" jsonschema:"seconds; the command's own, else 300" min:"0"`
}

// lqRan is the result of a command in the form of lq.
type lqRan struct {
	RunID    int          `json:"run_id,omitempty" jsonschema:"serial"`
	Status   store.Status `json:"status" jsonschema:"as in status"`
	ExitCode *int         `json:"exit_code,omitempty" jsonschema:"of the command"`
	Seconds  float64      `json:"duration_seconds" jsonschema:"seconds"`
	Errors   int          `json:"error_count" jsonschema:"errors"`
	Warnings int          `json:"warning_count" jsonschema:"warnings"`
	List     []lqEvent    `json:"errors" jsonschema:"first errors"`
	Next     string       `json:"next_step,omitempty" jsonschema:"the call that tells more"`
	Truncation
}

func (o *lqRan) parts() []part {
	return []part{lqRest("errors", lqWarningsIn{RunID: o.RunID}, lqWarningsIn{RunID: o.RunID}, &o.List, o.Errors)}
}

var lqRun = newTool(spec{
	name: "run", bytes: 8 << 10, waits: true,
	description: `Run a registered command and say what it reported; any command where the server allows it. Example: run(command="build", args=["-j8"]).`,
}, func(c *call, in lqRunIn) (lqRan, error) {
	limits := Limits{Timeout: in.Timeout, Limit: 20}
	r, err := c.commands.Run(c, limits.request(runner.Request{Name: in.Command, Extra: in.Args}), c.patience(nil))
	if store.CodeOf(err) == store.NotFound {
		r, err = c.lqRunAny(in, limits, err)
	}
	if err != nil {
		return lqRan{}, err
	}
	out := lqRan{
		Status: r.Status, ExitCode: r.ExitCode, Errors: r.Summary.Errors, Warnings: r.Summary.Warnings,
		List: newLQEvents(r.Result.Errors),
	}
	if r.Status == store.StatusRunning {
		out.Next = c.server.nextStep(store.NewCall("status", "it goes on; ask how it went"))
	}
	if r.RunRef == "" {
		return out, nil // nothing is recorded for this command
	}
	info, err := c.Asker.Info(c, query.InfoParams{Ref: r.RunRef})
	out.RunID, out.Seconds = info.RunID, info.Seconds
	return out, err
})

// lqRunAny runs a command that is not registered, if the server allows such commands. Otherwise it returns the error in
// the parameter unknown, usually with the reason and a hint.
func (c *call) lqRunAny(in lqRunIn, limits Limits, unknown error) (runner.Ran, error) {
	config := c.server.config
	_, can := config.Commands.(runner.Registry)
	switch {
	case !can:
		return runner.Ran{}, unknown
	case config.SafeMode:
		return runner.Ran{}, store.Next(store.Errorf(store.NotFound, "%w; in safe mode no other command runs", unknown),
			c.registered())
	case !config.AllowArbitrary:
		return runner.Ran{}, store.Next(store.Errorf(store.NotFound,
			"%w; start the server with --allow-arbitrary to permit any command", unknown), c.registered())
	}
	return c.commands.Run(c, limits.request(runner.Request{Exec: in.Command, Extra: in.Args}), c.patience(nil))
}

// registered returns a hint for the error about a command that is not registered. The hint lists the registered
// commands. If there are none, the hint says how to register a command.
func (c *call) registered() store.NextStep {
	list, err := c.commands.List(c)
	if err != nil || len(list) == 0 {
		return store.Shell{Line: `blq commands register build "make -j8"`, Why: "there is no registered command"}
	}
	names := make([]string, len(list))
	for i, cmd := range list {
		names[i] = cmd.Name
	}
	return store.NewCall("run", "registered are "+strings.Join(names, ", "), "command", names[0])
}

// lqCommand is a registered command in the form of lq.
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
