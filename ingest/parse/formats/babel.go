package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// babelFormat reads syntax errors of Babel, and of tools built on Babel. Each error names the file, and ends with the
// place: "SyntaxError: /x/a.js: Unexpected token (2:10)".
var babelFormat = parse.Format{
	Name:     "babel",
	About:    "Babel: syntax errors, from babel, babel-loader and other tools built on it",
	Triggers: []string{"SyntaxError: "},
	Match:    matchBabel,
}

func matchBabel(s *parse.Scan, l parse.Line) bool {
	p, message, ok := babelError(l.Trim())
	if !ok {
		return false
	}
	d := s.Add(parse.Draft{Event: store.Event{Message: strings.TrimPrefix(message, "SyntaxError: "), File: p.File,
		Line: p.Line, Column: p.Column, Category: store.CategoryCompile}})
	var blank parse.Blanks
	s.Block(func(l parse.Line) parse.Verdict {
		if before, empty := blank.Line(l.Trim()); empty && before < 2 {
			return parse.Take
		}
		var t jsTrace
		if !isCodeFrame(l.Text) && !t.add(l.Text) {
			return parse.Done
		}
		d.Extend(l)
		return parse.Take
	})
	return true
}
