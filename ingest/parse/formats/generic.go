package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// genericFormat reads a form that many tools print: file:line:column: severity: message.
var genericFormat = parse.Format{
	Name:  "generic",
	About: "any tool that prints file:line:column: severity: message, or the severity first",
	Triggers: []string{"error:", "warning:", "Error:", "Warning:", "ERROR:", "fatal:", "level=fatal ", "level=error ",
		"level=panic "},
	Lines: parse.Lines{
		// Loggers of Go programs, such as logrus.
		{Text: `{*}level={:fatal|error|panic} msg="{message}"{? {_}}`, Tool: "unknown", Weight: parse.Guess,
			Category: store.CategoryRuntime},
		{Text: "psql:{place}: {severity}: {message}", Tool: "psql", Category: store.CategoryCompile},
		{Text: "{place}: {severity}: {message}", Category: store.CategoryCompile},
	},
	Match: matchGenericAfter,
}

// matchGenericAfter reads "error: a.c:3: message" and "tool error: a.c:3: message".
func matchGenericAfter(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	i := strings.Index(text, "rror: ")
	if i < 1 || i > 40 || strings.Count(text[:i], " ") > 1 || strings.ContainsAny(text[:i], ":/.(") {
		return false
	}
	p, message, ok := parse.PlaceAt(text[i+len("rror: "):])
	if !ok || message == "" {
		return false
	}
	// On GitHub's page, a line that a problem matcher has recognised begins with an additional "Error: ". The severity
	// in the line itself then follows the place.
	if severity, rest, ok := parse.SeverityAt(message); ok {
		if severity != store.SeverityError {
			return false
		}
		message = rest
	}
	e := store.Event{File: p.File, Line: p.Line, Column: p.Column, Message: message, Category: store.CategoryCompile}
	if tool, _, ok := strings.Cut(text[:i], " "); ok {
		e.Tool = strings.ToLower(tool)
	}
	s.Add(parse.Draft{Event: e})
	return true
}
