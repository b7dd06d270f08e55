package mcp

import "github.com/blq-ci/blq/query"

type statusIn struct {
	query.At
	Budget
}

type statusOut struct {
	query.Status
	Truncation
}

func (o *statusOut) parts() []part {
	total := len(o.Sources)
	return []part{list(&o.Sources, func(n int) []query.Omission {
		return omitted(n, total, "sources", callLike("status", statusIn{}, "max_bytes", maxBytes))
	})}
}

var statusTool = newTool(spec{
	name:        "status",
	description: "How the newest run of each source (step) went.",
}, func(c *call, in statusIn) (statusOut, error) {
	s, err := c.Asker.Status(c, query.StatusParams{At: in.At})
	return statusOut{Status: s}, err
})
