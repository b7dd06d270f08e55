package mcp

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

type inspectIn struct {
	Ref         string   `json:"ref,omitempty" jsonschema:"event (build:1:3) or fingerprint, unless refs"`
	Refs        []string `json:"refs,omitempty" jsonschema:"batch: several events"`
	Lines       int      `json:"lines,omitempty" jsonschema:"before and after" default:"5" min:"0"`
	Log         bool     `json:"include_log_context,omitempty" jsonschema:"log around the event" default:"true"`
	Source      bool     `json:"include_source_context,omitempty" jsonschema:"source around its place" default:"true"`
	Git         bool     `json:"include_git_context,omitempty" jsonschema:"blame and recent commits"`
	Fingerprint bool     `json:"include_fingerprint_history,omitempty" jsonschema:"where it was seen before"`
	Graph       bool     `json:"include_graph_context,omitempty" jsonschema:"node, suspects"`
	Budget
}

// inspectOut is the answer to a single reference: one event.
type inspectOut struct {
	*query.Inspection
	Truncation
	in inspectIn
}

// inspectBatch is the answer to a batch of references.
type inspectBatch struct {
	Results []inspected `json:"results" jsonschema:"one for each of refs" schema:"open"`
	Truncation
	in inspectIn
}

// inspected is an event of a batch, or the reason why the event could not be read.
type inspected struct {
	*query.Inspection
	Asked string `json:"asked,omitempty" jsonschema:"a reference for which there is no event"`
	Error string `json:"error,omitempty" jsonschema:"reason if there is no event"`
}

// maxContext is the max number of context lines before an event or a match. The same limit holds for lines after it.
const maxContext = 200

func (o *inspectOut) parts() []part {
	var list []part
	if c := o.SourceContext; c != nil {
		list = append(list, around(&c.Lines, func(int) []query.Omission {
			return []query.Omission{{What: "source lines farther away",
				Next: callLike("inspect", o.in, "include_log_context", false, "max_bytes", maxBytes)}}
		}))
	}
	if c := o.LogContext; c != nil && len(c.Lines) > 0 {
		from, to := c.Lines[0].Line, c.Lines[len(c.Lines)-1].Line
		run, _, _ := strings.Cut(o.Ref, ":L")
		run = run[:strings.LastIndexByte(run, ':')]
		list = append(list, around(&c.Lines, func(int) []query.Omission {
			return []query.Omission{{What: "log lines farther away",
				Next: store.NewCall("output", "", "ref", fmt.Sprintf("%s:L%d-L%d", run, from, to))}}
		}))
	}
	return list
}

// around returns the log lines around an event as a part. The function fit first removes the lines with the greatest
// distance from the event.
func around(lines *[]query.ContextLine, cut func(n int) []query.Omission) part {
	all := *lines
	at := max(0, slices.IndexFunc(all, func(l query.ContextLine) bool { return l.IsEvent || l.IsError }))
	return part{
		size: len(all),
		keep: func(n int) {
			from := min(max(0, at-n/2), len(all)-n)
			*lines = all[from : from+n : from+n]
		},
		cut: func(n int) []query.Omission {
			if n == len(all) {
				return nil
			}
			return cut(n)
		},
	}
}

// parts returns the parts of the answer to a batch: all events except the first, and the source lines and log lines
// around the first event. So the answer always has the first event, and the next call names fewer events than this
// call.
func (o *inspectBatch) parts() []part {
	all := o.Results
	others := part{
		size: len(all) - 1,
		keep: func(n int) { o.Results = all[: n+1 : n+1] },
		cut: func(n int) []query.Omission {
			return omitted(n+1, len(o.in.Refs), "events",
				callLike("inspect", o.in, "ref", "", "refs", someRefs(o.in.Refs[n+1:])))
		},
	}
	if all[0].Inspection == nil {
		return []part{others}
	}
	in := o.in
	in.Ref, in.Refs = all[0].Ref, nil
	return append([]part{others}, (&inspectOut{Inspection: all[0].Inspection, in: in}).parts()...)
}

// someRefs returns as many of the first refs as fit into a note.
func someRefs(refs []string) []string {
	size := 0
	for i, ref := range refs {
		if size += len(ref); i > 0 && size > 300 {
			return refs[:i]
		}
	}
	return refs
}

var inspectTool = newTool(spec{
	name:        "inspect",
	description: `One event with its log and source; on request blame and history. Example: inspect(ref="build:5:1").`,
	shapes:      []reflect.Type{reflect.TypeFor[inspectOut](), reflect.TypeFor[inspectBatch]()},
}, func(c *call, in inspectIn) (any, error) {
	if in.Ref == "" && len(in.Refs) == 0 {
		return nil, store.Next(store.Errorf(store.Invalid, "inspect needs ref or refs"),
			store.NewCall("events", "lists events with their refs"))
	}
	in.Lines = min(in.Lines, maxContext)
	if len(in.Refs) == 0 {
		i, err := c.Asker.Inspect(c, in.params(c, in.Ref))
		return &inspectOut{Inspection: &i, in: in}, err
	}
	out := &inspectBatch{in: in}
	for _, ref := range in.Refs[:min(len(in.Refs), maxBatch)] {
		i, err := c.Asker.Inspect(c, in.params(c, ref))
		switch {
		case err == nil:
			out.Results = append(out.Results, inspected{Inspection: &i})
		case store.CodeOf(err) == "":
			return nil, err
		default:
			out.Results = append(
				out.Results, inspected{Asked: short(query.Clean(ref)), Error: c.server.problem(c, "inspect", err).Error})
		}
	}
	return out, nil
})

// maxBatch is the max number of items in a batch.
const maxBatch = 100

func (in inspectIn) params(c *call, ref string) query.InspectParams {
	return query.InspectParams{Ref: ref, Lines: in.Lines, Log: in.Log, Source: in.Source, Git: in.Git,
		Fingerprint: in.Fingerprint, Docs: c.server.mentions(), Graph: in.Graph}
}
