package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// agdaFormat reads Agda: a line with only the place, "src/A.agda:6,11-14", and the message below.
var agdaFormat = parse.Format{
	Name:     "agda",
	About:    "Agda: errors and warnings",
	Triggers: []string{".agda:", ".lagda"},
	Match:    matchAgda,
}

func matchAgda(s *parse.Scan, l parse.Line) bool {
	p, ok := agdaPlace(l.Text)
	if !ok {
		return false
	}
	d := s.Add(parse.Draft{Weight: parse.Likely, Event: store.Event{File: p.File, Line: p.Line, Column: p.Column,
		Message: "error", Category: store.CategoryCompile}})
	var words parse.Message
	s.Block(func(l parse.Line) parse.Verdict {
		text := l.Trim()
		if _, next := agdaPlace(l.Text); next || text == "" || hasAnyPrefix(text, "————", "Checking ") {
			return parse.Done
		}
		if _, message, ok := strings.Cut(text, ": Parse error"); ok && strings.HasPrefix(text, p.File) {
			text = "Parse error" + message
		}
		words.Tell(d, text)
		if strings.HasPrefix(d.Message, "Unreachable clause") || strings.HasPrefix(d.Message, "warning: ") {
			d.Severity = store.SeverityWarning
		}
		d.Extend(l)
		return parse.Take
	})
	return true
}

// agdaPlace reads a line that has only a place: "A.agda:6,11-14" or "A.agda:5,1-6,22".
func agdaPlace(text string) (p parse.Place, ok bool) {
	i := strings.LastIndexByte(text, ':')
	if i < 0 || strings.Trim(text[i+1:], "0123456789,-") != "" || strings.Trim(text, " \t") != text {
		return p, false
	}
	line, n := parse.Number(text[i+1:])
	column, ok := strings.CutPrefix(text[i+1+n:], ",")
	if n == 0 || !ok {
		return p, false
	}
	p = parse.Place{File: text[:i], Line: line}
	p.Column, _ = parse.Number(column)
	return p, strings.HasSuffix(p.File, ".agda") || strings.Contains(p.File, ".lagda")
}
