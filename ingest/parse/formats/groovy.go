package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// groovyFormat reads the Groovy compiler: "A.groovy: 5: message", and where
// exactly on the line after it.
var groovyFormat = parse.Format{
	Name:     "groovy",
	About:    "Groovy compiler: errors",
	Triggers: []string{".groovy: "},
	New:      parse.Stateless(matchGroovy),
}

func matchGroovy(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	i := strings.Index(text, ".groovy: ")
	if i < 0 {
		return false
	}
	file := text[:i+len(".groovy")]
	line, n := parse.Number(text[i+len(".groovy: "):])
	message, ok := strings.CutPrefix(text[i+len(".groovy: ")+n:], ": ")
	if n == 0 || !ok || !parse.IsFileName(file) {
		return false
	}
	if said, _, ok := cutGroovyPlace(message); ok {
		message = said
	}
	d := s.Add(parse.Draft{Event: store.Event{File: file, Line: line, Message: message, Category: store.CategoryCompile}})
	if _, column, ok := cutGroovyPlace(text); ok {
		d.Column = column
	}
	lines := 0
	s.Block(func(l parse.Line) parse.Verdict {
		text := l.Trim()
		lines++
		if said, column, ok := cutGroovyPlace(" " + text); ok {
			d.Column = column
			if said = strings.TrimSpace(said); said != "" {
				d.Message += "\n" + said
			}
		} else if text == "^" {
			d.Extend(l)
			return parse.Last
		} else if text == "" && lines > 1 || lines > 12 || strings.Contains(text, ".groovy: ") {
			return parse.Done
		}
		d.Extend(l)
		return parse.Take
	})
	return true
}

// cutGroovyPlace splits "unable to resolve class X @ line 5, column 1."
func cutGroovyPlace(text string) (message string, column int, ok bool) {
	i := strings.LastIndex(text, " @ line ")
	if i < 0 {
		return text, 0, false
	}
	_, after, ok := strings.Cut(text[i:], ", column ")
	column, n := parse.Number(after)
	return text[:i], column, ok && n > 0
}
