package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// flake8Format reads "a.py:1:1: F401 message" of flake8 and of pycodestyle,
// and pyflakes' messages, which have no code. Any finding fails these tools.
var flake8Format = parse.Format{
	Name:     "flake8",
	About:    "flake8, pycodestyle and pyflakes: Python lint",
	Triggers: append(eachDigit(".py:", ""), ".pyi:", ".pyx:", ".ipynb:"), // pytest's tests are "a.py::test"
	Starts:   []string{"stdin:"},
	New:      parse.Stateless(matchFlake8),
}

func matchFlake8(s *parse.Scan, l parse.Line) bool {
	p, rest, ok := pythonLintPlace(l.Trim())
	if !ok {
		return false
	}
	code, message, ok := strings.Cut(rest, " ")
	if !ok || message == "" {
		return false
	}
	e := store.Event{File: p.File, Line: p.Line, Column: p.Column, Code: code, Message: message, Category: store.CategoryLint}
	if !isLintCode(code) {
		if !isPyflakes(rest) {
			return false
		}
		e.Code, e.Message = "", rest
		if rest == "invalid syntax" || rest == "unexpected indent" {
			e.Category = store.CategoryCompile
		}
		s.Add(parse.Draft{Event: e})
		return true
	}
	if code == "E999" || code == "E902" {
		e.Category = store.CategoryCompile
	}
	d := parse.Draft{Event: e}
	if isRuffMessage(code, message) {
		ruffFinding(s, &d)
		return true
	}
	s.Add(d)
	return true
}

// pythonLintPlace reads the place of a finding in a Python file.
func pythonLintPlace(text string) (p parse.Place, rest string, ok bool) {
	if rest, found := strings.CutPrefix(text, "stdin:"); found {
		text = "./stdin:" + rest
	}
	p, rest, ok = parse.PlaceAt(text)
	if !ok || rest == "" {
		return p, text, false
	}
	p.File = strings.TrimPrefix(p.File, "./stdin")
	ext := p.File[strings.LastIndexByte(p.File, '.')+1:]
	return p, rest, p.File == "" || ext == "py" || ext == "pyi" || ext == "pyx" || ext == "ipynb"
}

// isLintCode reports whether s is a code such as F401, SIM102 or C0114.
func isLintCode(s string) bool {
	letters := 0
	for letters < len(s) && 'A' <= s[letters] && s[letters] <= 'Z' {
		letters++
	}
	_, digits := parse.Number(s[letters:])
	return letters > 0 && letters < 7 && digits > 1 && digits < 6 && letters+digits == len(s)
}

// isPyflakes knows the messages that pyflakes prints without a code.
func isPyflakes(message string) bool {
	for _, part := range [...]string{" imported but unused", "undefined name '", "redefinition of unused '", " is assigned to but never used", "unable to detect undefined names", "' may be undefined",
		"f-string is missing placeholders", "import '", "list comprehension redefines '", "local variable '", "dictionary key ", "'return' outside function", "invalid syntax", "unexpected indent"} {
		if strings.Contains(message, part) {
			return strings.HasPrefix(message, "'") || !strings.Contains(message, ": ")
		}
	}
	return false
}
