package parse

import (
	"strings"

	"github.com/blq-ci/blq/store"
)

// cocoapodsFormat reads CocoaPods and fastlane, which mark their last words alike.
var cocoapodsFormat = Format{
	Name:     "cocoapods",
	About:    "CocoaPods and fastlane",
	Triggers: []string{"- ERROR | ", "- WARN  | "},
	Starts:   []string{"[!] "},
	New:      stateless(matchCocoapods),
}

func matchCocoapods(s *Scan, l Line) bool {
	text := l.Trim()
	d := Draft{Event: store.Event{Category: store.CategoryBuild}}
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
	d.Weight, d.Message = Likely, message
	if strings.Contains(message, "did not pass validation") {
		d.Weight = Repeat
	}
	block := s.Add(d)
	lines := 0
	s.Block(func(l Line) Verdict { // a blank line, then what is meant
		text := l.Trim()
		lines++
		if text == "" && lines == 1 {
			return Take
		}
		if text == "" || l.Indent() == 0 || lines > 30 {
			return Done
		}
		block.Extend(l)
		if strings.Count(block.Message, "\n") < 4 {
			block.Message += "\n" + text
		}
		return Take
	})
	return true
}
