package mcp

import "github.com/blq-ci/blq/ask"

type eventsIn struct {
	Ref         string `json:"ref,omitempty" jsonschema:"run, such as build:5"`
	RunID       runArg `json:"run_id,omitempty" jsonschema:"run, by its serial"`
	Source      string `json:"source,omitempty" jsonschema:"of this source only"`
	Severity    string `json:"severity,omitempty" jsonschema:"error, warning, info, or several with commas"`
	FilePattern string `json:"file_pattern,omitempty" jsonschema:"SQL LIKE pattern over ref_file"`
	Limit       int    `json:"limit,omitempty" jsonschema:"events at most" default:"20" min:"1"`
	Offset      int    `json:"offset,omitempty" jsonschema:"events to skip" min:"0"`
	RunIDs      []int  `json:"run_ids,omitempty" jsonschema:"batch: of each of these runs"`
	LimitPerRun int    `json:"limit_per_run,omitempty" jsonschema:"events of each run of a batch" default:"10" min:"1"`
	Place
	Budget
}

type eventsOut struct {
	ask.EventList
	Truncation
	in eventsIn
}

func (o *eventsOut) parts() []part {
	return []part{list(&o.Events, func(n int) []string {
		next := callText("events", o.in, "offset", o.in.Offset+n)
		if len(o.in.RunIDs) > 0 {
			next = "events(run_id=…, offset=…) for each run"
		}
		return omitted(o.in.Offset+n, o.Total, "events", next)
	})}
}

// mostItems is how many items are asked for at most: more never fit.
const mostItems = 1000

var eventsTool = newTool(spec{
	name: "events", toolset: "ask", hints: showsLog,
	description: `Errors, warnings and failed tests, of one run, or of the newest run of each source. Example: events(run_id=5, severity="error").`,
}, func(c *call, in eventsIn) (eventsOut, error) {
	e, err := c.Asker.Events(c, ask.EventsParams{
		Limit: min(in.Limit, mostItems), Offset: in.Offset, Source: in.Source, Severity: in.Severity, FilePattern: in.FilePattern,
		RunIDs: in.RunIDs, LimitPerRun: min(in.LimitPerRun, mostItems), Ref: in.RunID.or(in.Ref), At: in.at(),
	})
	return eventsOut{EventList: e, in: in}, err
})
