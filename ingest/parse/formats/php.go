package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// phpFormat reads what PHP says itself: fatal and parse errors, uncaught
// exceptions, warnings. With display_errors and log_errors it says all twice.
var phpFormat = parse.Format{
	Name:     "php",
	About:    "PHP: fatal and parse errors, uncaught exceptions, warnings",
	Triggers: []string{" on line ", "Fatal error: ", "Errors parsing "},
	Starts:   []string{"PHP ", "Could not open input file: "},
	New:      parse.Stateless(matchPHP),
}

// phpLevels are PHP's words for the grades of its messages.
var phpLevels = []struct {
	word     string
	severity store.Severity
}{
	{"Fatal error: ", store.SeverityError}, {"Parse error: ", store.SeverityError}, {"Catchable fatal error: ", store.SeverityError}, {"Recoverable fatal error: ", store.SeverityError},
	{"Compile error: ", store.SeverityError}, {"Core error: ", store.SeverityError},
	{"Warning: ", store.SeverityWarning}, {"Notice: ", store.SeverityWarning}, {"Deprecated: ", store.SeverityWarning}, {"Strict Standards: ", store.SeverityWarning}, {"Startup: ", store.SeverityWarning},
}

func matchPHP(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	if rest, ok := strings.CutPrefix(text, "Could not open input file: "); ok {
		s.Add(parse.Draft{Event: store.Event{File: rest, Message: text, Category: store.CategoryRuntime}})
		return true
	}
	if rest, ok := strings.CutPrefix(text, "Errors parsing "); ok {
		s.Add(parse.Draft{Weight: parse.Repeat, Event: store.Event{File: rest, Message: text, Category: store.CategoryCompile}})
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
	p, message, ok := phpPlace(message)
	uncaught := strings.HasPrefix(message, "Uncaught ")
	if !ok && !uncaught || severity == store.SeverityWarning && !ok {
		return false
	}
	e := store.Event{Severity: severity, File: p.File, Line: p.Line, Message: message, Category: store.CategoryRuntime}
	if word == "Parse error: " || strings.HasPrefix(message, "Uncaught ParseError") {
		e.Category = store.CategoryCompile
	}
	d := parse.Draft{Event: e, Key: word + p.File + message}
	if !logged {
		d.Rank = parse.Summary
	}
	added := s.Add(d)
	if uncaught {
		s.Block(phpTrace(added))
	}
	return true
}

// phpPlace takes " in FILE on line 12" or " in FILE:12" off the end of a message.
func phpPlace(text string) (p parse.Place, message string, ok bool) {
	i := strings.LastIndex(text, " in ")
	if i < 0 {
		return parse.Place{}, text, false
	}
	at := text[i+len(" in "):]
	if file, rest, found := strings.Cut(at, " on line "); found {
		line, n := parse.Number(rest)
		return parse.Place{File: file, Line: line}, text[:i], n > 0
	}
	p, rest, ok := parse.PlaceAt(at)
	if !ok || rest != "" {
		return parse.Place{}, text, false
	}
	return p, text[:i], true
}

// phpTrace takes the rest of an uncaught exception: more lines of the message,
// the stack, the exceptions that it led to, up to "  thrown in FILE on line 2".
func phpTrace(d *parse.Draft) func(parse.Line) parse.Verdict {
	lines, stack := 0, false
	return func(l parse.Line) parse.Verdict {
		text := l.Trim()
		lines++
		switch {
		case strings.HasPrefix(text, "thrown in "):
			if p, _, ok := phpPlace(" " + text[len("thrown "):]); ok {
				d.At(p.File, p.Line, 0)
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
			p, rest, ok := phpPlace(text)
			d.Message += "\n" + rest
			if ok {
				d.At(p.File, p.Line, 0)
			}
		case !stack && text != "":
			return parse.Done
		}
		d.Extend(l)
		return parse.Take
	}
}
