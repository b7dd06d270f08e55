package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// ertFormat reads Emacs' ERT in batch mode.
var ertFormat = parse.Format{
	Name:     "ert",
	About:    "Emacs: ERT tests",
	Triggers: []string{" passed unexpectedly", " condition:", "   FAILED  "},
	Match:    matchERT,
}

func matchERT(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	if rest, ok := strings.CutPrefix(text, "FAILED  "); ok {
		return ertMark(s, strings.TrimSpace(rest))
	}
	rest, ok := strings.CutPrefix(text, "Test ")
	if !ok {
		return false
	}
	e := store.Event{Category: store.CategoryTest}
	if name, ok := strings.CutSuffix(rest, " passed unexpectedly"); ok && strings.IndexByte(name, ' ') < 0 {
		e.Test, e.Message = name, "passed unexpectedly"
		s.Add(parse.Draft{Key: name, Event: e})
		return true
	}
	name, ok := strings.CutSuffix(rest, " condition:")
	if !ok || strings.IndexByte(name, ' ') >= 0 {
		return false
	}
	e.Test, e.Message = name, "test failed"
	d := s.Add(parse.Draft{Key: name, Event: e})
	words := parse.Message{Max: 2 * parse.MaxMessageLines, Between: " "}
	s.Block(func(l parse.Line) parse.Verdict {
		if l.Indent() < 4 && l.Text != "" && l.Text[0] != '\t' {
			return parse.Done
		}
		if text := l.Trim(); text != "" {
			words.Tell(d, text)
		}
		d.Extend(l)
		return parse.Take
	})
	return true
}

// ertMark reads "2/6  calc-fails (0.000052 sec)".
func ertMark(s *parse.Scan, rest string) bool {
	_, n := parse.Number(rest)
	of, m := parse.Number(strings.TrimPrefix(rest[n:], "/"))
	if n == 0 || m == 0 || of == 0 { // the list at the end repeats failures
		return s.Reported("ert", cutAt(rest, ' ')) != nil
	}
	name := cutAt(strings.TrimSpace(rest[n+1+m:]), ' ')
	s.Add(parse.Draft{Key: name, Rank: parse.Mark,
		Event: store.Event{Test: name, Message: "test failed", Category: store.CategoryTest}})
	return true
}

// emacsFormat reads Emacs Lisp errors in batch mode.
var emacsFormat = parse.Format{
	Name:     "emacs",
	About:    "Emacs Lisp: errors in batch mode",
	Triggers: []string{"Debugger entered--Lisp error: "},
	Starts: []string{
		"Symbol's ", "Symbol’s ", "Cannot open load file: ", "Wrong type argument: ", "Wrong number of arguments: ",
		"Invalid read syntax: ", "End of file during parsing", "Args out of range: ", "Invalid function: ",
		"Lisp nesting exceeds ", "Searching for program: ", "Opening input file: ",
	},
	Match: matchEmacs,
}

func matchEmacs(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	_, condition, ok := strings.Cut(text, "Debugger entered--Lisp error: ")
	if !ok {
		if strings.HasPrefix(text, "Symbol") && !strings.Contains(text, " is void: ") {
			return false
		}
		s.Add(parse.Draft{Weight: parse.Likely, Event: store.Event{Message: text, Category: store.CategoryRuntime}})
		return true
	}
	d := s.Add(parse.Draft{Weight: parse.Likely,
		Event: store.Event{Message: strings.TrimSuffix(strings.TrimPrefix(condition, "("), ")"),
			Category: store.CategoryRuntime}})
	s.Block(parse.Below{Indent: 2, Each: func(text string) {
		if file, ok := strings.CutPrefix(text, `load-with-code-conversion("`); ok {
			d.At(cutAt(file, '"'), 0, 0)
		}
	}}.Block(d))
	return true
}
