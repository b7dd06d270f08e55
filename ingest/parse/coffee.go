package parse

import (
	"strings"

	"github.com/blq-ci/blq/store"
)

// coffeeFormat reads the CoffeeScript compiler: "a.coffee:8:25: error: message"
// and the source line with a caret.
var coffeeFormat = Format{
	Name:     "coffeescript",
	About:    "CoffeeScript compiler",
	Triggers: []string{".coffee:", ".litcoffee:", "[stdin]:"},
	New:      stateless(matchCoffee),
}

func matchCoffee(s *Scan, l Line) bool {
	p, rest, ok := placeAt(l.Trim())
	if !ok {
		return false
	}
	severity, message, ok := severityAt(rest)
	if !ok {
		return false
	}
	d := s.Add(Draft{Event: store.Event{Severity: severity, File: p.File, Line: p.Line, Column: p.Column, Message: message, Category: store.CategoryCompile}})
	n := 0
	s.Block(func(l Line) Verdict {
		n++
		if strings.Trim(l.Text, " ^") == "" && strings.Contains(l.Text, "^") {
			d.Extend(l)
			return Last
		}
		if n > 1 {
			return Done
		}
		return Pass
	})
	return true
}
