package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// denoFormat reads Deno. Findings of deno lint look like findings of rustc. The format of rustc reads them, and
// sets their tool to deno-lint.
var denoFormat = parse.Format{
	Name:     "deno",
	About:    "Deno: deno test, check, run, lint and fmt",
	Triggers: []string{" [ERROR]: ", " ... FAILED (", ", col ", " ... ok (", " ... ignored ("},
	Starts: []string{" ERRORS ", "error: ", "running ", "FAILED | ", "Error checking: ", "Task not found: ",
		"Uncaught error from "},
	Lines: parse.Lines{
		{Text: "file://{file}: line {line}, col {column} - {message} ({code})", Tool: "deno-lint"},
		{Text: "error: «Found {#} not formatted file{_}»", Weight: parse.Repeat},
		{Text: "error: «Test failed»", Category: store.CategoryTest, Weight: parse.Repeat},
		{Text: "error: «Type checking failed.»", Category: store.CategoryType, Weight: parse.Repeat},
		{Text: "«Task not found: {*}»", Category: store.CategoryBuild},
	},
	New:      func() parse.Matcher { return new(deno).match },
	Outcomes: func() func(*parse.Scan, parse.Line) { return new(denoOutcomes).line },
}

// deno keeps the file whose tests run.
type deno struct{ file string }

func (f *deno) match(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	if file, ok := denoRunning(l.Text); ok {
		f.file = file
		return true
	}
	switch {
	case text == "ERRORS" && l.Text != text:
		s.Block((&denoErrors{s: s}).line)
		return true
	case strings.HasPrefix(text, "Uncaught error from ") && strings.HasSuffix(text, " FAILED"):
		return true // reported below ERRORS
	case strings.HasPrefix(text, "FAILED | ") && strings.Contains(text, " failed"):
		s.Add(parse.Draft{Weight: parse.Repeat, Event: store.Event{Message: text, Category: store.CategoryTest}})
		return true
	case strings.Contains(text, " [ERROR]: "):
		return denoType(s, text)
	case strings.HasPrefix(l.Text, "Error checking: "):
		denoUnformatted(s, text)
		return true
	case strings.HasPrefix(l.Text, "error: "):
		return denoError(s, strings.TrimSpace(l.Text[len("error: "):]))
	}
	return f.failed(s, l)
}

// failed reads "adds ... FAILED (809µs)". The details follow at the end of the run.
func (f *deno) failed(s *parse.Scan, l parse.Line) bool {
	r, ok := denoResult(l.Text)
	if !ok || f.file == "" {
		return false
	}
	if r.Outcome == store.TestFailed && l.Indent() == 0 && !strings.Contains(l.Text, "(due to ") {
		s.Add(parse.Draft{Rank: parse.Mark, Key: f.file + " " + r.Name,
			Event: store.Event{Test: r.Name, File: f.file, Message: "test failed", Category: store.CategoryTest}})
	}
	return true
}

// denoError reads an error of a program or of its modules, in words that only Deno uses. Errors in the source look like
// errors of rustc.
func denoError(s *parse.Scan, message string) bool {
	e := store.Event{Message: message, Category: store.CategoryRuntime}
	switch {
	case strings.HasPrefix(message, "Uncaught "):
	case hasAnyPrefix(message, `Module not found "file:`, `Module not found "http`):
		e.Category = store.CategoryBuild
	default:
		return false
	}
	d := s.Add(parse.Draft{Event: e})
	trace, below := jsTrace{}, 0
	s.Block(func(l parse.Line) parse.Verdict {
		below++
		switch {
		case trace.add(l.Trim()):
			trace.tell(d)
		case trace.seen || below > 3 || l.Trim() == "" || strings.HasPrefix(l.Text, "error: "):
			return parse.Done
		}
		d.Extend(l)
		return parse.Take
	})
	return true
}

// denoType reads "TS2322 [ERROR]: message", alone or after "error: ". The source and the place are below it.
func denoType(s *parse.Scan, text string) bool {
	code, message, _ := strings.Cut(strings.TrimPrefix(text, "error: "), " [ERROR]: ")
	if !strings.HasPrefix(code, "TS") || !parse.AllDigits(code[len("TS"):]) {
		return false
	}
	d := s.Add(parse.Draft{Event: store.Event{Code: code, Message: message, Category: store.CategoryType}})
	s.Block(parse.Below{Lines: 12, Each: func(text string) {
		if p, ok := jsFrame(text); ok {
			d.At(p.File, p.Line, p.Column)
		}
	}}.Block(d))
	return true
}

// denoUnformatted reads "Error checking: a.ts" for a file that deno fmt could not parse, and the reason below.
func denoUnformatted(s *parse.Scan, text string) {
	d := s.Add(parse.Draft{Event: store.Event{File: strings.TrimPrefix(text, "Error checking: "),
		Category: store.CategoryCompile}})
	s.Block(parse.Below{Indent: 2, Each: func(text string) {
		if d.Message == "" {
			d.Message = text
		} else if p, ok := jsFrame(text); ok {
			d.Line, d.Column = p.Line, p.Column
		}
	}}.Block(d))
}
