package parse

import (
	"strings"

	"github.com/blq-ci/blq/store"
)

// antFormat reads why Ant failed. Gradle before 4.0 ends with the same words.
var antFormat = Format{
	Name:   "ant",
	About:  "Ant: where and why the build failed",
	Starts: []string{"BUILD FAILED"},
	New:    stateless(matchAnt),
}

func matchAnt(s *Scan, l Line) bool {
	if l.Trim() != "BUILD FAILED" {
		return false
	}
	d := s.Add(Draft{Weight: Repeat, Event: store.Event{Message: "BUILD FAILED", Category: store.CategoryBuild}})
	lines := 0
	s.Block(func(l Line) Verdict {
		text := l.Trim()
		if lines++; text == "" || strings.HasPrefix(text, "Total time:") || lines > 30 {
			return Done
		}
		if p, message, ok := placeAt(text); ok {
			d.File, d.Line, d.Message = p.File, p.Line, message
		} else if lines == 1 {
			d.Message = text
		} else if !strings.HasPrefix(text, "at ") && len(d.Message) < maxResultMessage {
			d.Message += "\n" + text
		}
		d.Extend(l)
		return Take
	})
	return true
}
