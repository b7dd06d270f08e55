package parse

import "github.com/blq-ci/blq/store"

// genericFormat reads what many tools write alike: file:line:column: severity: message.
var genericFormat = Format{
	Name:     "generic",
	About:    "any tool that prints file:line:column: severity: message",
	Triggers: []string{"error:", "warning:", "Error:", "Warning:", "ERROR:"},
	New:      stateless(matchGeneric),
}

func matchGeneric(s *Scan, l Line) bool {
	p, rest, ok := placeAt(l.Trim())
	if !ok {
		return false
	}
	severity, message, ok := severityAt(rest)
	if !ok || message == "" {
		return false
	}
	s.Add(Draft{Event: store.Event{Severity: severity, File: p.File, Line: p.Line, Column: p.Column, Message: message, Category: store.CategoryCompile}})
	return true
}
