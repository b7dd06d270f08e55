package mcp

import (
	"fmt"
	"slices"
	"strings"

	"github.com/blq-ci/blq/query"
)

type eventsIn struct {
	Ref         string `json:"ref,omitempty" jsonschema:"run, such as build:5"`
	RunID       runArg `json:"run_id,omitempty" jsonschema:"run, by its serial"`
	Source      string `json:"source,omitempty" jsonschema:"of this source"`
	Severity    string `json:"severity,omitempty" jsonschema:"error,warning,info; no info when left out"`
	FilePattern string `json:"file_pattern,omitempty" jsonschema:"SQL LIKE pattern over ref_file"`
	Limit       int    `json:"limit,omitempty" jsonschema:"events at most" default:"20" min:"1"`
	Offset      int    `json:"offset,omitempty" jsonschema:"events to skip" min:"0"`
	RunIDs      []int  `json:"run_ids,omitempty" jsonschema:"batch: of each of these runs"`
	LimitPerRun int    `json:"limit_per_run,omitempty" jsonschema:"events of each run of a batch" default:"10" min:"1"`
	query.At
	Budget
}

type eventsOut struct {
	query.EventList
	Truncation
	in eventsIn
}

func (o *eventsOut) parts() []part {
	all := o.Events
	return []part{list(&o.Events, func(n int) []query.Omission {
		if len(o.in.RunIDs) > 0 {
			return o.restOfBatch(all, n)
		}
		return omitted(o.in.Offset+n, o.Total, "events", callLike("events", o.in, "offset", o.in.Offset+n))
	})}
}

// restOfBatch returns the calls that get the missing events of a batch if only the first n events are shown. The first
// call gets the missing events of the run to which all[n] belongs. A second call gets the events of the later runs. If
// all listed events are shown, one call raises the limit of each run.
func (o *eventsOut) restOfBatch(all []query.Event, n int) []query.Omission {
	if n == len(all) {
		return omitted(n, o.Total, "events", callLike("events", o.in, "limit_per_run", min(o.Total, maxItems)))
	}
	run, kept := all[n].RunRef, 0
	for _, e := range all[:n] {
		if e.RunRef == run {
			kept++
		}
	}
	notes := omitted(
		n, o.Total, "events", callLike("events", o.in, "run_ids", nil, "limit_per_run", nil, "ref", run, "offset", kept))
	at := slices.IndexFunc(o.in.RunIDs, func(id int) bool { return strings.HasSuffix(run, fmt.Sprintf(":%d", id)) })
	if later := o.in.RunIDs[at+1:]; at >= 0 && len(later) > 0 {
		notes = append(notes, query.Omission{What: "the runs after it", Next: callLike("events", o.in, "run_ids", later)})
	}
	return notes
}

// maxItems is the max number of items that a tool requests from a store. No answer has room for more items.
const maxItems = 1000

var eventsTool = newTool(spec{
	name:        "events",
	description: `Errors, warnings and failed tests, of one run, or of the newest run of each source. Example: events(run_id=5, severity="error").`,
}, func(c *call, in eventsIn) (eventsOut, error) {
	e, err := c.Asker.Events(c, query.EventsParams{
		Limit: min(in.Limit, maxItems), Offset: in.Offset, Source: in.Source, Severity: in.Severity,
		FilePattern: in.FilePattern,
		RunIDs:      in.RunIDs, LimitPerRun: min(in.LimitPerRun, maxItems), Ref: in.RunID.or(in.Ref), At: in.At,
	})
	return eventsOut{EventList: e, in: in}, err
})
