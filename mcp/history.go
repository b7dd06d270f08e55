package mcp

import (
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

type historyIn struct {
	Limit  int    `json:"limit,omitempty" jsonschema:"runs at most" default:"20" min:"1"`
	Source string `json:"source,omitempty" jsonschema:"of this source"`
	Status string `json:"status,omitempty" jsonschema:"only runs in this state" enum:"running,completed,orphaned"`
	Before int    `json:"before,omitempty" jsonschema:"only runs with a lower serial" min:"1"`
	query.At
	Budget
}

type historyOut struct {
	query.History
	Truncation
	in historyIn
}

func (o *historyOut) parts() []part {
	runs := o.Runs
	return []part{list(&o.Runs, func(n int) []query.Omission {
		if n == len(runs) && n < o.in.Limit || n == 0 {
			return nil
		}
		return []query.Omission{
			{What: "older runs, if there are any", Next: callLike("history", o.in, "before", runs[n-1].RunID)}}
	})}
}

var historyTool = newTool(spec{
	name:        "history",
	description: "Past runs, newest first.",
}, func(c *call, in historyIn) (historyOut, error) {
	in.Limit = min(in.Limit, maxItems)
	h, err := c.Asker.History(c,
		query.HistoryParams{Limit: in.Limit, Source: in.Source, State: store.State(in.Status), Before: in.Before, At: in.At})
	return historyOut{History: h, in: in}, err
})
