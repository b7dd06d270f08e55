package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// coffeeFormat reads the CoffeeScript compiler: "a.coffee:8:25: error: message"
// and the source line with a caret.
var coffeeFormat = parse.Format{
	Name:     "coffeescript",
	About:    "CoffeeScript compiler",
	Triggers: []string{".coffee:", ".litcoffee:", "[stdin]:"},
	New:      parse.Stateless(matchCoffee),
}

func matchCoffee(s *parse.Scan, l parse.Line) bool {
	p, rest, ok := parse.PlaceAt(l.Trim())
	if !ok {
		return false
	}
	severity, message, ok := parse.SeverityAt(rest)
	if !ok {
		return false
	}
	d := s.Add(parse.Draft{Event: store.Event{Severity: severity, File: p.File, Line: p.Line, Column: p.Column, Message: message, Category: store.CategoryCompile}})
	n := 0
	s.Block(func(l parse.Line) parse.Verdict {
		n++
		if strings.Trim(l.Text, " ^") == "" && strings.Contains(l.Text, "^") {
			d.Extend(l)
			return parse.Last
		}
		if n > 1 {
			return parse.Done
		}
		return parse.Pass
	})
	return true
}
