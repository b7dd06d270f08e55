package parse

import (
	"strings"

	"github.com/blq-ci/blq/store"
)

// ertFormat reads Emacs' ERT in batch mode.
var ertFormat = Format{
	Name:     "ert",
	About:    "Emacs: ERT tests",
	Triggers: []string{" passed unexpectedly", " condition:"},
	Starts:   []string{"   FAILED  "},
	New:      stateless(matchERT),
}

func matchERT(s *Scan, l Line) bool {
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
		s.Add(Draft{Key: name, Event: e})
		return true
	}
	name, ok := strings.CutSuffix(rest, " condition:")
	if !ok || strings.IndexByte(name, ' ') >= 0 {
		return false
	}
	e.Test, e.Message = name, "test failed"
	d := s.Add(Draft{Key: name, Event: e})
	var words []string
	s.Block(func(l Line) Verdict {
		if l.Indent() < 4 && l.Text != "" && l.Text[0] != '\t' {
			return Done
		}
		if text := l.Trim(); text != "" && len(words) < 2*maxMessageLines {
			words = append(words, text)
			d.Message = strings.Join(words, " ")
		}
		d.Extend(l)
		return Take
	})
	return true
}

// ertMark reads "2/6  calc-fails (0.000052 sec)", and of the list at the end
// "calc-fails", since Emacs 29 with words of the reason behind it.
func ertMark(s *Scan, rest string) bool {
	fields := strings.Fields(rest)
	if len(fields) > 0 && strings.Contains(fields[0], "/") && isDigit(fields[0][0]) {
		fields = fields[1:]
	}
	if len(fields) == 0 {
		return false
	}
	d := Draft{Key: fields[0], Rank: Mark, Event: store.Event{Test: fields[0], Message: "test failed", Category: store.CategoryTest}}
	for _, f := range fields {
		if at, ok := strings.CutPrefix(f, "at "); ok {
			d.Message = at
		}
	}
	s.Add(d)
	return true
}

// emacsFormat reads errors of Emacs Lisp in batch mode.
var emacsFormat = Format{
	Name:     "emacs",
	About:    "Emacs Lisp: errors in batch mode",
	Triggers: []string{"Debugger entered--Lisp error: "},
	Starts:   []string{"Symbol's ", "Cannot open load file: ", "Wrong type argument: ", "Wrong number of arguments: ", "Invalid read syntax: ", "End of file during parsing"},
	New:      stateless(matchEmacs),
}

func matchEmacs(s *Scan, l Line) bool {
	text := l.Trim()
	_, condition, ok := strings.Cut(text, "Debugger entered--Lisp error: ")
	if !ok {
		if strings.HasPrefix(text, "Symbol's ") && !strings.Contains(text, " is void: ") {
			return false
		}
		s.Add(Draft{Weight: Likely, Event: store.Event{Message: text, Category: store.CategoryRuntime}})
		return true
	}
	d := s.Add(Draft{Weight: Likely, Event: store.Event{Message: strings.TrimSuffix(strings.TrimPrefix(condition, "("), ")"), Category: store.CategoryRuntime}})
	s.Block(func(l Line) Verdict {
		if l.Indent() < 2 || l.Trim() == "" {
			return Done
		}
		if file, ok := strings.CutPrefix(l.Trim(), `load-with-code-conversion("`); ok {
			d.At(cutAt(file, '"'), 0, 0)
		}
		d.Extend(l)
		return Take
	})
	return true
}
