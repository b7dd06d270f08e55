package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// vimFormat reads tests of Vim, tests of plugins in the same style, and errors of Vim scripts.
var vimFormat = parse.Format{
	Name:     "vim",
	About:    "Vim: its tests, errors of scripts",
	Triggers: []string{"Found errors in ", "From test_"},
	Starts:   []string{"Error detected while ", "TEST FAILURE"},
	New:      func() parse.Matcher { return new(vim).match },
}

type vim struct {
	file string // file in the list at the end: "From test_terminal.vim:"
	from int    // line of file
}

func (v *vim) match(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	switch {
	case strings.HasPrefix(text, "From test_") && strings.HasSuffix(text, ".vim:"):
		v.file, v.from = text[len("From "):len(text)-1], l.N
		return true
	case strings.HasPrefix(text, "Found errors in "):
		return v.errors(s, l, text[len("Found errors in "):])
	case text == "TEST FAILURE":
		v.file = ""
		s.Add(parse.Draft{Weight: parse.Repeat, Event: store.Event{Message: text, Category: store.CategoryTest}})
		return true
	case strings.HasPrefix(text, "Error detected while ") && strings.HasSuffix(text, ":"):
		vimScript(s, text[len("Error detected while "):len(text)-1])
		return true
	}
	return false
}

// errors reads "Found errors in Test_one():" and the messages below. Tests are retried during the run, so only the list
// at the end is certain.
func (v *vim) errors(s *parse.Scan, l parse.Line, text string) bool {
	name, ok := strings.CutSuffix(text, "():")
	if !ok {
		return false
	}
	draft := parse.Draft{Key: name,
		Event: store.Event{Test: name, File: v.file, Message: "test failed", Category: store.CategoryTest}}
	if v.file == "" || l.Indent() == 0 && v.from+1 != l.N {
		if s.Reported("vim", name) != nil {
			return true
		}
		draft.Weight, draft.Rank = parse.Likely, parse.Mark
	}
	d := s.Add(draft)
	var words []string
	s.Block(func(l parse.Line) parse.Verdict {
		text := l.Trim()
		if text == "" || hasAnyPrefix(text, "Found errors in ", "From test_", "TEST FAILURE", "Executed ", "SKIPPED ",
			"Flaky test failed") || len(words) >= 50 {
			return parse.Done
		}
		words = append(words, vimMessage(text))
		if len(words) <= parse.MaxMessageLines {
			d.Message = strings.Join(words, "\n")
		}
		d.Extend(l)
		return parse.Take
	})
	return true
}

// vimMessage removes the call stack from "function RunTheTest[40]..Test_x line 1: Expected 1 but got 2".
func vimMessage(text string) string {
	if i := strings.Index(text, " line "); i > 0 && strings.Contains(text[:i], "..") {
		_, n := parse.Number(text[i+len(" line "):])
		if rest, ok := strings.CutPrefix(text[i+len(" line ")+n:], ": "); ok && n > 0 {
			return rest
		}
	}
	return text
}

// vimScript reads the lines below "Error detected while processing a.vim:": pairs of "line    3:" and "E121: Undefined
// variable: x".
func vimScript(s *parse.Scan, text string) {
	file := vimFile(text)
	line := 0
	s.Block(func(l parse.Line) parse.Verdict {
		text := l.Trim()
		if rest, ok := strings.CutPrefix(text, "line "); ok && strings.HasSuffix(rest, ":") {
			line, _ = parse.Number(strings.TrimSpace(rest))
			return parse.Take
		}
		code, message, ok := strings.Cut(text, ": ")
		if !ok || len(code) < 2 || code[0] != 'E' || !parse.AllDigits(code[1:]) {
			return parse.Done
		}
		s.Add(parse.Draft{Weight: parse.Likely,
			Event: store.Event{File: file, Line: line, Code: code, Message: message, Category: store.CategoryRuntime}})
		return parse.Take
	})
}

// vimFile returns the script in "processing command line..script /x/a.vim[7]..function F". It returns "" if the last
// part is a function, because line numbers then count from the start of the function.
func vimFile(text string) string {
	text = text[strings.IndexByte(text, ' ')+1:]
	i := strings.LastIndex(text, "..")
	part := text
	if i >= 0 {
		part = text[i+2:]
	}
	part = cutAt(strings.TrimPrefix(part, "script "), '[')
	if strings.HasSuffix(part, ".vim") || strings.HasSuffix(part, "vimrc") {
		return part
	}
	return ""
}

// vaderFormat reads Vader: "(2/4) [EXECUTE] (X) 2 should be equal to 3".
var vaderFormat = parse.Format{
	Name:     "vader",
	About:    "Vader: tests of Vim plugins",
	Triggers: []string{"[EXECUTE]", "[ EXPECT]", "[  GIVEN]", "[     DO]", "[   THEN]", "Starting Vader: "},
	New:      func() parse.Matcher { return new(vader).match },
}

type vader struct {
	file, number, name string
}

func (v *vader) match(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	if rest, ok := strings.CutPrefix(text, "Starting Vader: "); ok {
		if parse.IsFileName(rest) {
			v.file = rest
		}
		return true
	}
	count, rest, ok := strings.Cut(text, ") [")
	_, words, found := strings.Cut(rest, "]")
	if !ok || !found || !strings.HasPrefix(count, "(") {
		return false
	}
	words = strings.TrimSpace(words)
	if count != v.number {
		v.number, v.name = count, ""
	}
	message, failed := strings.CutPrefix(words, "(X)")
	if !failed {
		if words != "" {
			v.name = words
		}
		return true
	}
	message = strings.TrimSpace(message)
	if v.name == "" {
		v.name = message
	}
	d := s.Add(parse.Draft{Event: store.Event{File: v.file, Test: v.name, Message: message, Category: store.CategoryTest}})
	indent, lines := l.Indent(), 0
	s.Block(func(l parse.Line) parse.Verdict {
		text := l.Trim()
		if l.Indent() <= indent || lines > 20 {
			return parse.Done
		}
		if lines++; lines <= parse.MaxMessageLines && !strings.HasPrefix(text, "> ") {
			d.Message += "\n" + text
		}
		d.Extend(l)
		return parse.Take
	})
	return true
}
