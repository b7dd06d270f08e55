package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// bisonFormat reads GNU Bison, whose places are ranges: "a.y:5.1-4: error: …",
// "a.y:5.1-7.3: …", or a file alone.
var bisonFormat = parse.Format{
	Name:     "bison",
	About:    "GNU Bison: errors and warnings of a grammar",
	Triggers: append(eachDigit(".y:", ""), ".y: ", ".yy:", ".ypp:", ".y++:"),
	New:      parse.Stateless(matchBison),
}

func matchBison(s *parse.Scan, l parse.Line) bool {
	file, rest, ok := strings.Cut(l.Text, ":")
	if !ok || !hasAnySuffix(file, ".y", ".yy", ".ypp", ".y++") || !parse.IsFileName(file) {
		return false
	}
	e := store.Event{File: file, Category: store.CategoryCompile}
	if line, n := parse.Number(rest); n > 0 {
		column, m := parse.Number(strings.TrimPrefix(rest[n:], "."))
		at, message, found := strings.Cut(rest, ": ")
		if m == 0 || !found || strings.Trim(at, "0123456789.-") != "" {
			return false // gcc's, of code in a grammar
		}
		e.Line, e.Column, rest = line, column, message
	}
	severity, message, ok := parse.SeverityAt(strings.TrimSpace(rest))
	if !ok {
		return false
	}
	if severity == store.SeverityInfo { // "note: shift/reduce conflict …" explains the finding before
		if d := s.Newest(); d != nil && d.Tool == "bison" {
			d.Extend(l)
		}
		return true
	}
	var flag string
	e.Message, flag = cutFlag(message)
	e.Severity, e.Code = severity, warningFlag(flag)
	d := s.Add(parse.Draft{Event: e})
	s.Block(func(l parse.Line) parse.Verdict { // the excerpt
		if gutter := strings.TrimLeft(l.Text, " 0123456789"); len(gutter) == len(l.Text) || !strings.HasPrefix(gutter, "|") {
			return parse.Done
		}
		d.Extend(l)
		return parse.Take
	})
	return true
}
