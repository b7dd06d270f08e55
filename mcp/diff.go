package mcp

import (
	"strconv"

	"github.com/blq-ci/blq/ask"
)

type diffIn struct {
	Run1 int `json:"run1" jsonschema:"earlier run" min:"1"`
	Run2 int `json:"run2" jsonschema:"later run" min:"1"`
	Budget
}

type diffOut struct {
	ask.Diff
	Truncation
	in diffIn
}

func (o *diffOut) parts() []part {
	all := callText("diff", o.in, "max_bytes", mostBytes)
	return []part{
		list(&o.Fixed, func(n int) []string { return omitted(n, o.Summary.Fixed, "fixed errors", all) }),
		list(&o.New, func(n int) []string { return omitted(n, o.Summary.New, "new errors", all) }),
	}
}

var diffTool = newTool(spec{
	name: "diff", title: "Diff", toolset: "ask", hints: showsLog,
	description: `What changed between two runs: errors that are new, fixed, unchanged. Example: diff(run1=4, run2=5).`,
}, func(c *call, in diffIn) (diffOut, error) {
	d, err := c.Asker.Diff(c, ask.DiffParams{Run1: strconv.Itoa(in.Run1), Run2: strconv.Itoa(in.Run2)})
	return diffOut{Diff: d, in: in}, err
})
