package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// tslintFormat reads TSLint's prose, verbose and stylish output.
var tslintFormat = parse.Format{
	Name:     "tslint",
	About:    "TSLint: prose, verbose and stylish output",
	Starts:   []string{"ERROR: ", "WARNING: "},
	Triggers: []string{".ts:", ".tsx:", ".ts[", ".tsx["},
	New:      func() parse.Matcher { return new(tslint).match },
}

type tslint struct {
	file string // stylish names the file first
	line int
}

func (t *tslint) match(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	rest, ok := cutAny(text, "ERROR: ", "WARNING: ")
	if !ok && strings.Contains(text, "]: ") { // before version 5
		d := parse.Draft{Event: store.Event{Category: store.CategoryLint}}
		if tslintPlace(&d, text) && d.Column > 0 && hasAnySuffix(d.File, ".ts", ".tsx") && parse.IsFileName(d.File) {
			s.Add(d)
			return true
		}
	}
	if !ok {
		if p, ok := jsPlace(text); ok && p.Column > 0 && parse.IsFileName(p.File) && strings.IndexByte(text, ' ') < 0 {
			t.file, t.line = p.File, l.N
		}
		return false
	}
	d := parse.Draft{Event: store.Event{Category: store.CategoryLint}}
	if text[0] == 'W' {
		d.Severity = store.SeverityWarning
	}
	if !t.prose(&d, rest) && !tslintVerbose(&d, rest) && !t.stylish(&d, l, rest) {
		return false
	}
	s.Add(d)
	return true
}

// prose reads "src/a.ts:1:5 - message".
func (t *tslint) prose(d *parse.Draft, rest string) bool {
	at, message, ok := strings.Cut(rest, " - ")
	p, isPlace := jsPlace(at)
	if !ok || !isPlace || p.Column == 0 || !parse.IsFileName(p.File) {
		return false
	}
	d.File, d.Line, d.Column, d.Message = p.File, p.Line, p.Column, message
	return true
}

// tslintVerbose reads "(rule) src/a.ts[1, 5]: message".
func tslintVerbose(d *parse.Draft, rest string) bool {
	if !strings.HasPrefix(rest, "(") {
		return false
	}
	rule, rest, ok := strings.Cut(rest[1:], ") ")
	if !ok || !isRuleName(rule) {
		return false
	}
	d.Code = rule
	return tslintPlace(d, rest)
}

// tslintPlace reads "src/a.ts[1, 5]: message".
func tslintPlace(d *parse.Draft, rest string) bool {
	at, message, ok := strings.Cut(rest, "]: ")
	file, at, ok2 := strings.Cut(at, "[")
	if !ok || !ok2 {
		return false
	}
	line, column, _ := strings.Cut(at, ", ")
	d.File, d.Message = file, message
	d.Line, _ = parse.Number(line)
	d.Column, _ = parse.Number(column)
	return true
}

// stylish reads "1:5   rule    message" below a line with the file.
func (t *tslint) stylish(d *parse.Draft, l parse.Line, rest string) bool {
	if t.file == "" || l.N-t.line > 2 {
		return false
	}
	at, rest, ok := strings.Cut(rest, " ")
	line, column, isPlace := strings.Cut(at, ":")
	rule, message, ok2 := strings.Cut(strings.TrimLeft(rest, " "), " ")
	if !ok || !isPlace || !ok2 || !isRuleName(rule) {
		return false
	}
	t.line = l.N
	d.File, d.Code, d.Message = t.file, rule, strings.TrimSpace(message)
	d.Line, _ = parse.Number(line)
	d.Column, _ = parse.Number(column)
	return d.Line > 0
}
