package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// remarkFormat reads linters of prose that list findings below a file name: remark, other tools that report with vfile
// (alex, retext), and Vale.
var remarkFormat = parse.Format{
	Name:     "remark",
	About:    "remark-lint, alex and Vale: findings in prose",
	Triggers: []string{".md", ".rst", ".adoc", ".txt", " warning ", " error ", " suggestion "},
	New:      func() parse.Matcher { return new(remark).match },
}

type remark struct {
	file string // newest line that consisted of the name of a prose file
	line int    // line of the file name or of its newest finding
	vale bool   // the name had one leading blank, as Vale prints it
}

func (r *remark) match(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	if hasAnySuffix(text, ".md", ".mdx", ".rst", ".adoc", ".txt", ".markdown") && l.Indent() <= 1 &&
		strings.IndexByte(text, ' ') < 0 && parse.IsFileName(text) {
		r.file, r.line, r.vale = text, l.N, l.Indent() == 1
		return false
	}
	// The causes of a finding are indented more than the finding. They may be between two findings.
	if r.file == "" || l.N > r.line+3 || text == "" || !parse.IsDigit(text[0]) || l.Indent() > 3 {
		return false
	}
	at, rest, ok := strings.Cut(text, " ")
	line, column, ok2 := strings.Cut(at, ":")
	column, _, _ = strings.Cut(column, "-") // remark: 3:1-3:9
	if !ok || !ok2 || !parse.AllDigits(line) || !parse.AllDigits(column) {
		return false
	}
	level, rest, ok := strings.Cut(strings.TrimLeft(rest, " "), " ")
	e := store.Event{Tool: "remark", File: r.file, Category: store.CategoryLint}
	switch level {
	case "error":
	case "warning":
		e.Severity = store.SeverityWarning
	case "info", "suggestion":
		e.Severity = store.SeverityInfo
	default:
		return false
	}
	e.Line, _ = parse.Number(line)
	e.Column, _ = parse.Number(column)
	e.Message, e.Code = proseRule(strings.TrimSpace(rest), r.vale)
	if !ok || e.Code == "" {
		return false
	}
	if r.vale {
		e.Tool = "vale"
	}
	r.line = l.N
	s.Add(parse.Draft{Event: e})
	return true
}

// proseRule cuts the rule off the end of a message. In Vale's output, the rule is the last column. In vfile's output,
// the last column is the source of the rule, such as remark-lint, and the rule is the column before it.
func proseRule(text string, vale bool) (message, rule string) {
	i := strings.LastIndexByte(text, ' ')
	if i < 0 {
		return text, ""
	}
	message, rule = strings.TrimRight(text[:i], " "), text[i+1:]
	if vale {
		if !strings.Contains(rule, ".") {
			return text, ""
		}
		return message, rule
	}
	if i = strings.LastIndexByte(message, ' '); i < 0 || !isRuleName(rule) || !isRuleName(message[i+1:]) {
		return text, ""
	}
	return strings.TrimRight(message[:i], " "), message[i+1:]
}
