package mcp

import (
	"cmp"
	"reflect"
	"slices"
	"strings"

	"github.com/blq-ci/blq/internal/runner"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

type infoIn struct {
	Ref      string  `json:"ref,omitempty" jsonschema:"run, such as build:5; the newest when left out"`
	Head     int     `json:"head,omitempty" jsonschema:"first lines of output" min:"0"`
	Tail     int     `json:"tail,omitempty" jsonschema:"last lines of output" min:"0"`
	Errors   bool    `json:"errors,omitempty" jsonschema:"with its errors"`
	Warnings bool    `json:"warnings,omitempty" jsonschema:"with its warnings"`
	Severity string  `json:"severity,omitempty" jsonschema:"with events of error,warning,info"`
	Limit    int     `json:"limit,omitempty" jsonschema:"events at most" default:"20" min:"1"`
	Context  int     `json:"context,omitempty" jsonschema:"each event with so many log lines around it, and a summary" min:"0"`
	Wait     float64 `json:"wait,omitempty" jsonschema:"seconds to wait for its end" min:"0"`
	Budget
}

// infoOut is the answer of the tool info about a run.
type infoOut struct {
	query.Info
	Truncation
	params query.InfoParams
}

// briefOut is the compact form of the answer of info.
type briefOut struct {
	query.Briefing
	Truncation
	params query.InfoParams
}

// outputPart returns the output of a run as a part. The function fit removes whole lines from the part. p says which
// lines stay longest: the first lines, the last lines, or both.
func outputPart(output *string, run string, p query.InfoParams) part {
	lines := slices.Collect(strings.Lines(*output))
	return part{
		size: len(lines),
		keep: func(n int) {
			switch {
			case p.Tail > 0 && p.Head > 0 && n < len(lines):
				*output = strings.Join(lines[:n/2], "") + "…\n" + strings.Join(lines[len(lines)-(n-n/2):], "")
			case p.Tail > 0 || p.Head == 0:
				*output = strings.Join(lines[len(lines)-n:], "")
			default:
				*output = strings.Join(lines[:n], "")
			}
		},
		cut: func(n int) []query.Omission {
			return omitted(n, len(lines), "lines of output", callLike("output", outputIn{Ref: run, Head: p.Head, Tail: p.Tail}))
		},
	}
}

func (o *infoOut) parts() []part {
	text := outputPart(&o.Output, o.RunRef, o.params)
	events := list(&o.Events, func(n int) []query.Omission {
		return omitted(
			n, o.Total, "events", callLike("events", eventsIn{Ref: o.RunRef, Severity: o.params.WantedSeverity(), Offset: n}))
	})
	return []part{text, events}
}

func (o *briefOut) parts() []part {
	cuts := []part{outputPart(&o.Output, o.RunRef, o.params)}
	if s := o.Summary; s != nil {
		cuts = append(cuts, list(&s.Commits, nothing), list(&s.ByFingerprint, nothing))
	}
	return append(cuts, list(&o.Events, func(n int) []query.Omission {
		return omitted(n, o.Total, "events",
			callLike("events", eventsIn{Ref: o.RunRef, Severity: cmp.Or(o.params.WantedSeverity(), "error"), Offset: n}))
	}))
}

// nothing returns no notes. It is for parts that are cut without a note.
func nothing(int) []query.Omission { return nil }

var infoTool = newTool(spec{
	name: "info", waits: true,
	description: `One run: how it went, with output and events on request. Example: info(ref="build:5", context=3) shows errors with the log around.`,
	shapes:      []reflect.Type{reflect.TypeFor[infoOut](), reflect.TypeFor[briefOut]()},
}, func(c *call, in infoIn) (any, error) {
	p := query.InfoParams{
		Ref: in.Ref, Head: min(in.Head, maxItems), Tail: min(in.Tail, maxItems), Errors: in.Errors, Warnings: in.Warnings,
		Severity: in.Severity,
		Limit:    min(in.Limit, maxItems), Context: min(in.Context, maxContext),
		MaxBytes: c.bytes,
	}
	if in.Wait > 0 {
		r, err := c.Asker.Await(c, in.Ref, c.patience(&in.Wait), func(r store.Run) { runner.Tell(c, r) })
		if err != nil {
			return nil, err
		}
		p.Ref = r.Attempt
	}
	if in.Context > 0 {
		b, err := c.Asker.Brief(c, p)
		return &briefOut{Briefing: b, params: p}, err
	}
	i, err := c.Asker.Info(c, p)
	return &infoOut{Info: i, params: p}, err
})
