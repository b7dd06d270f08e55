package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// pestFormat reads Pest, and `php artisan test` of Laravel, which has the same output: "FAILED  Tests\Unit\CalcTest >
// it divides", a message, and "at file:line".
var pestFormat = parse.Format{
	Name:     "pest",
	About:    "Pest, and Laravel's artisan test",
	Triggers: []string{"FAILED  "},
	Starts:   []string{"  • "},
	Match:    matchPest,
}

func matchPest(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	name, ok := strings.CutPrefix(text, "FAILED  ")
	if !ok {
		name, ok = strings.CutPrefix(text, "• ")
	}
	name = strings.TrimSpace(name)
	class, test, found := strings.Cut(name, " > ")
	if !found {
		class, test, found = strings.Cut(name, " › ")
	}
	if !ok || !found || !strings.Contains(class, `\`) {
		return false
	}
	if i := strings.LastIndex(test, "   "); i > 0 { // Pest 2 prints the exception's class at the right
		test = strings.TrimSpace(test[:i])
	}
	d := s.Add(parse.Draft{Event: store.Event{Test: class + " > " + test, Message: "test failed",
		Category: store.CategoryTest}})
	var msg parse.Message
	lines := 0
	s.Block(func(l parse.Line) parse.Verdict {
		text := l.Trim()
		lines++
		if rest, ok := strings.CutPrefix(text, "at "); ok {
			if p, _, ok := parse.PlaceAt(rest); ok {
				d.At(p.File, p.Line, 0)
				d.Extend(l)
				return parse.Last
			}
		}
		if lines > 40 || hasAnyPrefix(text, "FAILED  ", "Tests: ") {
			return parse.Done
		}
		if msg.Add(text); text != "" {
			d.Message = msg.String()
			d.Extend(l)
		}
		return parse.Take
	})
	return true
}
