package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// nextFormat reads the findings of next build and create-react-app below "Failed to compile.", "Compiled with
// warnings" or "Turbopack build failed with 2 errors:". The name of a file comes first, and then the findings in this
// file.
var nextFormat = parse.Format{
	Name:  "next",
	About: "Next.js and create-react-app: errors below \"Failed to compile.\" or of Turbopack",
	Triggers: []string{turbopackFailed, "Next.js build worker exited with ", "Failed to load next.config.",
		"Export encountered an error on ", "Error occurred prerendering page "},
	Starts: []string{
		"Failed to compile", "Compiled with warnings", "> Build failed because of", "Build error occurred",
		"> Build error occurred",
	},
	Lines: parse.Lines{
		// The errors of the worker, of the configuration and of the page are above or below.
		{Text: "{?⨯ }«{:Next.js build worker exited with |Failed to load next.config.|" +
			"Export encountered an error on |Error occurred prerendering page }{*}»",
			Category: store.CategoryBuild, Weight: parse.Repeat},
	},
	Match: matchNext,
}

const turbopackFailed = "Turbopack build failed with "

func matchNext(s *parse.Scan, l parse.Line) bool {
	text := strings.TrimPrefix(l.Trim(), "Error: ")
	if hasAnyPrefix(text, "> Build ", "Build error occurred") {
		s.Add(parse.Draft{Weight: parse.Repeat,
			Event: store.Event{Message: strings.TrimPrefix(text, "> "), Category: store.CategoryBuild}})
		return true
	}
	turbopack := strings.HasPrefix(text, turbopackFailed)
	if !turbopack && !hasAnyPrefix(text, "Failed to compile", "Compiled with warnings") {
		return false
	}
	s.Add(parse.Draft{Weight: parse.Repeat,
		Event: store.Event{Message: "Failed to compile", Category: store.CategoryBuild, Severity: nextSeverity(text)}})
	b := &nextBlock{s: s, severity: nextSeverity(text), blank: 1, turbopack: turbopack}
	s.Block(b.line)
	return true
}

func nextSeverity(heading string) store.Severity {
	if strings.HasPrefix(heading, "Compiled with warnings") {
		return store.SeverityInfo
	}
	return store.SeverityError
}

type nextBlock struct {
	s        *parse.Scan
	severity store.Severity
	file     parse.Place
	d        *parse.Draft
	msg      parse.Message
	blank    parse.Blanks

	turbopack bool // a stack trace ends the errors
}

func (b *nextBlock) line(l parse.Line) parse.Verdict {
	text := l.Trim()
	blank, empty := b.blank.Line(text)
	switch {
	case empty:
		b.msg.Add("")
		return parse.Take
	case blank > 0 && b.heading(text):
		return parse.Take
	case b.turbopack && b.file.File != "" && strings.HasPrefix(text, "https://"): // the next error may follow
		return parse.Take
	case b.file.File == "" || b.turbopack && strings.HasPrefix(text, "at ") ||
		hasAnyPrefix(text, "> Build ", "npm ERR!", "npm error", "error Command", "https://", "info  - ",
			"Search for the keywords"):
		return parse.Done
	case b.lint(text):
		return parse.Take
	}
	if b.d == nil {
		b.d = b.s.Add(parse.Draft{Event: store.Event{Severity: b.found(), File: b.file.File, Line: b.file.Line,
			Column: b.file.Column, Category: store.CategoryCompile}})
	}
	b.d.Extend(l)
	if hasAnyPrefix(text, "Caused by:", "Import trace", "Learn more: ", ",-[", "╭─[", "----") || isCodeFrame(text) {
		b.msg.End()
	}
	if rest, ok := strings.CutPrefix(text, "Type error: "); ok {
		b.d.Category = store.CategoryType
		text = rest
	}
	if text != "Error:" {
		text = strings.TrimPrefix(strings.TrimPrefix(text, "x "), "Error: ")
		b.msg.Tell(b.d, text)
	}
	return parse.Take
}

func (b *nextBlock) found() store.Severity {
	if b.severity == store.SeverityInfo {
		return store.SeverityWarning
	}
	return b.severity
}

// heading reads "./pages/b.js", "./lib/a.ts:3:5" and "src/App.js".
func (b *nextBlock) heading(text string) bool {
	p, ok := jsPlace(text)
	if !ok {
		p = parse.Place{File: text}
	}
	if !parse.IsFileName(p.File) || strings.IndexByte(text, ' ') >= 0 || strings.Contains(text, "://") ||
		!strings.Contains(p.File, ".") {
		return false
	}
	if p.File != b.file.File || b.turbopack { // an import trace names the same file again
		b.d, b.msg = nil, parse.Message{}
	}
	b.file = p
	return true
}

// lint reads "1:7  Error: message  rule" of next, or "Line 3:5:  message  rule" of create-react-app.
func (b *nextBlock) lint(text string) bool {
	rest := strings.TrimPrefix(text, "Line ")
	line, n := parse.Number(rest)
	if n == 0 || n == len(rest) || rest[n] != ':' {
		return false
	}
	column, m := parse.Number(rest[n+1:])
	rest = strings.TrimLeft(strings.TrimPrefix(rest[n+1+m:], ":"), " ")
	severity := b.found()
	if after, ok := strings.CutPrefix(rest, "Warning: "); ok {
		severity, rest = store.SeverityWarning, after
	}
	message, rule := cutWideRule(strings.TrimPrefix(rest, "Error: "))
	if rule == "" {
		return false
	}
	b.s.Add(parse.Draft{Event: store.Event{Tool: "eslint", Severity: severity, File: b.file.File, Line: line,
		Column: column, Message: message, Code: rule, Category: store.CategoryLint}})
	return true
}
