package formats

import (
	"slices"
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// astroHeadings are the headings below the message of an error.
var astroHeadings = []string{"  Hint:", "  Error reference:", "  Location:", "  Stack trace:"}

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
	d := &parse.Draft{}
	if said := s.Said(2); len(said) == 0 || said[0].N != l.N-1 || !isAstroHeading(l.Text) || !astroError(d, said) {
		return false
	}
	d.Category = store.CategoryCompile
	var trace jsTrace
	added, located := false, l.Text == "  Location:"
	s.Block(func(l parse.Line) parse.Verdict {
		text := l.Trim()
		if isAstroHeading(l.Text) {
			located = text == "Location:"
			return parse.Take
		}
		if l.Indent() < 4 || text == "" {
			return parse.Done
		}
		p, isPlace := jsPlace(text)
		isPlace = isPlace && located
		isFrame := trace.add(l.Text)
		if !isPlace && !isFrame && !added {
			return parse.Take // the hint
		}
		if !added {
			d, added = s.Add(*d), true
		}
		if isPlace && ownJSFile(p.File) {
			d.At(p.File, p.Line, p.Column)
		} else if isFrame && d.File == "" {
			trace.tell(d)
		}
		d.Extend(l)
		return parse.Take
	})
	return true
}

// astroError sets the message of an error. The parameter said has the two lines above the first heading, newest first.
func astroError(d *parse.Draft, said []parse.Line) bool {
	text := said[0].Trim()
	d.Message, d.LogLine = text, said[0].N
	if file, ok := strings.CutPrefix(text, "file: "); ok && len(said) > 1 { // an error of Rollup
		d.Message, d.File, d.LogLine = said[1].Trim(), file, said[1].N
		return true
	}
	if page, message, ok := strings.Cut(text, ".html"); ok && strings.Contains(page, "─ /") {
		d.Message = message // it follows the name of the page without a blank
		return message != ""
	}
	if code, message, ok := strings.Cut(text, "] "); ok && text[0] == '[' {
		d.Code, d.Message = code[1:], message
	}
	return said[0].Indent() == 0
}

func isAstroHeading(text string) bool { return slices.Contains(astroHeadings, text) }
