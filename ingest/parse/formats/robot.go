package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// robotFormat reads Robot Framework's console: a bar and FAIL after the name of each failed test, and the message
// below.
var robotFormat = parse.Format{
	Name:     "robot",
	About:    "Robot Framework: failed tests on the console",
	Triggers: []string{"| FAIL |"},
	Match:    matchRobot,
}

func matchRobot(s *parse.Scan, l parse.Line) bool {
	name, ok := strings.CutSuffix(strings.TrimRight(l.Text, " "), "| FAIL |")
	if name, _, _ = strings.Cut(strings.TrimSpace(name), " :: "); !ok || name == "" {
		return false
	}
	at := l.N
	var d *parse.Draft
	s.Block(func(l parse.Line) parse.Verdict {
		text := l.Trim()
		switch {
		case isLongRule(text):
			return parse.Done
		case isRobotTotal(text): // the total of a suite; the failures are in its tests
			if d != nil {
				d.Merged = true
			}
			return parse.Last
		case d == nil:
			d = s.Add(parse.Draft{Event: store.Event{Category: store.CategoryTest, Test: name, Message: text, LogLine: at}})
		case l.N > at+60:
			return parse.Done
		case l.N <= at+10 && text != "":
			d.Message += "\n" + text
		}
		d.Extend(l)
		return parse.Take
	})
	return true
}

// isLongRule reports whether a line consists of dashes or of equals signs.
func isLongRule(text string) bool {
	return len(text) >= 20 && (strings.Trim(text, "-") == "" || strings.Trim(text, "=") == "")
}

// isRobotTotal reports whether text is a total: "3 tests, 2 passed, 1 failed" or "3 critical tests, …".
func isRobotTotal(text string) bool {
	_, digits := parse.Number(text)
	return digits > 0 && hasAnyPrefix(text[digits:], " test", " critical test", " task") &&
		strings.Contains(text, " failed")
}
