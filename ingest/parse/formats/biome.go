package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// biomeFormat reads the findings of Biome. A finding is a heading with the place and the rule's name, and then the
// message, the source and advice. biomeFormat also reads the output of the reporter "summary".
var biomeFormat = parse.Format{
	Name:     "biome",
	About:    "Biome: check, ci, lint and format",
	Triggers: []string{" ━━━━"},
	Match:    matchBiome,
}

var biomeHead = parse.Lines{
	{Text: "{place} {code} { }{?FIXABLE }{ }━{_}"},
	{Text: "{file} {code} ━{_}"},
	{Text: "{path} {code:fs/*|internalError/*} ━{_}"},
	{Text: "{code:check|ci|lint|format} ━{_}", Weight: parse.Repeat},
}

// biomeSummary reads the lists of files of the reporter "summary": "- a.js" and "- a.js (2 errors, 1 warning)".
var biomeSummary = parse.Lines{
	{Text: "- {path} ({#} {:error|errors}{_})"},
	{Text: "- {path} ({#} {:warning|warnings}{_})", Severity: store.SeverityWarning},
	{Text: "- {path}", Message: "File content differs from formatting output", Code: "format"},
}

// biomeSummarized reads the part of a summary below a heading. This part has lists of files between other lines.
func biomeSummarized(s *parse.Scan) func(parse.Line) parse.Verdict {
	return func(l parse.Line) parse.Verdict {
		text := l.Trim()
		if text != "" && l.Indent() < 2 {
			return parse.Done
		}
		if d, ok := biomeSummary.Read(text); ok {
			if _, counts, found := strings.Cut(text, " ("); found {
				d.Message = strings.TrimSuffix(counts, ")")
			}
			s.Add(d)
		}
		return parse.Take
	}
}

// matchBiome reads the heading of a finding, such as "src/a.js:4:9 lint/suspicious/noDebugger  FIXABLE  ━━━" or
// "src/a.js format ━━━". It also reads the headings of the reporter "summary".
func matchBiome(s *parse.Scan, l parse.Line) bool {
	if hasAnyPrefix(l.Text, "reporter/format ━", "reporter/violations ━") {
		s.Block(biomeSummarized(s))
		return true
	}
	head, ok := biomeHead.Read(l.Text)
	if !ok {
		return false
	}
	if head.Code == "parse" {
		head.Category = store.CategoryCompile
	}
	head.LogLine = l.N
	b := &biome{s: s, head: head}
	s.Block(b.line)
	return true
}

// biome reads the lines below a heading, up to the next line that is not indented.
type biome struct {
	s    *parse.Scan
	head parse.Draft
	d    *parse.Draft
}

func (b *biome) line(l parse.Line) parse.Verdict {
	text := l.Trim()
	switch {
	case text == "":
		return parse.Take
	case l.Indent() < 2:
		return parse.Done
	case b.d == nil && !b.message(text):
		return parse.Done
	}
	if b.d.LogLine == b.head.LogLine {
		b.d.Extend(l)
	}
	return parse.Take
}

// message reads "× This is an unexpected use of the debugger statement."
func (b *biome) message(text string) bool {
	mark, message, ok := strings.Cut(text, " ")
	switch mark {
	case "×", "✖":
	case "!", "⚠":
		b.head.Severity = store.SeverityWarning
	case "i", "ℹ":
		b.head.Severity = store.SeverityInfo
	default:
		return false
	}
	b.head.Message = message
	b.head.Key = findingKey(b.head.Event)
	if strings.HasPrefix(message, "Code formatting aborted due to parsing errors") {
		b.head.Weight = parse.Repeat
	}
	if b.d = b.s.Reported("biome", b.head.Key); b.d == nil { // Biome reports a file that it cannot parse several times
		b.d = b.s.Add(b.head)
	}
	return ok
}
