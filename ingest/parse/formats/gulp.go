package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// gulpFormat reads gulp ("[time] 'x' errored after", and then the error) and Grunt ("Warning: … Use --force to
// continue.").
var gulpFormat = parse.Format{
	Name:  "gulp",
	About: "gulp and Grunt: tasks that failed or do not exist",
	Triggers: []string{"' errored after ", "Task never defined: ", "is not in your gulpfile", "Use --force to continue.",
		"The following tasks did not complete: "},
	Starts: []string{"Running \"", "Fatal error: ", "Aborted due to warnings.", "Warning: ", "<WARN> ", "<FATAL> "},
	New:    func() parse.Matcher { return new(gulp).match },
}

type gulp struct{ grunt bool }

// cutGulpTime removes "[12:00:01] " from the start of a line.
func cutGulpTime(text string) (rest string, ok bool) {
	if len(text) < 11 || text[0] != '[' || !isClock(text[1:9]) || text[9:11] != "] " {
		return text, false
	}
	return text[11:], true
}

// isClock reports whether s is a time such as 12:00:01.
func isClock(s string) bool {
	return len(s) == 8 && s[2] == ':' && s[5] == ':' && parse.AllDigits(s[:2]) && parse.AllDigits(s[3:5]) &&
		parse.AllDigits(s[6:])
}

func (g *gulp) match(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	if rest, ok := cutGulpTime(text); ok {
		return g.gulp(s, rest)
	}
	// The line has no time, or the time was removed as a timestamp of the log.
	if hasAnyPrefix(text, "Task never defined: ", unfinished) || strings.HasSuffix(text, "is not in your gulpfile") {
		return g.gulp(s, text)
	}
	if strings.HasPrefix(text, `Running "`) {
		g.grunt = strings.HasSuffix(text, " task")
		return false
	}
	warning, isWarning := cutGruntMark(text, "Warning: ", "WARN")
	fatal, isFatal := cutGruntMark(text, "Fatal error: ", "FATAL")
	switch {
	case isWarning && strings.HasSuffix(warning, forceIt):
		gruntWarning(s, l, cutForceIt(warning))
		return true
	case isWarning && g.grunt:
		gruntWarningBlock(s, l, warning)
		return false
	case text == "Aborted due to warnings.":
		return true // a warning above is the reason
	case g.grunt && isFatal:
		s.Add(parse.Draft{Event: store.Event{Tool: "grunt", Message: cutForceIt(fatal), Category: store.CategoryBuild}})
		return true
	}
	return false
}

// unfinished begins the list of tasks that did not complete. If a task failed, the list only has the tasks that include
// the failed task.
const unfinished = "The following tasks did not complete: "

func (g *gulp) gulp(s *parse.Scan, text string) bool {
	if strings.HasPrefix(text, unfinished) {
		s.Add(parse.Draft{Weight: parse.Repeat, Event: store.Event{Message: text, Category: store.CategoryBuild}})
		return true
	}
	if hasAnyPrefix(text, "Task never defined: ") || strings.HasSuffix(text, "is not in your gulpfile") {
		s.Add(parse.Draft{Event: store.Event{Message: text, Category: store.CategoryBuild}})
		return true
	}
	task, _, ok := strings.Cut(text, "' errored after ")
	if !ok {
		return false
	}
	// The error below may repeat what the task itself has printed.
	d := s.Add(parse.Draft{Weight: parse.Repeat,
		Event: store.Event{Message: task + "' errored", Category: store.CategoryBuild}})
	var trace jsTrace
	first, message := true, false
	s.Block(func(l parse.Line) parse.Verdict {
		text := l.Trim()
		rest, timed := cutGulpTime(text)
		switch {
		case text == "Message:" && strings.HasPrefix(d.Message, "Error in plugin "):
			message = true
		case message && text != "" && l.Indent() > 0:
			d.Message += ": " + text
			message = false
		case first && timed:
			first = false
			if text = rest; strings.Contains(text, "Error") || strings.Contains(text, "rror:") {
				d.Message = text
			}
		case trace.add(text):
			if p := trace.place(); p.File != "" {
				d.At(p.File, p.Line, p.Column)
			}
		default:
			return parse.Done
		}
		d.Extend(l)
		return parse.Take
	})
	return true
}
