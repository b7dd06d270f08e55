package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// behatFormat reads Behat: failed steps below their scenario, and the list of failed steps at the end.
var behatFormat = parse.Format{
	Name:     "behat",
	About:    "Behat of PHP: failed steps",
	Triggers: []string{"Context::", "Scenario: "},
	Starts:   []string{"--- Failed steps:"},
	New:      func() parse.Matcher { return new(behat).match },
}

// behat keeps the newest scenario.
type behat struct{ scenario parse.Draft }

var behatScenario = parse.Lines{
	{Text: "{?{#} }Scenario: {test} # {file:.feature}:{line}", Category: store.CategoryTest},
}

func (b *behat) match(s *parse.Scan, l parse.Line) bool {
	if strings.HasPrefix(l.Text, "--- Failed steps:") {
		s.Block(func(l parse.Line) parse.Verdict { return b.listed(s, l) })
		return true
	}
	if d, ok := behatScenario.Read(l.Text); ok {
		b.begin(d)
		return false
	}
	step, method, ok := strings.Cut(l.Text, " # ")
	if !ok || b.scenario.Test == "" || !strings.HasSuffix(method, "()") || strings.Contains(method, " ") {
		return false
	}
	indent := len(step) - len(strings.TrimLeft(step, " "))
	s.Block(func(l parse.Line) parse.Verdict {
		if hasAnyPrefix(l.Trim(), "|", `"""`) {
			return parse.Take // an argument of the step
		}
		if l.Indent() > indent && l.Trim() != "" && !strings.Contains(l.Text, " # ") {
			b.failed(s, l, indent)
		}
		return parse.Done
	})
	return true
}

func (b *behat) begin(d parse.Draft) {
	d.Test = strings.TrimSpace(d.Test)
	d.Key = d.File + ":" + d.Test
	b.scenario = d
}

// failed adds the failure of a step. Its reason begins at the line.
func (b *behat) failed(s *parse.Scan, l parse.Line, indent int) {
	d := s.Add(b.scenario)
	d.Message = l.Trim()
	d.Move(l)
	s.Block(parse.Below{Indent: indent + 1, Join: "\n", Parts: parse.MaxMessageLines}.Block(d))
}

// listed reads "001 Scenario: Buying # a.feature:5", "Then I see it # a.feature:8" and the reason.
func (b *behat) listed(s *parse.Scan, l parse.Line) parse.Verdict {
	text := l.Trim()
	if d, ok := behatScenario.Read(text); ok {
		b.begin(d)
		return parse.Take
	}
	_, place, ok := strings.Cut(text, " # ")
	p, _, placed := parse.PlaceAt(place)
	switch {
	case text == "":
		return parse.Take
	case !ok || !placed || b.scenario.Test == "":
		return parse.Done
	}
	d := b.scenario
	d.Line, d.Rank = p.Line, parse.Summary
	added := s.Add(d)
	s.Block(parse.Below{Indent: l.Indent() + 1, Join: "\n", Parts: parse.MaxMessageLines}.Block(added))
	return parse.Last
}
