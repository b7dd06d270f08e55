package mcp

import (
	"github.com/blq-ci/blq/internal/cmdline"
	"github.com/blq-ci/blq/internal/markdown"
	"github.com/blq-ci/blq/query"
)

type summarizeIn struct {
	RunID    runArg `json:"run_id,omitempty" jsonschema:"run, by its serial; the newest when left out"`
	Ref      string `json:"ref,omitempty" jsonschema:"run, such as build:5"`
	Source   string `json:"source,omitempty" jsonschema:"of this source"`
	Format   string `json:"format,omitempty" jsonschema:"form of the report" enum:"brief,detailed,pr-comment" default:"\"pr-comment\""`
	Baseline string `json:"baseline,omitempty" jsonschema:"compare with this run, branch or commit"`
	query.At
	Budget
}

var summarizeTool = newTool(spec{
	name:        "summarize",
	description: "Markdown of a run to post: what failed, what is new.",
}, func(c *call, in summarizeIn) (markdown.Report, error) {
	p := markdown.Params{Ref: in.RunID.or(in.Ref), Source: in.Source, At: in.At, Format: markdown.Format(in.Format),
		Baseline: in.Baseline, MaxBytes: c.bytes}
	out, facts, err := markdown.Prepare(c, c.Asker, cmdline.Words, p)
	if err != nil {
		return out, err
	}
	// The text has more bytes as JSON than as Markdown. So the loop tries smaller sizes.
	for limit := c.bytes; ; limit -= limit / 8 {
		out.Markdown = markdown.Render(facts, out.Format, limit)
		if size(out) <= c.bytes || limit < leastBytes {
			return out, nil
		}
	}
})
