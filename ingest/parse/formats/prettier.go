package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// prettierFormat reads prettier --check and --list-different: names of files
// that are not formatted, and files that it could not read.
var prettierFormat = parse.Format{
	Name:     "prettier",
	About:    "Prettier: --check, --list-different, syntax errors",
	Triggers: []string{"[error] ", "prettier --list-different", "prettier -l ", "prettier\" -l "},
	Starts:   []string{"Checking formatting..."},
	New:      parse.Stateless(matchPrettier),
}

func matchPrettier(s *parse.Scan, l parse.Line) bool {
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
	s      *parse.Scan
	check  bool
	others int
}

func (p *prettier) line(l parse.Line) parse.Verdict {
	text := l.Trim()
	name, warned := strings.CutPrefix(text, "[warn] ")
	switch {
	case text == "":
		return parse.Take
	case strings.HasPrefix(text, "[error] "):
		prettierError(p.s, text) // or the excerpt of one
		return parse.Take
	case p.check && hasAnyPrefix(name, "Code style issues ", "All matched files use ", "Error occurred when "):
		return parse.Last
	case (warned || l.Indent() == 0) && isSourceName(name):
		p.s.Add(parse.Draft{Event: store.Event{Tool: "prettier", File: name, Message: "not formatted", Category: store.CategoryLint}})
		return parse.Take
	}
	if p.others++; !p.check || p.others > 50 {
		return parse.Done
	}
	return parse.Pass
}

// isSourceName reports whether the whole of s is the relative name of a file
// with an extension.
func isSourceName(s string) bool {
	dot := strings.LastIndexByte(s, '.')
	return dot > 0 && len(s)-dot < 12 && !parse.IsAbs(s) && strings.IndexByte(s, ' ') < 0 && strings.IndexByte(s, ':') < 0 && parse.IsFileName(s)
}

// prettierError reads "[error] src/b.js: SyntaxError: Unexpected token (1:7)".
func prettierError(s *parse.Scan, text string) bool {
	rest, ok := strings.CutPrefix(text, "[error] ")
	if !ok {
		return false
	}
	file, message, ok := strings.Cut(rest, ": ")
	if !ok || !parse.IsFileName(file) || !strings.Contains(message, "Error: ") {
		return false
	}
	e := store.Event{Tool: "prettier", File: file, Message: message, Category: store.CategoryCompile}
	if open := strings.LastIndexByte(message, '('); open > 0 && strings.HasSuffix(message, ")") {
		line, n := parse.Number(message[open+1:])
		if rest := message[open+1+n:]; n > 0 && rest[0] == ':' {
			e.Line = line
			e.Column, _ = parse.Number(rest[1:])
			e.Message = strings.TrimSpace(message[:open])
		}
	}
	s.Add(parse.Draft{Event: e})
	return true
}
