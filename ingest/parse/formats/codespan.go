package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// codespanFormat reads the error reports of codespan, a Rust library that compilers use.
var codespanFormat = parse.Format{
	Name:     "codespan",
	About:    "tools that report with codespan: Gleam, cargo-deny, naga",
	Triggers: []string{"┌─ "},
	Starts:   []string{"error: ", "warning: ", "error[", "warning["},
	New:      func() parse.Matcher { return new(codespan).match },
}

// codespan keeps a headline until the place in the line below is read.
type codespan struct {
	head parse.Draft
	at   int
}

// match reads "error: Unknown record field" and the line "  ┌─ src/one/two.gleam:1:12" below.
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

// nameCodespan sets the place of a diagnostic, and the tool according to the file.
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
