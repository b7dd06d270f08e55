package parse

import (
	"strings"

	"github.com/blq-ci/blq/store"
)

// testunitFormat reads Ruby's test-unit, which tells each failure between two
// rules as it comes.
var testunitFormat = Format{
	Name:   "test-unit",
	About:  "Ruby's test-unit",
	Starts: []string{"Failure: ", "Error: test"},
	New:    stateless(matchTestUnit),
}

// matchTestUnit reads "Failure: test_div(TestCalc)", "Failure: test_a(TestCalc): words"
// and "Error: test_a(TestCalc): ZeroDivisionError: divided by 0".
func matchTestUnit(s *Scan, l Line) bool {
	_, text, _ := strings.Cut(l.Trim(), ": ")
	name, message := text, ""
	if i := strings.Index(text, "):"); i > 0 {
		name, message = text[:i+1], strings.TrimSpace(text[i+2:])
	} else if i := strings.Index(text, ") ["); i > 0 { // test-unit 1: the place follows
		name = text[:i+1]
	}
	class, method, ok := rubyTestName(name)
	if !ok {
		return false
	}
	d := s.Add(Draft{Key: name, Event: store.Event{Test: class + "#" + method, Message: message, Category: store.CategoryTest}})
	var trace rubyTrace
	var words []string
	over := false
	s.Block(func(l Line) Verdict {
		text := l.Trim()
		switch {
		case isRule(text, "="):
			if d.Message == "" {
				d.Message = strings.Join(words, "\n")
			}
			return Last
		case hasAnyPrefix(text, "Finished in ", "Failure: ", "Error: "):
			return Done
		case trace.add(text):
			p := trace.place()
			d.File, d.Line = p.File, p.Line
		case text == "diff:":
			over = true
		case text != "" && !over && !isCodeExcerpt(text) && len(words) < maxMessageLines:
			words = append(words, text)
		}
		d.Extend(l)
		return Take
	})
	return true
}

// isCodeExcerpt says whether text is a line of the source that test-unit
// shows: "12:   x" and "=> 13:   y".
func isCodeExcerpt(text string) bool {
	text = strings.TrimLeft(strings.TrimPrefix(text, "=>"), " ")
	_, n := number(text)
	return n > 0 && strings.HasPrefix(text[n:], ":")
}
