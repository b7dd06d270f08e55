package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// phpFormat reads messages of PHP itself: fatal and parse errors, uncaught exceptions, warnings. With display_errors
// and log_errors, PHP prints each message twice.
var phpFormat = parse.Format{
	Name:     "php",
	About:    "PHP: fatal and parse errors, uncaught exceptions, warnings",
	Triggers: []string{" on line ", "Fatal error: ", "Errors parsing "},
	Starts:   []string{"PHP ", "Could not open input file: "},
	Match:    matchPHP,
}

// phpLevels maps PHP's words for message levels to severities.
var phpLevels = []struct {
	word     string
	severity store.Severity
}{
	{"Fatal error: ", store.SeverityError}, {"Parse error: ", store.SeverityError},
	{"Catchable fatal error: ", store.SeverityError}, {"Recoverable fatal error: ", store.SeverityError},
	{"Compile error: ", store.SeverityError}, {"Core error: ", store.SeverityError},
	{"Warning: ", store.SeverityWarning}, {"Notice: ", store.SeverityWarning}, {"Deprecated: ", store.SeverityWarning},
	{"Strict Standards: ", store.SeverityWarning}, {"Startup: ", store.SeverityWarning},
}

func matchPHP(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	if rest, ok := strings.CutPrefix(text, "Could not open input file: "); ok {
		s.Add(parse.Draft{Event: store.Event{File: rest, Message: text, Category: store.CategoryRuntime}})
		return true
	}
	if rest, ok := strings.CutPrefix(text, "Errors parsing "); ok {
		s.Add(parse.Draft{Weight: parse.Repeat,
			Event: store.Event{File: rest, Message: text, Category: store.CategoryCompile}})
		return true
	}
	rest, logged := strings.CutPrefix(text, "PHP ")
	for _, level := range phpLevels {
		if message, ok := strings.CutPrefix(rest, level.word); ok {
			return phpMessage(s, strings.TrimSpace(message), level.word, level.severity, logged)
		}
	}
	return false
}

func phpMessage(s *parse.Scan, message, word string, severity store.Severity, logged bool) bool {
	at, ok := phpPlaced.Read(message)
	if ok {
		message = at.Message
	}
	uncaught := strings.HasPrefix(message, "Uncaught ")
	if !ok && !uncaught || severity == store.SeverityWarning && !ok {
		return false
	}
	e := store.Event{Severity: severity, File: at.File, Line: at.Line, Message: message, Category: store.CategoryRuntime}
	if word == "Parse error: " || strings.HasPrefix(message, "Uncaught ParseError") {
		e.Category = store.CategoryCompile
	}
	d := parse.Draft{Event: e, Key: word + at.File + message}
	if !logged {
		d.Rank = parse.Summary
	}
	added := s.Add(d)
	if uncaught {
		s.Block(phpTrace(added))
	}
	return true
}

var phpPlaced = parse.Lines{
	{Text: "{message} in {path} on line {line}"},
	{Text: "{message} in {place}"},
}

// phpTrace takes the rest of an uncaught exception, up to "  thrown in FILE on line 2". The rest consists of more lines
// of the message, the stack, and further exceptions.
func phpTrace(d *parse.Draft) func(parse.Line) parse.Verdict {
	lines, stack := 0, false
	return func(l parse.Line) parse.Verdict {
		text := l.Trim()
		lines++
		switch {
		case strings.HasPrefix(text, "thrown in "):
			if at, ok := phpPlaced.Read(text); ok {
				d.At(at.File, at.Line, 0)
			}
			d.Extend(l)
			return parse.Last
		case text == "Stack trace:" || strings.HasPrefix(text, "#"):
			stack = true
		case strings.HasPrefix(text, "PHP ") && stack && parse.IsDigit(strings.TrimLeft(text[4:], " ")[0]):
		case stack && text != "" && !strings.HasPrefix(text, "Next "):
			return parse.Done
		case !stack && text == "" && d.File != "", lines > 200:
			return parse.Done
		case !stack && d.File == "":
			if at, ok := phpPlaced.Read(text); ok {
				text = at.Message
				d.At(at.File, at.Line, 0)
			}
			d.Message += "\n" + text
		case !stack && text != "":
			return parse.Done
		}
		d.Extend(l)
		return parse.Take
	}
}
