package mcp

import (
	"fmt"
	"strconv"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

type lqRefIn struct {
	Ref string `json:"ref" jsonschema:"event, such as 1:3"`
}

// lqDetails is one event with facts about its run, in the form of lq.
type lqDetails struct {
	Ref         string         `json:"ref" jsonschema:"of the event"`
	RunID       int            `json:"run_id" jsonschema:"serial"`
	EventID     int            `json:"event_id" jsonschema:"number in the run"`
	Severity    store.Severity `json:"severity" jsonschema:"error, warning or info"`
	File        string         `json:"file_path,omitempty" jsonschema:"path"`
	Line        int            `json:"line_number,omitempty" jsonschema:"1-based"`
	Column      int            `json:"column_number,omitempty" jsonschema:"1-based"`
	Message     string         `json:"message" jsonschema:"message of the tool"`
	Tool        string         `json:"tool_name,omitempty" jsonschema:"that reported it"`
	Category    store.Category `json:"category,omitempty" jsonschema:"kind of work"`
	Fingerprint string         `json:"error_fingerprint,omitempty" jsonschema:"the same for the same problem in every run"`
	RawText     string         `json:"raw_text,omitempty" jsonschema:"its lines of the log"`
	LogLine     int            `json:"log_line_start,omitempty" jsonschema:"first line in the log"`
	LogLineEnd  int            `json:"log_line_end,omitempty" jsonschema:"last line in the log"`
	lqWhere
	Truncation
}

func (d *lqDetails) parts() []part {
	return []part{rawLines(&d.RawText, func(n, total int) []query.Omission {
		return omitted(n, total, "lines of raw_text", store.NewCall("context", "", "ref", d.Ref))
	})}
}

func lqEventOf(c *call, ref string) (lqDetails, error) {
	e, err := c.EventDetails(c, query.EventParams{Ref: ref})
	parsed, _ := store.ParseRef(e.Ref)
	return lqDetails{
		parsed.Short(), e.RunID, e.EventID, e.Severity, e.File, e.Line, e.Column, e.Message, e.Tool, e.Category,
		e.Fingerprint,
		e.RawText, e.LogLine, e.LogLineEnd, newLQWhere(e.Where), Truncation{},
	}, err
}

var lqEventTool = newTool(spec{
	name:        "event",
	description: `One event with its text and the facts of its run. Example: event(ref="1:3").`,
}, func(c *call, in lqRefIn) (lqDetails, error) { return lqEventOf(c, in.Ref) })

type lqContextIn struct {
	Ref   string `json:"ref" jsonschema:"event, such as 1:3"`
	Lines int    `json:"lines,omitempty" jsonschema:"before and after" default:"5" min:"0"`
}

var lqContext = newTool(spec{
	name:        "context",
	description: `The log around an event. Example: context(ref="1:3", lines=10).`,
}, func(c *call, in lqContextIn) (contextOut, error) {
	around, err := c.Asker.Context(c, query.ContextParams{Ref: in.Ref, Lines: min(in.Lines, maxContext)})
	if ref, bad := store.ParseRef(around.Ref); bad == nil {
		around.Ref = ref.Short()
	}
	return contextOut{Context: around}, err
})

type lqQueryIn struct {
	SQL   string `json:"sql" jsonschema:"SELECT over lq_events, SQLite's dialect"`
	Limit int    `json:"limit,omitempty" jsonschema:"rows at most" default:"100" min:"1"`
}

var lqQuery = newTool(spec{
	name:        "query",
	description: `SQL over lq_events, read-only. Example: query(sql="SELECT file_path, count(*) FROM lq_events WHERE severity='error' GROUP BY 1").`,
}, func(c *call, in lqQueryIn) (lqQueryOut, error) {
	t, err := runQuery(c, queryIn{SQL: in.SQL, Limit: in.Limit})
	return lqQueryOut{t}, err
})

// lqQueryOut is a queryOut with a different note about missing rows: the note names LIMIT and OFFSET of SQL.
type lqQueryOut struct{ queryOut }

func (o *lqQueryOut) parts() []part {
	rows := o.queryOut.parts()[0]
	rows.cut = func(n int) []query.Omission {
		if n == rows.size && !o.More {
			return nil
		}
		return []query.Omission{{What: fmt.Sprintf("the rows after the first %d: LIMIT and OFFSET in SQL get them", n)}}
	}
	return []part{rows}
}

type lqDiffIn struct {
	Run1 int `json:"run1" jsonschema:"baseline" min:"1"`
	Run2 int `json:"run2" jsonschema:"the run that is compared with it" min:"1"`
}

type lqDiffOut struct {
	in      lqDiffIn
	Summary query.DiffSummary `json:"summary" jsonschema:"counts: run1_errors, run2_errors, fixed, new, unchanged" schema:"open"`
	Fixed   []lqChange        `json:"fixed" jsonschema:"errors that are gone"`
	New     []lqChange        `json:"new" jsonschema:"errors that were not there"`
	Truncation
}

// lqChange is an error that is new or fixed.
type lqChange struct {
	Ref     string `json:"ref,omitempty" jsonschema:"of a new one"`
	File    string `json:"file_path,omitempty" jsonschema:"path"`
	Message string `json:"message" jsonschema:"message of the tool"`
}

func (o *lqDiffOut) parts() []part {
	rest := func(total int, what string, run int) func(int) []query.Omission {
		return func(n int) []query.Omission {
			return omitted(n, total, what, callLike("errors", lqWarningsIn{RunID: run, Limit: maxItems}))
		}
	}
	return []part{list(&o.Fixed, rest(o.Summary.Fixed, "fixed errors", o.in.Run1)),
		list(&o.New, rest(o.Summary.New, "new errors", o.in.Run2))}
}

func newLQChanges(list []query.DiffEvent) []lqChange {
	changes := make([]lqChange, len(list))
	for i, e := range list {
		changes[i] = lqChange{e.Ref, e.File, e.Message}
	}
	return changes
}

var lqDiff = newTool(spec{
	name:        "diff",
	description: "Errors that are new and fixed between two runs. Example: diff(run1=4, run2=5).",
}, func(c *call, in lqDiffIn) (lqDiffOut, error) {
	d, err := c.Asker.Diff(
		c, query.DiffParams{Run1: strconv.Itoa(in.Run1), Run2: strconv.Itoa(in.Run2), Limit: maxChanges})
	return lqDiffOut{in: in, Summary: d.Summary, Fixed: newLQChanges(d.Fixed), New: newLQChanges(d.New)}, err
})
