package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// hadolintFormat reads hadolint's text: "Dockerfile:3 DL3008 warning: Pin versions".
var hadolintFormat = parse.Format{
	Name:     "hadolint",
	About:    "hadolint: rules for Dockerfiles",
	Triggers: []string{" DL1", " DL3", " DL4", " SC1", " SC2"},
	New:      parse.Stateless(matchHadolint),
}

func matchHadolint(s *parse.Scan, l parse.Line) bool {
	p, rest, ok := parse.PlaceAt(l.Trim())
	if !ok {
		return false
	}
	code, rest, ok := strings.Cut(rest, " ")
	if !ok || len(code) < 5 || !strings.HasPrefix(code, "DL") && !strings.HasPrefix(code, "SC") || !parse.AllDigits(code[2:]) {
		return false
	}
	e := store.Event{Severity: store.SeverityWarning, File: p.File, Line: p.Line, Column: p.Column, Message: strings.TrimPrefix(rest, ": "), Code: code, Category: store.CategoryLint}
	if severity, message, ok := parse.SeverityAt(rest); ok { // versions before 2.0 print none
		e.Severity, e.Message = severity, message
	}
	s.Add(parse.Draft{Event: e})
	return true
}

// yamllintFormat reads yamllint's formats standard and parsable.
var yamllintFormat = parse.Format{
	Name:  "yamllint",
	About: "yamllint: standard and parsable output",
	Triggers: []string{
		": [error] ", ": [warning] ", ".yml", ".yaml",
		" (anchors)", " (braces)", " (brackets)", " (colons)", " (commas)", " (comments", " (document-", " (empty-", " (float-values)", " (hyphens)", " (indentation)",
		" (key-", " (line-length)", " (new-line", " (octal-values)", " (quoted-strings)", " (syntax)", " (trailing-spaces)", " (truthy)",
	},
	New: func() parse.Matcher { return new(yamllint).match },
}

// yamllint knows the file whose problems are listed.
type yamllint struct {
	file string
	line int // where the file was named, or its newest problem
}

// match reads "a.yml:3:1: [error] too many blank lines (5 > 2) (empty-lines)" and
//
//	a.yml
//	  3:1       error    too many blank lines (5 > 2)  (empty-lines)
func (y *yamllint) match(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	if p, rest, ok := parse.PlaceAt(text); ok {
		level, message, ok := strings.Cut(strings.TrimPrefix(rest, "["), "] ")
		return ok && strings.HasPrefix(rest, "[") && addYamllint(s, p, level, message)
	}
	if strings.HasSuffix(text, ".yml") || strings.HasSuffix(text, ".yaml") {
		if text == l.Text && parse.IsFileName(text) {
			y.file, y.line = text, l.N
		}
		return false
	}
	row := strings.Fields(text)
	if y.line != l.N-1 || y.line == 0 || len(row) < 4 || !strings.HasPrefix(l.Text, "  ") {
		return false
	}
	line, n := parse.Number(row[0])
	if n == 0 || !strings.HasPrefix(row[0][n:], ":") {
		return false
	}
	column, _ := parse.Number(row[0][n+1:])
	_, message, _ := strings.Cut(text, " "+row[1]+" ")
	if !addYamllint(s, parse.Place{File: y.file, Line: line, Column: column}, row[1], strings.TrimSpace(message)) {
		return false
	}
	y.line = l.N
	return true
}

func addYamllint(s *parse.Scan, p parse.Place, level, message string) bool {
	severity := store.SeverityError
	switch level {
	case "error":
	case "warning":
		severity = store.SeverityWarning
	default:
		return false
	}
	code := ""
	if i := strings.LastIndex(message, " ("); i > 0 && strings.HasSuffix(message, ")") {
		message, code = strings.TrimSpace(message[:i]), message[i+2:len(message)-1]
	}
	s.Add(parse.Draft{Event: store.Event{Severity: severity, File: p.File, Line: p.Line, Column: p.Column, Message: message, Code: code, Category: store.CategoryLint}})
	return true
}
