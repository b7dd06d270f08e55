package formats

import (
	"strconv"
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// behaveFormat reads behave: scenarios with their failed steps, and the list of failing scenarios.
var behaveFormat = parse.Format{
	Name:     "behave",
	About:    "behave: failed scenarios",
	Triggers: []string{".feature:", "Assertion Failed: ", "  Traceback (most recent call last):"},
	Starts:   []string{"Failing scenarios:", "Errored scenarios:"},
	New:      func() parse.Matcher { return (&behave{}).match },
}

// behave keeps the running scenario.
type behave struct {
	file, name string
	line       int
}

func (b *behave) match(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	switch {
	case l.Text == "Failing scenarios:" || l.Text == "Errored scenarios:":
		b.file = ""
		s.Block(b.list(s))
		return true
	case strings.HasPrefix(text, "Scenario: ") || strings.HasPrefix(text, "Scenario Outline: "):
		head, at, ok := strings.Cut(text, " # ")
		p, rest, ok2 := parse.PlaceAt(at)
		if !ok || !ok2 || rest != "" {
			return false
		}
		_, name, _ := strings.Cut(head, ": ")
		b.file, b.line, b.name = p.File, p.Line, strings.TrimSpace(name)
		return false // Behat prints the same line
	case b.file == "" || l.Indent() < 4:
		return false
	case strings.HasPrefix(text, "Assertion Failed: "):
		b.add(s, text)
		return true
	case strings.HasPrefix(text, "Traceback (most"):
		b.traceback(s, l.Indent())
		return true
	}
	return false
}

func (b *behave) add(s *parse.Scan, message string) *parse.Draft {
	return s.Add(parse.Draft{Event: store.Event{File: b.file, Line: b.line, Message: message, Test: b.name,
		Category: store.CategoryTest}, Key: b.file + ":" + strconv.Itoa(b.line)})
}

// traceback reads the traceback of a step.
func (b *behave) traceback(s *parse.Scan, indent int) {
	t := &traceback{d: &parse.Draft{}}
	first, lines := s.LineNumber(), 0
	s.Block(func(l parse.Line) parse.Verdict {
		if lines++; l.Indent() < indent && l.Trim() != "" || lines > 1000 {
			return parse.Done
		}
		if t.read(strings.TrimPrefix(l.Text, strings.Repeat(" ", indent))) {
			d := b.add(s, t.d.Message)
			d.LogLine = first
			d.Extend(l)
			return parse.Last
		}
		return parse.Take
	})
}

// list reads the list at the end of the run: "  features/a.feature:2  name".
func (b *behave) list(s *parse.Scan) func(parse.Line) parse.Verdict {
	return parse.Rows(func(l parse.Line) bool {
		p, name, ok := parse.PlaceAt(l.Trim())
		if !ok || l.Indent() == 0 {
			return false
		}
		s.Add(parse.Draft{Event: store.Event{File: p.File, Line: p.Line, Test: name, Message: "scenario failed",
			Category: store.CategoryTest}, Key: p.File + ":" + strconv.Itoa(p.Line), Rank: parse.Summary})
		return true
	})
}
