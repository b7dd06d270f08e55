package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// rubocopFormat reads RuboCop. It also reads Standard, ERB Lint, haml-lint, slim-lint, foodcritic and reek, if
// these tools print the same form. Any offense makes RuboCop fail.
var rubocopFormat = parse.Format{
	Name:  "rubocop",
	About: "RuboCop and tools with the same output: default, clang, emacs, simple",
	Triggers: []string{
		": C: ", ": W: ", ": E: ", ": F: ", ": R: ", ": I: ", ".rb ==", "file ==", ".rake ==", ".gemspec ==",
		".ru ==",
	},
	Starts: []string{"C: ", "W: ", "E: ", "F: ", "R: "},
	New:    func() parse.Matcher { return new(rubocop).match },
}

type rubocop struct {
	file string // file in the simple formatter: "== a.rb =="
}

func (r *rubocop) match(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	if name, ok := strings.CutPrefix(text, "== "); ok {
		r.file, ok = strings.CutSuffix(name, " ==")
		return ok
	}
	if len(text) > 2 && text[1] == ':' && text[2] == ' ' {
		return r.simple(s, text)
	}
	p, rest, ok := parse.PlaceAt(text)
	if !ok || len(rest) < 4 || rest[1] != ':' || rest[2] != ' ' || p.Line == 0 {
		return false
	}
	switch rest[0] {
	case 'C', 'W', 'E', 'F', 'R', 'I':
	default:
		return false
	}
	// pylint prints findings in the same form.
	if p.Column == 0 && strings.HasSuffix(p.File, ".py") ||
		isLintCode(strings.TrimSuffix(strings.Fields(rest[3:])[0], ":")) {
		return false
	}
	r.add(s, p, rest[0], rest[3:])
	return true
}

// simple reads "C:  1:  5: Naming/MethodName: message" below the name of a file.
func (r *rubocop) simple(s *parse.Scan, text string) bool {
	line, n := parse.Number(strings.TrimLeft(text[3:], " "))
	rest := strings.TrimLeft(text[3:], " ")[n:]
	if n == 0 || r.file == "" || !strings.HasPrefix(rest, ":") {
		return false
	}
	rest = strings.TrimLeft(rest[1:], " ")
	column, n := parse.Number(rest)
	if n == 0 || !strings.HasPrefix(rest[n:], ": ") {
		return false
	}
	r.add(s, parse.Place{File: r.file, Line: line, Column: column}, text[0], rest[n+2:])
	return true
}

func (r *rubocop) add(s *parse.Scan, p parse.Place, level byte, text string) {
	e := store.Event{File: p.File, Line: p.Line, Column: p.Column, Category: store.CategoryLint}
	for _, mark := range [...]string{"[Correctable] ", "[Corrected] ", "[Todo] "} {
		if rest, ok := strings.CutPrefix(text, mark); ok {
			text = rest
			if mark == "[Corrected] " {
				e.Severity = store.SeverityInfo
			}
		}
	}
	if level == 'I' {
		e.Severity = store.SeverityInfo
	}
	e.Code, e.Message = rubocopCop(text)
	if e.Code == "Lint/Syntax" {
		e.Category = store.CategoryCompile
	}
	s.Add(parse.Draft{Event: e})
}

// rubocopCop splits "Style/Thing: message". Older versions omit the cop.
func rubocopCop(text string) (cop, message string) {
	cop, message, ok := strings.Cut(text, ": ")
	if ok && strings.IndexByte(cop, ' ') < 0 && strings.IndexByte(cop, '/') > 0 {
		return cop, message
	}
	return "", text
}
