package mcp

import (
	"strconv"
	"strings"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/questions"
	"github.com/blq-ci/blq/store"
)

// The files lq.go and lq_*.go offer the tools and resources of lq, blq's predecessor, with lq's parameters and keys.

// lqEvent is an event in the form of lq.
type lqEvent struct {
	Ref      string         `json:"ref" jsonschema:"of the event"`
	File     string         `json:"file_path,omitempty" jsonschema:"path"`
	Line     int            `json:"line_number,omitempty" jsonschema:"1-based"`
	Column   int            `json:"column_number,omitempty" jsonschema:"1-based"`
	Message  string         `json:"message" jsonschema:"message of the tool"`
	Tool     string         `json:"tool_name,omitempty" jsonschema:"that reported it"`
	Category store.Category `json:"category,omitempty" jsonschema:"kind of work"`
}

func newLQEvents(list []query.Event) []lqEvent {
	events := make([]lqEvent, len(list))
	for i, e := range list {
		events[i] = lqEvent{e.Ref, e.File, e.Line, e.Column, e.Message, e.Tool, e.Category}
	}
	return events
}

type lqWarningsIn struct {
	Limit  int    `json:"limit,omitempty" jsonschema:"at most" default:"20" min:"1"`
	RunID  int    `json:"run_id,omitempty" jsonschema:"of this run" min:"1"`
	Source string `json:"source,omitempty" jsonschema:"of this source"`
}

type lqEventsIn struct {
	lqWarningsIn
	FilePattern string `json:"file_pattern,omitempty" jsonschema:"SQL LIKE pattern over file_path"`
}

type lqErrorsOut struct {
	Errors []lqEvent `json:"errors" jsonschema:"in log order"`
	Total  int       `json:"total_count" jsonschema:"also of those not shown"`
	Truncation
	in lqEventsIn
}

func (o *lqErrorsOut) parts() []part {
	return []part{lqRest("errors", o.in.lqWarningsIn, o.in, &o.Errors, o.Total)}
}

type lqWarningsOut struct {
	Warnings []lqEvent `json:"warnings" jsonschema:"in log order"`
	Total    int       `json:"total_count" jsonschema:"also of those not shown"`
	Truncation
	in lqWarningsIn
}

func (o *lqWarningsOut) parts() []part {
	return []part{lqRest("warnings", o.in, o.in, &o.Warnings, o.Total)}
}

// lqRest returns a list of events as a part of an answer. The function fit shortens the part if the answer is too
// large. Then the note about the missing events names an SQL query. If events are missing because of the tool's limit,
// the note names the same tool with a higher limit.
func lqRest(tool string, in lqWarningsIn, asked any, items *[]lqEvent, total int) part {
	found := len(*items)
	return list(items, func(n int) []query.Omission {
		if n == found {
			return omitted(n, total, tool, callLike(tool, asked, "limit", min(total, maxItems)))
		}
		where := "severity = '" + strings.TrimSuffix(tool, "s") + "'"
		if in.RunID > 0 {
			where += " AND run_id = " + strconv.Itoa(in.RunID)
		}
		return omitted(n, total, tool, callLike("query",
			lqQueryIn{SQL: "SELECT * FROM lq_events WHERE " + where + " LIMIT 100 OFFSET " + strconv.Itoa(n)}))
	})
}

func lqEvents(c *call, in lqEventsIn, severity store.Severity) ([]lqEvent, int, error) {
	e, err := c.Asker.Events(c, query.EventsParams{
		Limit: min(in.Limit, maxItems), RunID: in.RunID, Source: in.Source, FilePattern: in.FilePattern,
		Severity: string(severity),
	})
	return newLQEvents(e.Events), e.Total, err
}

var lqErrors = newTool(spec{
	name:        "errors",
	description: "Errors of one run, or of the newest run of each source. Example: errors(run_id=5).",
}, func(c *call, in lqEventsIn) (lqErrorsOut, error) {
	list, total, err := lqEvents(c, in, store.SeverityError)
	return lqErrorsOut{Errors: list, Total: total, in: in}, err
})

var lqWarnings = newTool(spec{
	name:        "warnings",
	description: "Warnings of one run, or of the newest run of each source. Example: warnings(source=\"build\").",
}, func(c *call, in lqWarningsIn) (lqWarningsOut, error) {
	list, total, err := lqEvents(c, lqEventsIn{lqWarningsIn: in}, store.SeverityWarning)
	return lqWarningsOut{Warnings: list, Total: total, in: in}, err
})

// lqTools returns the tools of lq, in the order of its guide.
func lqTools(rows questions.Table) []tool {
	list := []tool{lqRun, lqQuery, lqErrors, lqWarnings, lqEventTool, lqContext, lqStatus, lqHistory, lqDiff}
	for i, t := range list {
		row, found := rows.Find(t.name)
		if !found || !row.Compat {
			panic("no row is of the tool " + t.name + " of lq")
		}
		list[i].row = row
	}
	return list
}

// lqResources are the resources of lq.
var lqResources = []resource{
	{scheme: lqScheme, name: "status", title: "Status", description: "How the newest run of each source went.",
		read: answerTo(lqStatus)},
	{scheme: lqScheme, name: "runs", title: "Runs", description: "Runs, newest first.", read: answerTo(lqHistory)},
	{scheme: lqScheme, name: "runs", template: "{?source,limit}", title: "Runs, selected",
		description: "Runs of a source, newest first.", read: answerTo(lqHistory)},
	{scheme: lqScheme, name: "events", title: "Events", description: "Events of the newest run of each source.",
		read: lqReadEvents},
	{scheme: lqScheme, name: "events", template: "{?severity,run_id}", title: "Events, selected",
		description: "Events by severity and run.", read: lqReadEvents},
	{scheme: lqScheme, name: "event", template: "/{+ref}", title: "Event",
		description: "One event with the facts of its run.",
		read: func(c *call, ref string, _ map[string]any) (any, error) {
			return lqEventTool.call(c, map[string]any{"ref": ref})
		}},
	{scheme: lqScheme, name: "commands", title: "Commands", description: "Registered commands.", tool: "run",
		read: lqReadCommands},
}

const lqScheme = "lq://"

// lqEventsOut is the content of the events resource.
type lqEventsOut struct {
	Events []lqGraded `json:"events"`
	Total  int        `json:"total_count"`
	Truncation
	run int // the run of all events, 0 if there are several runs
}

// lqGraded is an event with its severity, for lists of several severities.
type lqGraded struct {
	lqEvent
	Severity store.Severity `json:"severity"`
}

func (o *lqEventsOut) parts() []part {
	return []part{list(&o.Events, func(n int) []query.Omission {
		return omitted(n, o.Total, "events", callLike("errors", lqWarningsIn{RunID: o.run}))
	})}
}

func lqReadEvents(c *call, _ string, query map[string]any) (any, error) {
	answer, err := eventsTool.call(c, query)
	if err != nil {
		return nil, err
	}
	found := answer.(eventsOut)
	out := &lqEventsOut{Total: found.Total, run: serial(found.in.RunID.or(found.in.Ref))}
	for i, e := range newLQEvents(found.Events) {
		out.Events = append(out.Events, lqGraded{e, found.Events[i].Severity})
	}
	c.fit(out)
	return out, nil
}
