package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// antFormat reads the reason why Ant failed, below the line "BUILD FAILED". Gradle before 4.0 ends a failed build
// with the same line.
var antFormat = parse.Format{
	Name:   "ant",
	About:  "Ant: the reason for a failed build, with its place",
	Starts: []string{"BUILD FAILED", "Buildfile: "},
	Lines: parse.Lines{
		{Text: "Buildfile: {message} does not exist!", Category: store.CategoryBuild, Then: antWithout},
	},
	Match: matchAnt,
}

// antWithout completes the message about a build file that does not exist.
func antWithout(d *parse.Draft) { d.Message += " does not exist" }

func matchAnt(s *parse.Scan, l parse.Line) bool {
	if l.Trim() != "BUILD FAILED" {
		return false
	}
	d := s.Add(parse.Draft{Weight: parse.Repeat,
		Event: store.Event{Message: "BUILD FAILED", Category: store.CategoryBuild}})
	lines := 0
	s.Block(func(l parse.Line) parse.Verdict {
		text := l.Trim()
		if lines++; text == "" || strings.HasPrefix(text, "Total time:") || lines > 30 {
			return parse.Done
		}
		if p, message, ok := parse.PlaceAt(text); ok {
			d.File, d.Line, d.Message = p.File, p.Line, message
		} else if lines == 1 {
			d.Message = text
		} else if !strings.HasPrefix(text, "at ") && len(d.Message) < maxResultMessage {
			d.Message += "\n" + text
		}
		d.Extend(l)
		return parse.Take
	})
	return true
}
