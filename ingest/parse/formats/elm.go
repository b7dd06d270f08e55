package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// elmFormat reads the compilers of Elm, PureScript and Crystal.
var elmFormat = parse.Format{
	Name:   "elm",
	About:  "Elm, PureScript and Crystal: compilers",
	Starts: []string{"-- ", "Error found:", "In ", "formatting '"},
	Lines: parse.Lines{
		{Text: "^formatting '{path}' produced changes", Tool: "crystal", Code: "format", Message: "not formatted"},
	},
	Match: matchElm,
}

func matchElm(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	switch {
	case text == "Error found:":
		s.Block(func(l parse.Line) parse.Verdict { return pureScript(s, l) })
		return true
	case strings.HasPrefix(l.Text, "In "):
		return crystal(s, l, strings.TrimSpace(l.Text[len("In "):]))
	}
	// A heading has a title and a file: "-- TYPE MISMATCH ---------------- src/Main.elm".
	title, rest, ok := strings.Cut(text, " --")
	title, found := strings.CutPrefix(title, "-- ")
	file := strings.TrimLeft(rest, "- ")
	if !ok || !found || !strings.HasSuffix(file, ".elm") || title != strings.ToUpper(title) {
		return false
	}
	d := s.Add(parse.Draft{Event: store.Event{File: file, Message: title, Code: title, Category: store.CategoryCompile}})
	lines, said, pointed := 0, false, false
	s.Block(func(l parse.Line) parse.Verdict {
		text := l.Trim()
		lines++
		n, length := parse.Number(text)
		switch {
		case strings.HasPrefix(l.Text, "-- ") || lines > 60 || pointed && text != "":
			return parse.Done
		case text == "":
			return parse.Take
		case parse.IsCaret(l.Text):
			pointed = true
		case length > 0 && strings.HasPrefix(text[length:], "|"):
			if d.Line == 0 {
				d.Line = n
			}
		case !said:
			d.Message, said = text, true
		}
		d.Extend(l)
		return parse.Take
	})
	return true
}

// pureScript reads the lines below "Error found:": the module, the place, the message.
func pureScript(s *parse.Scan, l parse.Line) parse.Verdict {
	text := l.Trim()
	if strings.HasPrefix(text, "in module ") {
		return parse.Take
	}
	at, ok := strings.CutPrefix(text, "at ")
	at, _, _ = strings.Cut(at, " ")
	p, _, placed := parse.PlaceAt(at)
	if !ok || !placed {
		return parse.Done
	}
	d := s.Add(parse.Draft{Event: store.Event{File: p.File, Line: p.Line, Column: p.Column, Tool: "purescript",
		Category: store.CategoryCompile, LogLine: l.N - 1}})
	lines := 0
	s.Block(func(l parse.Line) parse.Verdict {
		text := l.Trim()
		lines++
		switch {
		case text == "" && lines < 30:
			return parse.Take
		case l.Indent() < 2 || lines > 30:
			return parse.Done
		case strings.Count(d.Message, "\n") < 3:
			d.Message = strings.TrimSpace(d.Message + "\n" + text)
		}
		d.Extend(l)
		return parse.Take
	})
	return parse.Take
}

// crystal reads "In src/a.cr:3:5" and the message below the source.
func crystal(s *parse.Scan, l parse.Line, at string) bool {
	p, rest, ok := parse.PlaceAt(at)
	if !ok || rest != "" || !strings.HasSuffix(p.File, ".cr") {
		return false
	}
	first, lines := l.N, 0
	s.Block(func(l parse.Line) parse.Verdict {
		text := l.Trim()
		lines++
		if message, ok := strings.CutPrefix(text, "Error: "); ok {
			s.Add(parse.Draft{Event: store.Event{File: p.File, Line: p.Line, Column: p.Column, Message: message,
				Tool: "crystal", Category: store.CategoryCompile, LogLine: first, LogLineEnd: l.N}})
			return parse.Last
		}
		if lines > 12 {
			return parse.Done
		}
		return parse.Take
	})
	return true
}
