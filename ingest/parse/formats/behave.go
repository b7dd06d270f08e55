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
	Triggers: []string{".feature:", "Assertion Failed: ", "  Traceback (most recent call last):", " ... failed in "},
	Starts: []string{"Failing scenarios:", "Errored scenarios:", "  Scenario: ", "  Scenario Outline: ",
		"FAILURE in step '", "HOOK-ERROR in "},
	Lines: parse.Lines{{Text: "^HOOK-ERROR in {test}: {message}", Category: store.CategoryTest}},
	New:   func() parse.Matcher { return (&behave{reasons: map[string]*parse.Draft{}}).match },
}

// behave keeps the running scenario.
type behave struct {
	file, name string
	line       int
	reasons    map[string]*parse.Draft // by scenario: what the plain formatter says, which prints no places
}

// maxBehaveReasons is the max number of scenarios whose reasons are kept for the list of failing scenarios.
const maxBehaveReasons = 1000

func (b *behave) match(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	switch {
	case l.Text == "Failing scenarios:" || l.Text == "Errored scenarios:":
		b.file = ""
		s.Block(b.list(s))
		return true
	case strings.HasPrefix(text, "Scenario: ") || strings.HasPrefix(text, "Scenario Outline: "):
		head, at, _ := strings.Cut(text, " # ")
		_, name, _ := strings.Cut(head, ": ")
		b.file, b.line, b.name = "", 0, strings.TrimSpace(name)
		if p, rest, ok := parse.PlaceAt(at); ok && rest == "" {
			b.file, b.line = p.File, p.Line
		}
		return false // Behat prints the same line
	case strings.HasPrefix(l.Text, "FAILURE in step '"): // of the progress formatters
		if said := s.Said(1); len(said) > 0 { // "  adds an item  .F"
			b.name, _, _ = strings.Cut(said[0].Trim(), "  ")
		}
		b.plain(s)
		return true
	case b.name != "" && l.Indent() == 4 && strings.Contains(text, " ... failed in "):
		b.plain(s)
		return true
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

// plain reads the lines below "When I add 2 ... failed in 0.002s" or "FAILURE in step 'I add 2':". They are "Assertion
// Failed: words" or a traceback, and one of the progress formatters prints the scenario first.
func (b *behave) plain(s *parse.Scan) {
	d, t, lines := &parse.Draft{}, (*traceback)(nil), 0
	s.Block(func(l parse.Line) parse.Verdict {
		if lines++; t == nil {
			if name, ok := strings.CutPrefix(l.Text, "  Scenario: "); ok || strings.HasPrefix(l.Text, "  Feature: ") {
				b.name = name
				return parse.Take
			}
			d.LogLine = l.N
			if strings.HasPrefix(l.Text, "Assertion Failed: ") {
				d.Message = l.Text
				b.keep(d, l)
				return parse.Last
			}
			t = &traceback{d: d}
			if !strings.HasPrefix(l.Text, "Traceback (most") {
				return parse.Done
			}
		}
		if lines > 1000 {
			return parse.Done
		}
		if t.read(l.Text) {
			b.keep(d, l)
			return parse.Last
		}
		return parse.Take
	})
}

// keep keeps the reason of the running scenario for the list of failing scenarios.
func (b *behave) keep(d *parse.Draft, end parse.Line) {
	if d.LogLineEnd = end.N; len(b.reasons) < maxBehaveReasons {
		b.reasons[b.name] = d
	}
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
		e := store.Event{File: p.File, Line: p.Line, Test: name, Message: "scenario failed", Category: store.CategoryTest}
		if d := b.reasons[name]; d != nil {
			e.Message, e.LogLine, e.LogLineEnd = d.Message, d.LogLine, d.LogLineEnd
			delete(b.reasons, name)
		}
		s.Add(parse.Draft{Event: e, Key: p.File + ":" + strconv.Itoa(p.Line), Rank: parse.Summary})
		return true
	})
}
