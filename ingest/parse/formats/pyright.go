package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// pyrightFormat reads pyright: "  /a/b.py:5:10 - error: message (rule)".
var pyrightFormat = parse.Format{
	Name:     "pyright",
	About:    "pyright and basedpyright: Python type errors",
	Triggers: []string{" - error: ", " - warning: "},
	New:      parse.Stateless(matchPyright),
}

func matchPyright(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	head, rest, ok := strings.Cut(text, " - ")
	p, after, ok2 := parse.PlaceAt(head)
	if !ok || !ok2 || after != "" || p.Column == 0 || !strings.Contains(p.File, ".py") && !strings.Contains(p.File, ".ipynb") {
		return false
	}
	severity, message, ok := parse.SeverityAt(rest)
	if !ok {
		return false
	}
	d := s.Add(parse.Draft{Event: store.Event{Severity: severity, File: p.File, Line: p.Line, Column: p.Column, Category: store.CategoryType}})
	d.Message, d.Code = cutRule(message)
	indent := l.Indent()
	s.Block(func(l parse.Line) parse.Verdict { // more of the message, deeper than its first line
		deeper := l.Indent() > indent || strings.HasPrefix(strings.TrimLeft(l.Text, " "), "\u00a0")
		if d.Code != "" || !deeper || strings.Contains(l.Text, " - error: ") {
			return parse.Done
		}
		rest, code := cutRule(strings.ReplaceAll(l.Trim(), "\u00a0", " "))
		d.Code = code
		if len(d.Message) < 400 {
			d.Message += " " + strings.TrimSpace(rest)
		}
		d.Extend(l)
		return parse.Take
	})
	return true
}

// cutRule splits "message (rule)".
func cutRule(message string) (text, rule string) {
	if rest, ok := strings.CutSuffix(message, ")"); ok {
		if i := strings.LastIndex(rest, " ("); i > 0 && strings.HasPrefix(rest[i+2:], "report") {
			return rest[:i], rest[i+2:]
		}
	}
	return message, ""
}
