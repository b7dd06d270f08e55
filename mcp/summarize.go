package mcp

import (
	"cmp"
	"strconv"

	"github.com/blq-ci/blq/internal/report"
)

type summarizeIn struct {
	RunID    int    `json:"run_id,omitempty" jsonschema:"run by its serial" min:"1"`
	Ref      string `json:"ref,omitempty" jsonschema:"run, such as build:5; default the newest"`
	Source   string `json:"source,omitempty" jsonschema:"newest run of this source"`
	Format   string `json:"format,omitempty" jsonschema:"form of the report" enum:"brief,detailed,pr-comment" default:"\"pr-comment\""`
	Baseline string `json:"baseline,omitempty" jsonschema:"compare with this run, branch or commit"`
	Budget
}

var summarizeTool = newTool(spec{
	name: "summarize", title: "Summarize", toolset: "ask", hints: showsLog,
	description: `Finished Markdown about a run, ready to be posted: what failed, what of it is new. Example: summarize(ref="build:5", format="pr-comment").`,
}, func(c *call, in summarizeIn) (report.Report, error) {
	p := report.Params{Ref: in.Ref, Source: in.Source, Format: report.Format(in.Format), Baseline: in.Baseline, MaxBytes: c.bytes}
	if in.RunID > 0 {
		p.Ref = cmp.Or(p.Ref, strconv.Itoa(in.RunID))
	}
	out, facts, err := report.Prepare(c, c.Asker, p)
	if err != nil {
		return out, err
	}
	// JSON has more bytes than the Markdown in it.
	for most := c.bytes; ; most -= most / 8 {
		out.Markdown = report.Render(facts, out.Format, most)
		if size(out) <= c.bytes || most < leastBytes {
			return out, nil
		}
	}
})
