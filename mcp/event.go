package mcp

import (
	"strings"

	"github.com/blq-ci/blq/query"
)

// eventOut is the answer of the tool event: one event with facts about the event's run.
type eventOut struct {
	query.EventDetails
	Truncation
}

func (o *eventOut) parts() []part {
	return []part{rawLines(&o.RawText, func(n, total int) []query.Omission {
		return omitted(n, total, "lines of raw_text", callLike("output", outputIn{Ref: o.Ref}))
	})}
}

// rawLines returns the text of an event as a part. The function fit cuts the part.
func rawLines(text *string, cut func(n, total int) []query.Omission) part {
	lines := strings.Split(*text, "\n")
	return part{
		size: len(lines),
		keep: func(n int) { *text = strings.Join(lines[:n], "\n") },
		cut:  func(n int) []query.Omission { return cut(n, len(lines)) },
	}
}

func readEvent(c *call, ref string, _ map[string]any) (any, error) {
	e, err := c.EventDetails(c, query.EventParams{Ref: ref})
	out := &eventOut{EventDetails: e}
	c.fit(out)
	return out, err
}

// contextOut is the log around an event.
type contextOut struct {
	query.Context
	Truncation
}

func (o *contextOut) parts() []part {
	return []part{around(&o.Lines, func(n int) []query.Omission {
		return omitted(n, n+1, "lines, those farther away", callLike("output", outputIn{Ref: o.Ref}))
	})}
}

type contextQuery struct {
	Lines int `json:"lines,omitempty" default:"5" min:"0"`
}

func readContext(c *call, ref string, arguments map[string]any) (any, error) {
	var q contextQuery
	if err := decode("blq://context", arguments, &q, false); err != nil {
		return nil, err
	}
	context, err := c.Asker.Context(c, query.ContextParams{Ref: ref, Lines: min(q.Lines, maxContext)})
	out := &contextOut{Context: context}
	c.fit(out)
	return out, err
}
