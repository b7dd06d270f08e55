package mcp

import (
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

type lqStatusOut struct {
	Sources []lqSource `json:"sources" jsonschema:"newest first"`
	Truncation
}

// lqSource is the newest run of a source, in the form of lq.
type lqSource struct {
	Name     string       `json:"name" jsonschema:"of the source"`
	Status   store.Status `json:"status" jsonschema:"RUNNING, OK, FAIL, TIMEOUT, CANCELLED or ORPHANED"`
	Errors   int          `json:"error_count" jsonschema:"errors"`
	Warnings int          `json:"warning_count" jsonschema:"warnings"`
	LastRun  string       `json:"last_run" jsonschema:"its start"`
	RunID    int          `json:"run_id" jsonschema:"serial"`
}

func (o *lqStatusOut) parts() []part {
	total := len(o.Sources)
	return []part{list(&o.Sources, func(n int) []query.Omission {
		return omitted(n, total, "sources", callLike("history", lqHistoryIn{Limit: maxItems}))
	})}
}

var lqStatus = newTool(spec{
	name: "status", description: "How the newest run of each source (step) went.",
}, func(c *call, _ struct{}) (lqStatusOut, error) {
	s, err := c.Asker.Status(c, query.StatusParams{})
	out := lqStatusOut{Sources: []lqSource{}}
	for _, r := range s.Sources {
		out.Sources = append(out.Sources, lqSource{r.Name, r.Status, r.Errors, r.Warnings, r.LastRun, r.RunID})
	}
	return out, err
})

type lqHistoryIn struct {
	Limit  int    `json:"limit,omitempty" jsonschema:"runs at most" default:"20" min:"1"`
	Source string `json:"source,omitempty" jsonschema:"of this source"`
}

type lqHistoryOut struct {
	Runs []lqRunFacts `json:"runs" jsonschema:"newest first"`
	Truncation
	in lqHistoryIn
}

// lqRunFacts is a run in the form of lq.
type lqRunFacts struct {
	RunID    int          `json:"run_id" jsonschema:"serial"`
	Source   string       `json:"source_name" jsonschema:"step"`
	Status   store.Status `json:"status" jsonschema:"as in status"`
	Errors   int          `json:"error_count" jsonschema:"errors"`
	Warnings int          `json:"warning_count" jsonschema:"warnings"`
	Started  string       `json:"started_at" jsonschema:"UTC"`
	Seconds  *float64     `json:"duration_seconds,omitempty" jsonschema:"seconds, once it has ended"`
	ExitCode *int         `json:"exit_code,omitempty" jsonschema:"of the command"`
	lqWhere
}

// lqWhere says where a run was executed. Its key ci is null outside of CI.
type lqWhere struct {
	query.Where
	CI *store.CI `json:"ci" jsonschema:"provider, workflow, job, pr_number and more; null outside of CI"`
}

func newLQWhere(w query.Where) lqWhere { return lqWhere{w, w.CI} }

func (o *lqHistoryOut) parts() []part {
	found := len(o.Runs)
	return []part{list(&o.Runs, func(n int) []query.Omission {
		switch {
		case n < found:
			return omitted(n, found, "runs, those before", store.Call{})
		case n < o.in.Limit || n == 0:
			return nil
		}
		more := callLike("history", o.in, "limit", min(10*o.in.Limit, maxItems))
		return []query.Omission{{What: "older runs, if there are any", Next: more}}
	})}
}

var lqHistory = newTool(spec{
	name: "history", description: "Past runs, newest first.",
}, func(c *call, in lqHistoryIn) (lqHistoryOut, error) {
	in.Limit = min(in.Limit, maxItems)
	h, err := c.Asker.History(c, query.HistoryParams{Limit: in.Limit, Source: in.Source})
	out := lqHistoryOut{Runs: []lqRunFacts{}, in: in}
	for _, r := range h.Runs {
		facts := lqRunFacts{r.RunID, r.Source, r.Status, r.Errors, r.Warnings, r.Started, &r.Seconds, r.ExitCode,
			newLQWhere(r.Where)}
		if r.Status == store.StatusRunning || r.Status == store.StatusOrphaned {
			facts.Seconds = nil
		}
		out.Runs = append(out.Runs, facts)
	}
	return out, err
})
