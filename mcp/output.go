package mcp

import (
	"fmt"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

type outputIn struct {
	RunID   runArg `json:"run_id,omitempty" jsonschema:"run, by its serial, unless ref"`
	Ref     string `json:"ref,omitempty" jsonschema:"run, event or lines: build:5, build:5:3, build:5:L40-L60"`
	Stream  string `json:"stream,omitempty" jsonschema:"of the log" enum:"stdout,stderr,combined"`
	Tail    int    `json:"tail,omitempty" jsonschema:"last lines, so many" min:"0"`
	Head    int    `json:"head,omitempty" jsonschema:"first lines, so many" min:"0"`
	Lines   string `json:"lines,omitempty" jsonschema:"range: 40-60"`
	Grep    string `json:"grep,omitempty" jsonschema:"lines that match (RE2), numbered"`
	Context int    `json:"context,omitempty" jsonschema:"around each match" min:"0"`
	Unread  bool   `json:"unread,omitempty" jsonschema:"lines of failure without event"`
	Budget
}

type outputOut struct {
	query.Output
	Truncation
}

// frameBytes is the number of bytes that are reserved for the parts of an answer around its text.
const frameBytes = 800

var outputTool = newTool(spec{
	name:        "output",
	description: `The log of a run, also while it runs: its end, beginning, lines or matches. Example: output(ref="build:5", grep="undefined", context=2).`,
}, func(c *call, in outputIn) (outputOut, error) {
	ref := in.RunID.or(in.Ref)
	if ref == "" {
		return outputOut{},
			store.Next(store.Errorf(store.Invalid, "output needs run_id or ref"), store.NewCall("history", "lists runs"))
	}
	p := query.OutputParams{
		Ref: ref, Stream: in.Stream, Head: in.Head, Tail: in.Tail,
		Grep: in.Grep, Context: min(in.Context, maxContext), Unread: in.Unread, Numbered: true,
		MaxBytes: max(leastBytes, c.bytes) - frameBytes,
	}
	if in.Lines != "" {
		var err error
		if p.From, p.To, err = query.ParseLines(in.Lines); err != nil {
			return outputOut{}, err
		}
	}
	o, err := c.Asker.Output(c, p)
	out := outputOut{Output: o}
	if o.RestFrom > 0 {
		lines := fmt.Sprintf("%d-%d", o.RestFrom, o.RestTo)
		out.Truncated = []query.Omission{
			{What: "lines " + lines, Next: callLike("output", in, "lines", lines, "head", 0, "tail", 0)}}
	}
	if o.CutLine > 0 {
		out.Truncated = append(out.Truncated,
			query.Omission{What: fmt.Sprintf("the end of line %d, which is longer than an answer may be", o.CutLine)})
	}
	return out, err
})
