package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// cucumberFormat reads Cucumber for Ruby and JavaScript, and Behat. It reads failed steps. The names of the scenarios
// come from the list of failing scenarios.
var cucumberFormat = parse.Format{
	Name:     "cucumber",
	About:    "Cucumber and Behat: failing scenarios and their steps",
	Triggers: []string{".feature:", "Error)", "Exception)", ") Scenario: ", "(Cucumber::Undefined)", " undefined)"},
	Starts:   []string{"--- Failed scenarios:", `Ambiguous match of "`, `Parse error in "`},
	Lines: parse.Lines{
		{Text: `^Parse error in "{path}" ({line}:{column}): {message}`, Category: store.CategoryTest}, // of cucumber-js
	},
	New: func() parse.Matcher { return new(cucumber).match },
}

type cucumber struct {
	message string // message of a step that seems to have failed
	line    int    // line of the message
	steps   []*parse.Draft
}

// maxCucumberSteps is the max number of failed steps that wait for the names of their scenarios.
const maxCucumberSteps = 1000

func (c *cucumber) match(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	if rest, ok := strings.CutPrefix(text, "cucumber "); ok {
		return c.scenario(s, rest)
	}
	if strings.HasSuffix(text, " undefined)") { // "2 scenarios (1 passed, 1 undefined)", which fails with --strict
		if sum, _, ok := strings.Cut(text, " ("); ok && hasAnySuffix(sum, " scenario", " scenarios") {
			s.Add(parse.Draft{Weight: parse.Shown, Event: store.Event{Message: text, Category: store.CategoryTest}})
		}
		return false
	}
	if strings.HasPrefix(l.Text, "Ambiguous match of ") {
		cucumberAmbiguous(s, strings.TrimSuffix(text, ":"))
		return true
	}
	if strings.HasPrefix(text, "--- Failed scenarios:") {
		behatList(s)
		return true
	}
	if _, n := parse.Number(text); n > 0 && strings.HasPrefix(text[n:], ") Scenario: ") {
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

// cucumberAmbiguous reads 'Ambiguous match of "a number":' and the step definitions below it.
func cucumberAmbiguous(s *parse.Scan, message string) {
	d := s.Add(parse.Draft{Event: store.Event{Message: message, Category: store.CategoryTest}})
	lines := 0
	s.Block(func(l parse.Line) parse.Verdict {
		text := l.Trim()
		if lines++; strings.HasPrefix(text, "You can run again with --guess") || lines > 20 {
			return parse.Done
		}
		if p, rest, ok := rubyPlace(text); ok && strings.HasPrefix(rest, "in ") {
			d.Message += "\n" + text
			d.At(p.File, p.Line, 0)
			d.Extend(l)
		}
		return parse.Take
	})
}

// step reads "features/calc.feature:6:in `Then one is 2'". This frame is below the message of a failed step.
func (c *cucumber) step(s *parse.Scan, l parse.Line, p parse.Place) {
	if c.message == "" || l.N > c.line+40 || strings.HasSuffix(c.message, "(Cucumber::Undefined)") {
		return
	}
	d := s.Add(parse.Draft{Event: store.Event{File: p.File, Line: p.Line, Message: c.message, Test: p.File,
		Category: store.CategoryTest, LogLine: c.line}})
	d.Extend(l)
	if len(c.steps) < maxCucumberSteps {
		c.steps = append(c.steps, d)
	}
	c.message = ""
}

// scenario reads "features/calc.feature:4 # Scenario: fails badly" in the list of failing scenarios. The failed
// step of a scenario is the first failed step below the scenario's line in the file.
func (c *cucumber) scenario(s *parse.Scan, text string) bool {
	text = strings.TrimSpace(text)
	if i := strings.LastIndex(text, "-p "); i >= 0 { // cucumber -p default features/…
		_, text, _ = strings.Cut(text[i+3:], " ")
	}
	at, name, ok := strings.Cut(text, "#")
	p, _, isPlace := parse.PlaceAt(strings.TrimSpace(at))
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
	var found *parse.Draft
	for _, d := range c.steps {
		if d.File == p.File && d.Line >= p.Line && d.Test == d.File && (found == nil || d.Line < found.Line) {
			found = d
		}
	}
	if found != nil {
		found.Test = name
		return true
	}
	s.Add(parse.Draft{Event: store.Event{File: p.File, Line: p.Line, Test: name, Message: "scenario failed",
		Category: store.CategoryTest}})
	return true
}

// cucumberJS reads a numbered failure of cucumber-js. The scenario with its place comes first, and then the steps. The
// error follows the step with a cross.
func cucumberJS(s *parse.Scan, text string) bool {
	name, at, ok := strings.Cut(text, " # ")
	p, _, isPlace := parse.PlaceAt(at)
	if !ok || !isPlace {
		return false
	}
	d := s.Add(parse.Draft{Event: store.Event{File: p.File, Line: p.Line, Test: strings.TrimSpace(name),
		Message: "scenario failed", Category: store.CategoryTest}})
	failed := false
	s.Block(parse.Below{Indent: 3, Each: func(text string) {
		if strings.HasPrefix(text, "✖ ") {
			failed = true
		} else if failed && d.Message == "scenario failed" {
			d.Message = text
		}
	}}.Block(d))
	return true
}

// behatList reads Behat's list of failed scenarios at the end.
func behatList(s *parse.Scan) {
	s.Block(parse.Rows(func(l parse.Line) bool {
		text := l.Trim()
		p, _, ok := parse.PlaceAt(text)
		if !ok {
			return false
		}
		s.Add(parse.Draft{Event: store.Event{Tool: "behat", File: p.File, Line: p.Line, Test: text,
			Message: "scenario failed", Category: store.CategoryTest}})
		return true
	}))
}
