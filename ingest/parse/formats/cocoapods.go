package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// cocoapodsFormat reads CocoaPods and fastlane. Both mark their final error in the same way.
var cocoapodsFormat = parse.Format{
	Name:     "cocoapods",
	About:    "CocoaPods and fastlane",
	Triggers: []string{"- ERROR | ", "- WARN  | "},
	Starts:   []string{"[!] "},
	Match:    matchCocoapods,
}

func matchCocoapods(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	d := parse.Draft{Event: store.Event{Category: store.CategoryBuild}}
	if message, ok := strings.CutPrefix(text, "- ERROR | "); ok {
		d.Message, d.Category = message, store.CategoryLint
		s.Add(d)
		return true
	}
	if message, ok := strings.CutPrefix(text, "- WARN  | "); ok {
		d.Message, d.Category, d.Severity = message, store.CategoryLint, store.SeverityWarning
		s.Add(d)
		return true
	}
	message, ok := strings.CutPrefix(l.Text, "[!] ")
	if !ok {
		return false
	}
	d.Weight, d.Message = parse.Likely, message
	if containsAny(message, []string{"did not pass validation", "see the log above", "Exit status of command '",
		"Tests have failed"}) {
		d.Weight = parse.Repeat
	}
	s.Block(parse.Below{Blank: 1, Indent: 1, Lines: 30, Join: "\n", Parts: 4}.Block(s.Add(d)))
	return true
}
