package parse

import (
	"strings"

	"github.com/blq-ci/blq/store"
)

// prettierFormat reads prettier --check and --list-different: names of files
// that are not formatted, and files that it could not read.
var prettierFormat = Format{
	Name:     "prettier",
	About:    "Prettier: --check, --list-different, syntax errors",
	Triggers: []string{"[error] ", "prettier --list-different", "prettier -l ", "prettier\" -l "},
	Starts:   []string{"Checking formatting..."},
	New:      stateless(matchPrettier),
}

func matchPrettier(s *Scan, l Line) bool {
	text := l.Trim()
	switch {
	case text == "Checking formatting...":
		s.Block((&prettier{s: s, check: true}).line)
		return true
	case hasAnyPrefix(text, "$ ", "> ") && !strings.HasPrefix(text, "[error]"):
		s.Block((&prettier{s: s}).line)
		return false
	}
	return prettierError(s, text)
}

// prettier follows the list of files.
type prettier struct {
	s      *Scan
	check  bool
	others int
}

func (p *prettier) line(l Line) Verdict {
	text := l.Trim()
	name, warned := strings.CutPrefix(text, "[warn] ")
	switch {
	case text == "":
		return Take
	case strings.HasPrefix(text, "[error] "):
		prettierError(p.s, text) // or the excerpt of one
		return Take
	case p.check && hasAnyPrefix(name, "Code style issues ", "All matched files use ", "Error occurred when "):
		return Last
	case (warned || l.Indent() == 0) && isSourceName(name):
		p.s.Add(Draft{Event: store.Event{Tool: "prettier", File: name, Message: "not formatted", Category: store.CategoryLint}})
		return Take
	}
	if p.others++; !p.check || p.others > 50 {
		return Done
	}
	return Pass
}

// isSourceName says whether the whole of s is the relative name of a file
// with an extension.
func isSourceName(s string) bool {
	dot := strings.LastIndexByte(s, '.')
	return dot > 0 && len(s)-dot < 12 && !isAbs(s) && strings.IndexByte(s, ' ') < 0 && strings.IndexByte(s, ':') < 0 && isFileName(s)
}

// prettierError reads "[error] src/b.js: SyntaxError: Unexpected token (1:7)".
func prettierError(s *Scan, text string) bool {
	rest, ok := strings.CutPrefix(text, "[error] ")
	if !ok {
		return false
	}
	file, message, ok := strings.Cut(rest, ": ")
	if !ok || !isFileName(file) || !strings.Contains(message, "Error: ") {
		return false
	}
	e := store.Event{Tool: "prettier", File: file, Message: message, Category: store.CategoryCompile}
	if open := strings.LastIndexByte(message, '('); open > 0 && strings.HasSuffix(message, ")") {
		line, n := number(message[open+1:])
		if rest := message[open+1+n:]; n > 0 && rest[0] == ':' {
			e.Line = line
			e.Column, _ = number(rest[1:])
			e.Message = strings.TrimSpace(message[:open])
		}
	}
	s.Add(Draft{Event: e})
	return true
}
