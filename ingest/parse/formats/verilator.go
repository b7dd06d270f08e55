package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// verilatorFormat reads "%Error-CODE: top.v:3:5: message".
var verilatorFormat = parse.Format{
	Name:   "verilator",
	About:  "Verilator: errors and warnings",
	Starts: []string{"%Error", "%Warning"},
	New:    parse.Stateless(matchVerilator),
}

func matchVerilator(s *parse.Scan, l parse.Line) bool {
	d := parse.Draft{Event: store.Event{Severity: store.SeverityError, Category: store.CategoryCompile}}
	rest, ok := strings.CutPrefix(l.Text, "%Error")
	if !ok {
		rest = strings.TrimPrefix(l.Text, "%Warning")
		d.Severity = store.SeverityWarning
	}
	code, message, ok := strings.Cut(rest, ": ")
	if !ok || code != "" && code[0] != '-' {
		return false
	}
	d.Code, d.Message = strings.TrimPrefix(code, "-"), message
	if p, after, ok := parse.PlaceAt(message); ok {
		d.File, d.Line, d.Column, d.Message = p.File, p.Line, p.Column, after
	}
	if hasAnyPrefix(message, "Exiting due to ", "Command Failed ") {
		d.Weight = parse.Repeat
	}
	added := s.Add(d)
	s.Block(func(l parse.Line) parse.Verdict {
		if !isGutter(l.Text) && !strings.HasPrefix(strings.TrimSpace(l.Text), "...") && !strings.HasPrefix(l.Text, "        :") {
			return parse.Done
		}
		added.Extend(l)
		return parse.Take
	})
	return true
}
