package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// justFormat reads the errors of just, and the last line of Task. The place of an error of just is below the message,
// at an arrow.
var justFormat = parse.Format{
	Name:     "just",
	About:    "just and Task: errors of justfiles, failed recipes and tasks",
	Triggers: []string{"——▶ "},
	Starts:   []string{"error: recipe `", "error: Recipe `", "task: Failed to run task "},
	Lines: parse.Lines{
		// The command in the recipe has said why.
		{Text: "^error: «{:r|R}ecipe `{_}` {:failed|was terminated}{*}»", Category: store.CategoryBuild,
			Weight: parse.Repeat},
		{Text: "^task: «Failed to run task {*}»", Tool: "task", Category: store.CategoryBuild, Weight: parse.Repeat},
	},
	Match: matchJust,
}

// matchJust reads "——▶ justfile:3:6" below "error: variable `x` not defined".
func matchJust(s *parse.Scan, l parse.Line) bool {
	at, ok := strings.CutPrefix(l.Trim(), "——▶ ")
	p, _, placed := parse.PlaceAt(at + ":")
	said := s.Said(1)
	if !ok || !placed || len(said) == 0 || said[0].N != l.N-1 {
		return false
	}
	message, ok := strings.CutPrefix(said[0].Text, "error: ")
	if !ok {
		return false
	}
	d := s.Add(parse.Draft{Event: store.Event{File: p.File, Line: p.Line, Column: p.Column, Message: message,
		Category: store.CategoryBuild, LogLine: l.N - 1, LogLineEnd: l.N}})
	s.Block(parse.Below{Is: hasBar}.Block(d))
	return true
}

// hasBar reports whether a line is source with a bar on its left.
func hasBar(text string) bool { return strings.Contains(text, "│") }
