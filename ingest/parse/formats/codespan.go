package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// codespanFormat reads the reports of codespan, a library that compilers written in Rust report with.
var codespanFormat = parse.Format{
	Name:     "codespan",
	About:    "tools that report with codespan: Gleam, cargo-deny, naga",
	Triggers: []string{"┌─ "},
	Starts:   []string{"error: ", "warning: ", "error[", "warning["},
	New:      func() parse.Matcher { return new(codespan).match },
}

// codespan holds a headline until the line below it has a place.
type codespan struct {
	head parse.Draft
	at   int
}

// match reads "error: Unknown record field", and "  ┌─ src/one/two.gleam:1:12" below it.
func (c *codespan) match(s *parse.Scan, l parse.Line) bool {
	if severity, code, message, ok := rustcHeader(l.Text); ok {
		c.head = parse.Draft{Event: store.Event{Severity: severity, Code: code, Message: message,
			Category: store.CategoryCompile, LogLine: l.N, LogLineEnd: l.N + 1}}
		c.at = l.N
		return false
	}
	place, ok := strings.CutPrefix(l.Trim(), "┌─ ")
	if !ok || c.at == 0 || c.at != l.N-1 || !nameCodespan(&c.head, place) {
		return false
	}
	c.at = 0
	s.Block(parse.Below{Is: func(text string) bool { return strings.Contains(text, "│") }}.Block(s.Add(c.head)))
	return true
}

// nameCodespan gives a diagnostic its place, and the tool that is known by the file.
func nameCodespan(d *parse.Draft, place string) bool {
	p, rest, ok := parse.PlaceAt(place)
	if !ok || rest != "" {
		return false
	}
	d.At(p.File, p.Line, p.Column)
	switch {
	case strings.HasSuffix(p.File, ".gleam"):
		d.Tool = "gleam"
	case hasAnySuffix(p.File, ".toml", ".lock"):
		d.Tool, d.Category = "cargo-deny", store.CategoryLint
	}
	return true
}
