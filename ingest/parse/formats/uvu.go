package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// uvuFormat reads the failures of uvu: the name of a test in quotes, and then the message, the diff and the stack, all
// indented.
var uvuFormat = parse.Format{
	Name:     "uvu",
	About:    "uvu: failed tests",
	Triggers: []string{" FAIL  "},
	Match:    matchUvu,
}

// matchUvu reads `FAIL  "adds"` and `FAIL  suite  "adds"`.
func matchUvu(s *parse.Scan, l parse.Line) bool {
	suite, name, ok := strings.Cut(strings.TrimPrefix(l.Trim(), "FAIL  "), `"`)
	name, closed := strings.CutSuffix(name, `"`)
	if !ok || !closed || l.Indent() < 2 || strings.ContainsAny(suite, "./>") {
		return false
	}
	if suite = strings.TrimSpace(suite); suite != "" {
		name = suite + " > " + name
	}
	d := s.Add(parse.Draft{Event: store.Event{Test: name, Message: name, Category: store.CategoryTest}})
	var msg parse.Message
	var trace jsTrace
	s.Block(func(l parse.Line) parse.Verdict {
		text := l.Trim()
		switch {
		case text == "" && !trace.seen:
			return parse.Take
		case l.Indent() < 4:
			return parse.Done
		case trace.add(text):
			trace.tell(d)
		case !trace.seen:
			msg.Tell(d, text)
		}
		d.Extend(l)
		return parse.Take
	})
	return true
}
