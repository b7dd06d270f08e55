package parse

import (
	"strings"

	"github.com/blq-ci/blq/store"
)

// cucumberFormat reads Cucumber of Ruby and JavaScript, and Behat: the steps
// that failed, and the list of failing scenarios, which gives their names.
var cucumberFormat = Format{
	Name:     "cucumber",
	About:    "Cucumber and Behat: failing scenarios and their steps",
	Triggers: []string{".feature:", "Error)", "Exception)", ") Scenario: ", "(Cucumber::Undefined)"},
	Starts:   []string{"--- Failed scenarios:"},
	New:      func() Matcher { return new(cucumber).match },
}

type cucumber struct {
	message string // of a step that seems to have failed
	line    int    // where the message stands
	steps   []*Draft
}

// maxCucumberSteps is how many failed steps wait for the name of their scenario.
const maxCucumberSteps = 1000

func (c *cucumber) match(s *Scan, l Line) bool {
	text := l.Trim()
	if rest, ok := strings.CutPrefix(text, "cucumber "); ok {
		return c.scenario(s, rest)
	}
	if strings.HasPrefix(text, "--- Failed scenarios:") {
		behatList(s)
		return true
	}
	if _, n := number(text); n > 0 && strings.HasPrefix(text[n:], ") Scenario: ") {
		return cucumberJS(s, text[n+len(") Scenario: "):])
	}
	if class := rubyClass(text); class != "" && strings.IndexByte(text, '#') < 0 {
		c.message, c.line = text, l.N
		return false
	}
	p, rest, ok := rubyPlace(text)
	if !ok || !strings.HasSuffix(p.File, ".feature") || !strings.HasPrefix(rest, "in ") {
		return false
	}
	c.step(s, l, p)
	return true
}

// step reads "features/calc.feature:6:in `Then one is 2'", the frame below the
// message of a step that failed.
func (c *cucumber) step(s *Scan, l Line, p place) {
	if c.message == "" || l.N > c.line+40 || strings.HasSuffix(c.message, "(Cucumber::Undefined)") {
		return
	}
	d := s.Add(Draft{Event: store.Event{File: p.File, Line: p.Line, Message: c.message, Test: p.File, Category: store.CategoryTest, LogLine: c.line}})
	d.Extend(l)
	if len(c.steps) < maxCucumberSteps {
		c.steps = append(c.steps, d)
	}
	c.message = ""
}

// scenario reads "features/calc.feature:4 # Scenario: fails badly" of the list
// of failing scenarios. The step that failed is the first below that line.
func (c *cucumber) scenario(s *Scan, text string) bool {
	text = strings.TrimSpace(text)
	if i := strings.LastIndex(text, "-p "); i >= 0 { // cucumber -p default features/…
		_, text, _ = strings.Cut(text[i+3:], " ")
	}
	at, name, ok := strings.Cut(text, "#")
	p, _, isPlace := placeAt(strings.TrimSpace(at))
	if !ok || !isPlace || !strings.HasSuffix(p.File, ".feature") {
		return false
	}
	if kind, rest, ok := strings.Cut(strings.TrimSpace(name), ": "); ok && strings.HasPrefix(kind, "Scenario") {
		name = rest
	}
	name = strings.TrimSpace(name)
	if i := strings.Index(name, ", Examples ("); i > 0 {
		name = name[:i]
	}
	var found *Draft
	for _, d := range c.steps {
		if d.File == p.File && d.Line >= p.Line && d.Test == d.File && (found == nil || d.Line < found.Line) {
			found = d
		}
	}
	if found != nil {
		found.Test = name
		return true
	}
	s.Add(Draft{Event: store.Event{File: p.File, Line: p.Line, Test: name, Message: "scenario failed", Category: store.CategoryTest}})
	return true
}

// cucumberJS reads a numbered failure of cucumber-js: the scenario and its
// place, then the steps; the one with a cross is followed by its error.
func cucumberJS(s *Scan, text string) bool {
	name, at, ok := strings.Cut(text, " # ")
	p, _, isPlace := placeAt(at)
	if !ok || !isPlace {
		return false
	}
	d := s.Add(Draft{Event: store.Event{File: p.File, Line: p.Line, Test: strings.TrimSpace(name), Message: "scenario failed", Category: store.CategoryTest}})
	failed := false
	s.Block(func(l Line) Verdict {
		text := l.Trim()
		switch {
		case text == "" || l.Indent() < 3:
			return Done
		case strings.HasPrefix(text, "✖ "):
			failed = true
		case failed && d.Message == "scenario failed":
			d.Message = text
		}
		d.Extend(l)
		return Take
	})
	return true
}

// behatList reads the scenarios that Behat lists at the end.
func behatList(s *Scan) {
	any := false
	s.Block(func(l Line) Verdict {
		text := l.Trim()
		p, _, ok := placeAt(text)
		switch {
		case text == "" && !any:
			return Take
		case !ok:
			return Done
		}
		any = true
		s.Add(Draft{Event: store.Event{Tool: "behat", File: p.File, Line: p.Line, Test: text, Message: "scenario failed", Category: store.CategoryTest}})
		return Take
	})
}
