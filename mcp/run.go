package mcp

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/blq-ci/blq/ask"
	"github.com/blq-ci/blq/store"
)

type runIn struct {
	Command  string            `json:"command,omitempty" jsonschema:"name of a registered command; required unless commands is there"`
	Commands []string          `json:"commands,omitempty" jsonschema:"batch: registered commands, run one after the other"`
	Args     map[string]string `json:"args,omitempty" jsonschema:"values of the template's {placeholders}"`
	Extra    []string          `json:"extra,omitempty" jsonschema:"further arguments, each passed as one"`
	Keep     bool              `json:"keep_going,omitempty" jsonschema:"batch: go on after a command that failed"`
	Limits
	Budget
}

// Limits are the parts of an input that bound a run.
type Limits struct {
	Timeout float64 `json:"timeout,omitempty" jsonschema:"seconds; its own, else 300" min:"0"`
	Wait    float64 `json:"wait,omitempty" jsonschema:"seconds to wait, at most 45; then RUNNING" default:"45" min:"0"`
	Limit   int     `json:"limit,omitempty" jsonschema:"errors at most" default:"20" min:"1"`
}

// mostWait is how long an answer may take: clients give up after a minute.
const mostWait = 45 * time.Second

func (l Limits) wait() time.Duration {
	return time.Duration(min(l.Wait, mostWait.Seconds()) * float64(time.Second))
}

// request returns what to run, within the limits.
func (l Limits) request(r RunRequest) RunRequest {
	const most = 365 * 24 * time.Hour
	r.Timeout = time.Duration(min(l.Timeout, most.Seconds()) * float64(time.Second))
	r.Limit = min(l.Limit, mostItems)
	return r
}

// ranOut is how a command went.
type ranOut struct {
	ask.Result
	Warning string `json:"warning,omitempty" jsonschema:"what is not recorded, and why"`
	Next    string `json:"next_step,omitempty" jsonschema:"the call that tells more"`
	Truncation
}

func (o *ranOut) parts() []part {
	lines := o.Tail
	tail := part{
		size: len(lines),
		keep: func(n int) { o.Tail = lines[len(lines)-n:] },
		cut: func(n int) []string {
			return omitted(n, len(lines), "lines of tail", callText("output", outputIn{Ref: o.RunRef, Tail: len(lines)}))
		},
	}
	errors := list(&o.Errors, func(n int) []string {
		return omitted(n, o.Summary.Errors, "errors", callText("events", eventsIn{Ref: o.RunRef, Severity: "error", Offset: n}))
	})
	return []part{tail, errors}
}

// ran is what a tool answers when a command ended, or goes on.
func (c *call) ran(r Ran) ranOut {
	out := ranOut{Result: r.Result, Warning: r.Warning}
	if r.RunRef == "" {
		return out
	}
	switch {
	case r.Status == store.StatusRunning:
		out.Next = c.server.nextStep(fmt.Sprintf("blq info %s   # it goes on; ask how it went", r.RunRef))
	case r.Status != store.StatusOK && len(r.Errors) > 0:
		out.Next = c.server.nextStep(fmt.Sprintf("blq info %s --context 3", r.RunRef))
	case r.Status != store.StatusOK:
		out.Next = c.server.nextStep(fmt.Sprintf("blq output %s --tail 200", r.RunRef))
	}
	return out
}

var runTool = newTool(spec{
	name: "run", toolset: "run", bytes: 8 << 10,
	hints:       hints{destructive: true, openWorld: true},
	description: `Run a registered command (see commands) and say how it went: errors, and the end of the log when it failed. Example: run(command="test", args={"path": "tests/unit"}).`,
	shapes:      []reflect.Type{reflect.TypeFor[ranOut](), reflect.TypeFor[batchOut]()},
}, func(c *call, in runIn) (any, error) {
	switch {
	case len(in.Commands) > 0:
		return c.runBatch(in)
	case in.Command == "":
		return nil, store.Hint(store.Errorf(store.Invalid, "run needs command or commands"), "blq commands   # lists the registered ones")
	}
	r, err := c.commands.Run(c, in.request(RunRequest{Name: in.Command, Args: in.Args, Extra: in.Extra}), in.wait())
	if err != nil {
		return nil, c.unregistered(err)
	}
	out := c.ran(r)
	return &out, nil
})

// unregistered adds to an error what else there is to run a command with.
func (c *call) unregistered(err error) error {
	if store.CodeOf(err) != store.NotFound || !c.server.has("exec") {
		return err
	}
	return store.Hint(store.Errorf(store.NotFound, "%w. Use 'exec' for ad-hoc commands.", err), "%s", store.HintOf(err))
}

// batchOut is how several commands went.
type batchOut struct {
	Status store.Status `json:"status" jsonschema:"OK when all are, else FAIL, or RUNNING while the last one goes on"`
	Runs   []batchRun   `json:"runs" jsonschema:"batch: one for each command that was run, as for one command" schema:"open"`
	Total  int          `json:"total" jsonschema:"batch: commands asked for"`
	Passed int          `json:"passed" jsonschema:"batch: commands that are OK"`
	Failed int          `json:"failed" jsonschema:"batch: commands that are not"`
	NotRun []string     `json:"not_run,omitempty" jsonschema:"batch: commands not reached"`
	Next   string       `json:"next_step,omitempty" jsonschema:"the call that tells more"`
	Truncation
}

// batchRun is how a command of a batch went, or why it could not be run.
type batchRun struct {
	Command string `json:"command"`
	ask.Result
	Warning string `json:"warning,omitempty"`
	Error   string `json:"error,omitempty"`
}

func (o *batchOut) parts() []part {
	tails, errors := make([][]string, len(o.Runs)), make([][]ask.Event, len(o.Runs))
	longest, most := 0, 0
	for i, r := range o.Runs {
		tails[i], errors[i] = r.Tail, r.Errors
		longest, most = max(longest, len(r.Tail)), max(most, len(r.Errors))
	}
	each := func(do func(r *batchRun, i int)) {
		for i := range o.Runs {
			do(&o.Runs[i], i)
		}
	}
	return []part{
		{longest, func(n int) { each(func(r *batchRun, i int) { r.Tail = tails[i][max(0, len(tails[i])-n):] }) }, nothing},
		{most, func(n int) { each(func(r *batchRun, i int) { r.Errors = errors[i][:min(n, len(errors[i]))] }) }, func(int) []string {
			var notes []string
			each(func(r *batchRun, _ int) {
				next := callText("events", eventsIn{Ref: r.RunRef, Severity: "error", Offset: len(r.Errors)})
				notes = append(notes, omitted(len(r.Errors), r.Summary.Errors, "errors of "+r.Command, next)...)
			})
			return notes
		}},
	}
}

// runBatch runs commands one after the other, until one fails or the time to
// wait is over. None is run unless all are registered.
func (c *call) runBatch(in runIn) (*batchOut, error) {
	if len(in.Args) > 0 || len(in.Extra) > 0 {
		return nil, store.Errorf(store.Invalid, "run: args and extra go with command, not with commands")
	}
	if len(in.Commands) > mostBatch {
		return nil, store.Errorf(store.TooLarge, "run: %d commands in a batch, %d at most", len(in.Commands), mostBatch)
	}
	if err := c.allRegistered(in.Commands); err != nil {
		return nil, err
	}
	out := &batchOut{Status: store.StatusOK, Runs: []batchRun{}, Total: len(in.Commands)}
	until := time.Now().Add(in.wait())
	for i, name := range in.Commands {
		r, err := c.commands.Run(c, in.request(RunRequest{Name: name}), max(0, time.Until(until)))
		out.add(c, name, r, err)
		if c.Err() != nil || out.Status == store.StatusRunning || out.Status == store.StatusFail && !in.Keep {
			out.NotRun = in.Commands[i+1:]
			break
		}
	}
	return out, nil
}

func (c *call) allRegistered(names []string) error {
	list, err := c.commands.List(c)
	if err != nil {
		return err
	}
	var known []string
	for _, cmd := range list {
		known = append(known, cmd.Name)
	}
	for _, name := range names {
		if !slices.Contains(known, name) {
			err := store.Errorf(store.NotFound, "'%s' is not a registered command, so nothing was run", name)
			return store.Hint(err, "blq commands   # registered are %s", strings.Join(known, ", "))
		}
	}
	return nil
}

// add takes up how a command went.
func (o *batchOut) add(c *call, name string, r Ran, err error) {
	run := batchRun{Command: name, Result: r.Result, Warning: r.Warning}
	if err != nil {
		p := c.server.problem(c, "run", err)
		run.Error = p.Error
		run.Status, run.Errors = store.StatusFail, []ask.Event{}
		o.Next = p.NextStep
	} else if next := c.ran(r).Next; next != "" {
		o.Next = next
	}
	o.Runs = append(o.Runs, run)
	switch {
	case run.Status == store.StatusOK:
		o.Passed++
	case run.Status == store.StatusRunning:
		o.Status = store.StatusRunning
	default:
		o.Failed++
		o.Status = store.StatusFail
	}
}
