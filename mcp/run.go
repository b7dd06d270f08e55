package mcp

import (
	"reflect"
	"strings"
	"time"

	"github.com/blq-ci/blq/internal/runner"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

type runIn struct {
	Command  string            `json:"command,omitempty" jsonschema:"registered command, unless commands"`
	Commands []string          `json:"commands,omitempty" jsonschema:"batch: run one after the other"`
	Args     map[string]string `json:"args,omitempty" jsonschema:"values of {placeholders}"`
	Extra    []string          `json:"extra,omitempty" jsonschema:"further arguments, not split"`
	Keep     bool              `json:"keep_going,omitempty" jsonschema:"batch: go on after a command that failed"`
	Repo     string            `json:"repo,omitempty" jsonschema:"owner/name, where several have the command" hosted:"true"`
	Branch   string            `json:"branch,omitempty" jsonschema:"branch to run on, unless the command's own" hosted:"true"`
	Limits
	Budget
}

// Limits are the parameters that bound a run.
type Limits struct {
	Timeout float64  `json:"timeout,omitempty" jsonschema:"seconds; its own, else 300" min:"0"`
	Wait    *float64 `json:"wait,omitempty" jsonschema:"seconds, then RUNNING; max 45 without progress" min:"0"`
	Limit   int      `json:"limit,omitempty" jsonschema:"errors at most" default:"20" min:"1"`
}

// maxWait is the max time that a tool waits for a run. Clients without progress reports give up after a minute.
const maxWait = query.MaxWait * time.Second

// longest is the max time that callers may ask for. A much longer time would overflow a Duration, which holds about 292
// years.
const longest = 365 * 24 * time.Hour

// patience returns the max time to wait for a run. If the client gets progress reports, the tool may wait until the run
// ends.
func (c *call) patience(seconds *float64) time.Duration {
	limit := maxWait
	if runner.WantsProgress(c) {
		limit = longest
	}
	if until, bounded := c.Deadline(); bounded {
		limit = min(limit, time.Until(until)*7/8) // the remaining time is for the answer
	}
	if seconds == nil {
		return limit
	}
	return time.Duration(min(*seconds, limit.Seconds()) * float64(time.Second))
}

// request returns the request to run, within the limits.
func (l Limits) request(r runner.Request) runner.Request {
	r.Timeout = time.Duration(min(l.Timeout, longest.Seconds()) * float64(time.Second))
	r.Limit = min(l.Limit, maxItems)
	return r
}

// ranOut is the result of a command.
type ranOut struct {
	query.Result
	Warning  string           `json:"warning,omitempty" jsonschema:"parts that are not recorded, with the reason"`
	Workflow *runner.Workflow `json:"workflow_run,omitempty" jsonschema:"where it runs: repo, run_id, url" schema:"open" hosted:"true"`
	Next     string           `json:"next_step,omitempty" jsonschema:"the call that tells more"`
	Truncation
}

func (o *ranOut) parts() []part {
	lines := o.Tail
	tail := part{
		size: len(lines),
		keep: func(n int) { o.Tail = lines[len(lines)-n:] },
		cut: func(n int) []query.Omission {
			return omitted(n, len(lines), "lines of tail", callLike("output", outputIn{Ref: o.RunRef, Tail: len(lines)}))
		},
	}
	errors := list(&o.Errors, func(n int) []query.Omission {
		return omitted(
			n, o.Summary.Errors, "errors", callLike("events", eventsIn{Ref: o.RunRef, Severity: "error", Offset: n}))
	})
	return []part{tail, errors}
}

// ran returns the answer of a tool that has run a command. The command may still be running.
func (c *call) ran(r runner.Ran) ranOut {
	out := ranOut{Result: r.Result, Warning: r.Warning, Workflow: r.Workflow}
	if r.RunRef == "" && r.Workflow != nil {
		out.Next = c.server.nextStep(store.NewCall("status", "its runs come as its steps begin", "repo", r.Workflow.Repo))
	}
	if r.RunRef == "" {
		return out
	}
	switch {
	case r.Status == store.StatusRunning:
		out.Next = c.server.nextStep(
			store.NewCall("info", "it goes on; waits for its end", "ref", r.RunRef, "wait", query.MaxWait))
	case r.Status != store.StatusOK && len(r.Errors) > 0:
		out.Next = c.server.nextStep(store.NewCall("info", "", "ref", r.RunRef, "context", 3))
	case r.Status != store.StatusOK:
		out.Next = c.server.nextStep(store.NewCall("output", "", "ref", r.RunRef, "tail", 200))
	}
	return out
}

var runTool = newTool(spec{
	name: "run", bytes: 8 << 10, waits: true,
	description: `Run a registered command and say how it went: errors, and the end of the log when it failed. Example: run(command="test", args={"path": "tests/unit"}).`,
	shapes:      []reflect.Type{reflect.TypeFor[ranOut](), reflect.TypeFor[batchOut]()},
}, func(c *call, in runIn) (any, error) {
	switch {
	case len(in.Commands) > 0:
		return c.runBatch(in)
	case in.Command == "":
		return nil, store.Next(store.Errorf(store.Invalid, "run needs command or commands"),
			store.NewCall("commands", "lists the registered ones"))
	}
	r, err := c.commands.Run(c, in.request(
		runner.Request{Name: in.Command, Repo: in.Repo, Branch: in.Branch, Args: in.Args, Extra: in.Extra}),
		c.patience(in.Wait))
	if err != nil {
		return nil, c.unregistered(err)
	}
	out := c.ran(r)
	return &out, nil
})

// unregistered adds a hint to the error about a command that is not registered. The hint names another tool that can
// run the command.
func (c *call) unregistered(err error) error {
	if store.CodeOf(err) != store.NotFound || !c.server.has("exec") {
		return err
	}
	said := strings.TrimSuffix(err.Error(), ".")
	if !strings.HasSuffix(said, "?") {
		said += "."
	}
	return store.Next(store.Errorf(store.NotFound, "%s Use 'exec' for ad-hoc commands.", said), store.NextOf(err))
}
