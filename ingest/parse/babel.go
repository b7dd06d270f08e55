package parse

import (
	"strings"

	"github.com/blq-ci/blq/store"
)

// babelFormat reads Babel's syntax errors, which name the file and end in the
// place: "SyntaxError: /x/a.js: Unexpected token (2:10)". Tools built on Babel
// print them unchanged.
var babelFormat = Format{
	Name:     "babel",
	About:    "Babel: syntax errors, from babel, babel-loader and other tools built on it",
	Triggers: []string{"SyntaxError: "},
	New:      stateless(matchBabel),
}

func matchBabel(s *Scan, l Line) bool {
	p, message, ok := babelError(l.Trim())
	if !ok {
		return false
	}
	d := s.Add(Draft{Event: store.Event{Message: strings.TrimPrefix(message, "SyntaxError: "), File: p.File, Line: p.Line, Column: p.Column, Category: store.CategoryCompile}})
	blank := 0
	s.Block(func(l Line) Verdict {
		if l.Trim() == "" {
			if blank++; blank > 2 {
				return Done
			}
			return Take
		}
		var t jsTrace
		if !isCodeFrame(l.Text) && !t.add(l.Text) {
			return Done
		}
		d.Extend(l)
		return Take
	})
	return true
}
