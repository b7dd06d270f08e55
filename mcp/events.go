package mcp

import "github.com/blq-ci/blq/ask"

type eventsIn struct {
	Limit       int    `json:"limit,omitempty" jsonschema:"events at most" default:"20" min:"0"`
	Ref         string `json:"ref,omitempty" jsonschema:"run, such as build:5"`
	RunID       int    `json:"run_id,omitempty" jsonschema:"run by its serial" min:"1"`
	Source      string `json:"source,omitempty" jsonschema:"of this source only"`
	Severity    string `json:"severity,omitempty" jsonschema:"error, warning, info, or several with commas"`
	FilePattern string `json:"file_pattern,omitempty" jsonschema:"SQL LIKE over ref_file"`
	RunIDs      []int  `json:"run_ids,omitempty" jsonschema:"batch: of each of these runs"`
	LimitPerRun int    `json:"limit_per_run,omitempty" jsonschema:"events of each run in a batch" default:"10" min:"0"`
	Budget
}

type eventsOut struct {
	ask.EventList
	Truncation
}

func (o *eventsOut) parts() []part {
	return []part{list(&o.Events, func(n int) Cut { return Cut{Omitted: leftOut(n, o.Total, "events")} })}
}

var eventsTool = newTool(spec{
	name: "events", title: "Events", toolset: "ask", hints: showsLog,
	description: `Errors, warnings and failed tests, of one run or of the newest run of each source. Example: events(run_id=5, severity="error").`,
}, func(c *call, in eventsIn) (eventsOut, error) {
	e, err := c.Asker.Events(c, ask.EventsParams{
		Limit: in.Limit, RunID: in.RunID, Source: in.Source, Severity: in.Severity, FilePattern: in.FilePattern,
		RunIDs: in.RunIDs, LimitPerRun: in.LimitPerRun, Ref: in.Ref,
	})
	return eventsOut{EventList: e}, err
})
