package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// lineLintFormat reads small linters that print one line for each finding,
// with a place first. What follows the place tells the tool.
var lineLintFormat = parse.Format{
	Name:  "line-lint",
	About: "cpplint, codespell, misspell, doc8, actionlint, xmllint, protolint, dotenv-linter, TSLint 3, haml-lint, slim-lint, scss-lint",
	Triggers: []string{
		"  [build/", "  [legal/", "  [readability/", "  [runtime/", "  [whitespace/", // cpplint
		" ==> ", " is a misspelling of ", ": D00", ".github/workflows/", " error : ", " warning : ", ".proto:", ".env:", ".ts[", ".tsx[", " [W] ", " [E] ",
	},
	New: parse.Stateless(matchLineLint),
}

func matchLineLint(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	p, rest, ok := parse.PlaceAt(text)
	if !ok {
		return protolintLine(s, text) || dotenvLine(s, text) || tslintProse3(s, text) || templateLine(s, text)
	}
	e := store.Event{File: p.File, Line: p.Line, Column: p.Column, Category: store.CategoryLint}
	switch {
	case cpplintLine(&e, rest), codespellLine(&e, rest), misspellLine(&e, rest), doc8Line(&e, rest):
		s.Add(parse.Draft{Event: e})
	case actionlintLine(&e, rest), xmllintLine(&e, rest):
		d := s.Add(parse.Draft{Event: e})
		s.Block(func(l parse.Line) parse.Verdict { return sourceBelow(d, l) })
	default:
		return dotenvLine(s, text) || templateLine(s, text)
	}
	return true
}

// sourceBelow takes the source and the caret below a finding.
func sourceBelow(d *parse.Draft, l parse.Line) parse.Verdict {
	text := l.Trim()
	if _, _, ok := parse.PlaceAt(text); ok || text == "" && l.N > d.LogLine+1 || l.N > d.LogLine+5 {
		return parse.Done
	}
	d.Extend(l)
	if strings.HasPrefix(strings.TrimLeft(text, "| "), "^") {
		return parse.Last
	}
	return parse.Take
}

// cpplintLine reads "message  [whitespace/braces] [5]".
func cpplintLine(e *store.Event, rest string) bool {
	message, tail, ok := strings.Cut(rest, "  [")
	rule, confidence, ok2 := strings.Cut(tail, "] [")
	if !ok || !ok2 || len(confidence) != 2 || !parse.IsDigit(confidence[0]) {
		return false
	}
	e.Tool, e.Message, e.Code = "cpplint", message, rule
	return true
}

// codespellLine reads "teh ==> the" and "lien ==> line, lean | the reason".
func codespellLine(e *store.Event, rest string) bool {
	word, right, ok := strings.Cut(rest, " ==> ")
	if !ok || word == "" || right == "" || strings.IndexByte(word, ' ') >= 0 {
		return false
	}
	e.Tool, e.Message, e.Code = "codespell", rest, "spelling"
	return true
}

func misspellLine(e *store.Event, rest string) bool {
	if !strings.Contains(rest, `" is a misspelling of "`) {
		return false
	}
	e.Tool, e.Message, e.Code = "misspell", rest, "spelling"
	return true
}

// doc8Line reads "D001 Line too long".
func doc8Line(e *store.Event, rest string) bool {
	code, message, ok := strings.Cut(rest, " ")
	if !ok || len(code) != 4 || !strings.HasPrefix(code, "D00") || !hasAnySuffix(e.File, ".rst", ".txt") {
		return false
	}
	e.Tool, e.Message, e.Code = "doc8", message, code
	return true
}

// actionlintLine reads "unexpected key … [syntax-check]" about a workflow.
func actionlintLine(e *store.Event, rest string) bool {
	i := strings.LastIndex(rest, " [")
	if i < 0 || !strings.HasSuffix(rest, "]") || e.Column == 0 || !strings.Contains(e.File, ".github/workflows/") && !strings.Contains(e.File, `.github\workflows\`) {
		return false
	}
	kind := rest[i+2 : len(rest)-1]
	if kind == "" || strings.Trim(kind, "abcdefghijklmnopqrstuvwxyz-") != "" {
		return false
	}
	e.Tool, e.Message, e.Code = "actionlint", rest[:i], kind
	return true
}

// xmllintLine reads "parser error : message" and "element a: Schemas validity
// error : message".
func xmllintLine(e *store.Event, rest string) bool {
	kind, message, ok := strings.Cut(rest, " : ")
	i := strings.LastIndexByte(kind, ' ')
	if !ok || i < 0 || len(kind) > 200 {
		return false
	}
	switch kind[i+1:] {
	case "warning":
		e.Severity = store.SeverityWarning
	case "error":
	default:
		return false
	}
	if element, after, ok := strings.Cut(kind[:i], ": "); ok && strings.HasPrefix(element, "element ") {
		kind, i = after, len(after)
	}
	switch kind[:i] {
	case "parser", "namespace", "validity", "Schemas validity", "Schemas parser", "Relax-NG validity", "Relax-NG parser", "HTML parser", "encoding", "I/O", "XInclude":
	default:
		return false
	}
	e.Tool, e.Message, e.Code = "xmllint", message, kind[:i]
	return true
}

// protolintLine reads "[shop.proto:3:5] message".
func protolintLine(s *parse.Scan, text string) bool {
	at, message, ok := strings.Cut(text, "] ")
	if !ok || !strings.HasPrefix(at, "[") {
		return false
	}
	p, _, ok := parse.PlaceAt(at[1:] + ":")
	if !ok || p.Column == 0 || !strings.HasSuffix(p.File, ".proto") {
		return false
	}
	s.Add(parse.Draft{Event: store.Event{Tool: "protolint", File: p.File, Line: p.Line, Column: p.Column, Message: message, Category: store.CategoryLint}})
	return true
}

// dotenvLine reads dotenv-linter's ".env:3 LowercaseKey: The foo key should be
// in uppercase"; before version 2 it had no name of the check.
func dotenvLine(s *parse.Scan, text string) bool {
	i := strings.Index(text, ".env:")
	at, message, ok := strings.Cut(text, " ")
	if i < 0 || !ok || i > len(at) || message == "" {
		return false
	}
	line, digits := parse.Number(at[i+len(".env:"):])
	if digits == 0 || i+len(".env:")+digits != len(at) {
		return false
	}
	e := store.Event{Tool: "dotenv-linter", File: at[:i+len(".env")], Line: line, Message: message, Category: store.CategoryLint, Severity: store.SeverityWarning}
	if code, message, ok := strings.Cut(message, ": "); ok && strings.IndexByte(code, ' ') < 0 {
		e.Code, e.Message = code, message
	}
	s.Add(parse.Draft{Event: e})
	return true
}

// tslintProse3 reads the prose of TSLint up to 4: "src/a.ts[3, 5]: message".
func tslintProse3(s *parse.Scan, text string) bool {
	file, rest, ok := strings.Cut(text, "[")
	at, message, ok2 := strings.Cut(rest, "]: ")
	line, column, ok3 := strings.Cut(at, ", ")
	if !ok || !ok2 || !ok3 || !hasAnySuffix(file, ".ts", ".tsx") || !parse.AllDigits(line) || !parse.AllDigits(column) || !parse.IsFileName(file) {
		return false
	}
	e := store.Event{Tool: "tslint", File: file, Message: message, Category: store.CategoryLint}
	e.Line, _ = parse.Number(line)
	e.Column, _ = parse.Number(column)
	s.Add(parse.Draft{Event: e})
	return true
}

// templateLine reads what Ruby's linters of templates and styles share:
// "a.haml:3 [W] Rule: message", of scss-lint with a column.
func templateLine(s *parse.Scan, text string) bool {
	at, rest, ok := strings.Cut(text, " [")
	level, message, ok2 := strings.Cut(rest, "] ")
	p, after, placed := parse.PlaceAt(at + ":")
	if !ok || !ok2 || !placed || after != "" || level != "W" && level != "E" {
		return false
	}
	e := store.Event{File: p.File, Line: p.Line, Column: p.Column, Message: message, Category: store.CategoryLint}
	if level == "W" {
		e.Severity = store.SeverityWarning
	}
	switch {
	case strings.HasSuffix(p.File, ".haml"):
		e.Tool = "haml-lint"
	case strings.HasSuffix(p.File, ".slim"):
		e.Tool = "slim-lint"
	case hasAnySuffix(p.File, ".scss", ".sass", ".css"):
		e.Tool = "scss-lint"
	default:
		return false
	}
	if rule, message, ok := strings.Cut(message, ": "); ok && isRuleName(rule) {
		e.Code, e.Message = rule, message
	}
	s.Add(parse.Draft{Event: e})
	return true
}
