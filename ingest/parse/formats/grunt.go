package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// forceIt ends each warning of Grunt that stops the run.
const forceIt = " Use --force to continue."

// cutForceIt removes the text forceIt from the end of a warning, and the BEL characters before this text.
func cutForceIt(warning string) string {
	return strings.TrimSpace(strings.TrimRight(strings.TrimSuffix(warning, forceIt), "\a"))
}

// cutGruntMark removes the mark at the beginning of a warning or an error. Grunt 0.3 wrote a warning like an XML
// element: <WARN> text </WARN>.
func cutGruntMark(text, begin, element string) (rest string, ok bool) {
	if rest, ok = strings.CutPrefix(text, begin); ok {
		return rest, true
	}
	rest, ok = strings.CutPrefix(text, "<"+element+"> ")
	return strings.TrimSuffix(rest, " </"+element+">"), ok
}

// gruntWarning adds the warning with which a task of Grunt failed. A task may log errors above the warning, in lines
// that begin with ">> ". In this case the first of these errors is the cause.
func gruntWarning(s *parse.Scan, l parse.Line, warning string) {
	d := parse.Draft{Event: store.Event{Tool: "grunt", Message: warning, Category: store.CategoryBuild}}
	if strings.HasPrefix(warning, "Task \"") && strings.HasSuffix(warning, "\" failed.") {
		d.Weight = parse.Repeat
	}
	below := l.N
	for _, said := range s.Said(maxGruntErrors) {
		text, ok := strings.CutPrefix(said.Text, ">> ")
		if !ok || said.N < below-3 {
			break
		}
		below, d.LogLine, d.Message = said.N, said.N, text
	}
	if below < l.N {
		gruntPlace(&d)
		d.Message += "\n" + warning
	}
	s.Add(d).Extend(l)
}

// maxGruntErrors is the max number of lines above a warning that belong to it.
const maxGruntErrors = 12

// gruntPlace moves the place at the start of the message to the place of d.
func gruntPlace(d *parse.Draft) {
	p, rest, ok := parse.PlaceAt(d.Message)
	if !ok || rest == "" {
		return
	}
	d.File, d.Line, d.Column, d.Message = p.File, p.Line, p.Column, rest
	if _, message, ok := parse.SeverityAt(rest); ok {
		d.Message = message
	}
}

// uglifyPlace is the line in which the task uglify says where the error is.
var uglifyPlace = parse.Lines{{Text: "Line {line} in {file}", Category: store.CategoryBuild}}

// gruntWarningBlock reads the following lines of a warning whose text has several lines.
func gruntWarningBlock(s *parse.Scan, l parse.Line, warning string) {
	lines := 0
	var at parse.Draft
	s.Block(func(below parse.Line) parse.Verdict {
		text := strings.TrimSuffix(below.Trim(), " </WARN>")
		if lines++; lines > maxGruntErrors || strings.HasPrefix(text, "Running \"") {
			return parse.Done
		}
		ok := strings.HasSuffix(" "+text, forceIt)
		rest := cutForceIt(" " + text)
		if place, ok := uglifyPlace.Read(rest); ok {
			at = place
		} else if rest != "" && len(warning) < parse.MaxText {
			warning += "\n" + rest
		}
		if !ok {
			return parse.Pass
		}
		d := s.Add(parse.Draft{Event: store.Event{Tool: "grunt", Message: warning, Category: store.CategoryBuild,
			File: at.File, Line: at.Line, LogLine: l.N}})
		d.Extend(below)
		return parse.Last
	})
}
