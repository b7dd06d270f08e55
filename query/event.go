package query

import (
	"context"
	"strings"

	"github.com/blq-ci/blq/store"
)

// EventParams name the event to show.
type EventParams struct {
	Ref string `json:"ref" kind:"ref" jsonschema:"event, such as build:1:3"`
}

// EventDetails is an event with facts about the event's run.
type EventDetails struct {
	Ref         string         `json:"ref"`
	RunID       int            `json:"run_id"`
	EventID     int            `json:"event_id"`
	Severity    store.Severity `json:"severity"`
	File        string         `json:"ref_file,omitempty"`
	Line        int            `json:"ref_line,omitempty"`
	Column      int            `json:"ref_column,omitempty"`
	Message     string         `json:"message"`
	Tool        string         `json:"tool_name,omitempty"`
	Category    store.Category `json:"category,omitempty"`
	Code        string         `json:"code,omitempty"`
	Test        string         `json:"test_name,omitempty"`
	Fingerprint string         `json:"fingerprint,omitempty"`
	RawText     string         `json:"raw_text,omitempty"`
	LogLine     int            `json:"log_line_start,omitempty"`
	LogLineEnd  int            `json:"log_line_end,omitempty"`
	Where
}

// maxRawLines is the max number of raw lines of an event.
const maxRawLines = 200

// EventDetails returns one event with its raw text, and facts about the event's run.
func (a *Asker) EventDetails(ctx context.Context, p EventParams) (EventDetails, error) {
	r, e, err := a.event(ctx, p.Ref)
	if err != nil {
		return EventDetails{}, err
	}
	d := EventDetails{
		Ref: r.Ref().WithEvent(e.ID).String(), RunID: r.Serial, EventID: e.ID, Severity: e.Severity, File: Clean(e.File),
		Line: e.Line, Column: e.Column,
		Message: Clean(e.Message), Tool: Clean(e.Tool), Category: e.Category, Code: Clean(e.Code), Test: Clean(e.Test),
		Fingerprint: e.Fingerprint,
		LogLine:     e.LogLine, LogLineEnd: e.LogLineEnd, Where: newWhere(r),
	}
	if e.LogLine == 0 {
		return d, nil
	}
	lines, err := a.log(r, e.Stream).Lines(ctx, e.LogLine, min(max(e.LogLine, e.LogLineEnd), e.LogLine+maxRawLines-1))
	texts := make([]string, len(lines))
	for i, l := range lines {
		texts[i] = Clean(l.Text)
	}
	d.RawText = strings.Join(texts, "\n")
	return d, err
}
