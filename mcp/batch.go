package mcp

import (
	"slices"
	"strings"
	"time"

	"github.com/blq-ci/blq/internal/runner"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

// batchOut is the result of several commands.
type batchOut struct {
	Status store.Status `json:"status" jsonschema:"OK when all are, else FAIL, or RUNNING while the last one goes on"`
	Runs   []batchRun   `json:"runs" jsonschema:"batch: as for one command, each" schema:"open"`
	NotRun []string     `json:"not_run,omitempty" jsonschema:"batch: not reached"`
	Next   string       `json:"next_step,omitempty" jsonschema:"the call that tells more"`
	Truncation
}

// batchRun is the result of a command in a batch, or the reason why the command was not run.
type batchRun struct {
	Command string `json:"command"`
	query.Result
	Warning  string           `json:"warning,omitempty"`
	Workflow *runner.Workflow `json:"workflow_run,omitempty"`
	Error    string           `json:"error,omitempty"`
}

func (o *batchOut) parts() []part {
	tails, errors := make([][]string, len(o.Runs)), make([][]query.Event, len(o.Runs))
	longest, errorLines := 0, 0
	for i, r := range o.Runs {
		tails[i], errors[i] = r.Tail, r.Errors
		longest, errorLines = max(longest, len(r.Tail)), max(errorLines, len(r.Errors))
	}
	each := func(do func(r *batchRun, i int)) {
		for i := range o.Runs {
			do(&o.Runs[i], i)
		}
	}
	return []part{
		{longest, func(n int) { each(func(r *batchRun, i int) { r.Tail = tails[i][max(0, len(tails[i])-n):] }) }, nothing},
		{errorLines, func(n int) { each(func(r *batchRun, i int) { r.Errors = errors[i][:min(n, len(errors[i]))] }) },
			func(int) []query.Omission {
				var notes []query.Omission
				each(func(r *batchRun, _ int) {
					next := callLike("events", eventsIn{Ref: r.RunRef, Severity: "error", Offset: len(r.Errors)})
					notes = append(notes, omitted(len(r.Errors), r.Summary.Errors, "errors of "+r.Command, next)...)
				})
				return notes
			}},
	}
}

// runBatch runs commands one after the other, until the max wait is over. It also stops after a failed command, unless
// the caller sets Keep. If a command is not registered, runBatch runs none of the commands.
func (c *call) runBatch(in runIn) (*batchOut, error) {
	if len(in.Args) > 0 || len(in.Extra) > 0 {
		return nil, store.Errorf(store.Invalid, "run: args and extra go with command, not with commands")
	}
	if len(in.Commands) > maxBatch {
		return nil, store.Errorf(store.TooLarge, "run: %d commands in a batch, %d at most", len(in.Commands), maxBatch)
	}
	if err := c.allRegistered(in.Commands); err != nil {
		return nil, err
	}
	out := &batchOut{Status: store.StatusOK, Runs: []batchRun{}}
	until := time.Now().Add(c.patience(in.Wait))
	for i, name := range in.Commands {
		r, err := c.commands.Run(c, in.request(runner.Request{Name: name, Repo: in.Repo, Branch: in.Branch}),
			max(0, time.Until(until)))
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
			if len(known) == 0 {
				return store.Next(err, store.NewCall("commands", "lists them; there are none"))
			}
			return store.Next(err, store.NewCall("commands", "lists them: "+strings.Join(known, ", ")))
		}
	}
	return nil
}

// add adds the result of a command.
func (o *batchOut) add(c *call, name string, r runner.Ran, err error) {
	run := batchRun{Command: name, Result: r.Result, Warning: r.Warning, Workflow: r.Workflow}
	if err != nil {
		p := c.server.problem(c, "run", err)
		run.Error = p.Error
		run.Status, run.Errors = store.StatusFail, []query.Event{}
		o.Next = p.NextStep
	} else if next := c.ran(r).Next; next != "" {
		o.Next = next
	}
	o.Runs = append(o.Runs, run)
	switch run.Status {
	case store.StatusOK:
	case store.StatusRunning:
		o.Status = store.StatusRunning
	default:
		o.Status = store.StatusFail
	}
}
