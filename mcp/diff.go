package mcp

import "github.com/blq-ci/blq/query"

type diffIn struct {
	Run1     runArg `json:"run1,omitempty" jsonschema:"earlier run; the baseline when left out"`
	Run2     runArg `json:"run2,omitempty" jsonschema:"later run; the newest when left out"`
	Baseline string `json:"baseline,omitempty" jsonschema:"instead of run1: a run, branch or commit"`
	Source   string `json:"source,omitempty" jsonschema:"without run2: the newest run of this source"`
	query.At
	Budget
}

type diffOut struct {
	query.Diff
	Truncation
	in diffIn
}

func (o *diffOut) parts() []part {
	more := func(total int, what string) func(int) []query.Omission {
		return func(n int) []query.Omission {
			next := callLike("diff", o.in, "max_bytes", maxBytes)
			if o.in.MaxBytes >= maxBytes {
				next = callLike("events", eventsIn{Ref: o.Head.String(), Severity: "error", Limit: maxItems})
			}
			return omitted(n, total, what, next)
		}
	}
	unchanged := o.Summary.Unchanged
	if o.Unchanged == nil { // a comparison of two named runs has no such list
		unchanged = 0
	}
	return []part{
		list(&o.Unchanged, more(unchanged, "unchanged errors")),
		list(&o.Fixed, more(o.Summary.Fixed, "fixed errors")),
		list(&o.New, more(o.Summary.New, "new errors")),
	}
}

// maxChanges is the max number of errors that are read for each list of a diff. No answer has room for more errors.
const maxChanges = 3000

var diffTool = newTool(spec{
	name:        "diff",
	description: `Errors new, fixed, unchanged between two runs, or a run and its baseline. Example: diff(run1=4, run2=5).`,
}, runDiff)

// runDiff answers the tool diff with the differences between two runs.
func runDiff(c *call, in diffIn) (diffOut, error) {
	d, err := c.Asker.Diff(c, query.DiffParams{
		Run1: string(in.Run1), Run2: string(in.Run2), Baseline: in.Baseline, Source: in.Source, At: in.At, Limit: maxChanges,
	})
	return diffOut{Diff: d, in: in}, err
}
