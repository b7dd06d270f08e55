package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// astroFormat reads Astro: the findings of "astro check", and the error with which the other commands end. The message
// of the error is above the headings "Hint:", "Error reference:", "Location:" and "Stack trace:".
var astroFormat = parse.Format{
	Name:  "astro",
	About: "Astro: astro check, build and sync",
	Triggers: []string{" error ts(", " warning ts(", " error astro(", " warning astro(",
		"Astro found issue(s) with your configuration:"},
	Starts: []string{"  Hint:", "  Error reference:", "  Location:", "  Stack trace:"},
	Lines: parse.Lines{
		{Text: "{place}: - {severity} {_}({code:#}): {message}", Category: store.CategoryType, Below: tscBelow},
		{Text: "{?[config] }«Astro found issue(s) with your configuration:»", Category: store.CategoryBuild,
			Below: parse.Below{Blank: 1, Starts: []string{"! ", "> "}, Join: "\n"}.Pattern},
	},
	Match: matchAstro,
}

// matchAstro reads an error from its first heading on. The error has a place or a stack.
func matchAstro(s *parse.Scan, l parse.Line) bool {
	e, ok := astroError(s.Said(2), l)
	if !ok {
		return false
	}
	var d *parse.Draft
	var trace jsTrace
	located := l.Text == "  Location:"
	s.Block(func(l parse.Line) parse.Verdict {
		text := l.Trim()
		if isAstroHeading(l.Text) {
			located = text == "Location:"
			return parse.Take
		}
		p, isPlace := jsPlace(text)
		isPlace = isPlace && located
		if l.Indent() < 4 || text == "" {
			return parse.Done
		}
		isFrame := trace.add(l.Text)
		if d == nil && (isPlace || isFrame) {
			d = s.Add(parse.Draft{Event: e})
		}
		switch {
		case d == nil:
			return parse.Take // the hint
		case isPlace && ownJSFile(p.File):
			d.At(p.File, p.Line, p.Column)
		case isFrame && d.File == "":
			trace.tell(d)
		}
		d.Extend(l)
		return parse.Take
	})
	return true
}

// astroError reads the message above the first heading. The parameter said has the lines above it, newest first.
func astroError(said []parse.Line, heading parse.Line) (e store.Event, ok bool) {
	if !isAstroHeading(heading.Text) || len(said) == 0 || said[0].N != heading.N-1 {
		return e, false
	}
	text := said[0].Trim()
	e = store.Event{Message: text, Category: store.CategoryCompile, LogLine: said[0].N}
	if file, ok := strings.CutPrefix(text, "file: "); ok && len(said) > 1 && said[1].N == said[0].N-1 {
		e.Message, e.File, e.LogLine = said[1].Trim(), file, said[1].N // an error of Rollup
		if p, ok := jsPlace(file); ok {
			e.File, e.Line, e.Column = p.File, p.Line, p.Column
		}
		return e, true
	}
	if hasAnyPrefix(text, "├─ ", "└─ ") { // the message follows the name of the page without a blank
		_, e.Message, ok = strings.Cut(text, ".html")
		return e, ok && e.Message != ""
	}
	if code, message, ok := strings.Cut(strings.TrimPrefix(text, "["), "] "); ok && text[0] == '[' {
		e.Code, e.Message = code, message
	}
	return e, said[0].Indent() == 0
}

func isAstroHeading(text string) bool {
	switch text {
	case "  Hint:", "  Error reference:", "  Location:", "  Stack trace:":
		return true
	}
	return false
}
