package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// goconveyFormat reads GoConvey. GoConvey prints the failures of a test before go test prints the test's name.
var goconveyFormat = parse.Format{
	Name:     "goconvey",
	About:    "GoConvey: failed assertions and panics",
	Triggers: []string{"_test.go", "--- FAIL: "},
	New:      func() parse.Matcher { return new(goconvey).match },
}

// goconvey keeps the failures whose test has no name yet.
type goconvey struct{ failures []*parse.Draft }

// maxConvey is the max number of failures that wait for the name of their test.
const maxConvey = 1000

func (g *goconvey) match(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	if test, ok := strings.CutPrefix(text, "--- FAIL: "); ok {
		test, _, _ = strings.Cut(test, " ")
		for _, d := range g.failures {
			d.Test = test
		}
		g.failures = nil
		return false
	}
	if isConvey(l.Text) {
		s.Block(g.failure(s, strings.TrimPrefix(text, "* "), l.N))
	}
	return false // the format gotest needs the line, too
}

// isConvey reports whether a line begins a failure: "  * shop_test.go ".
func isConvey(text string) bool {
	file, ok := strings.CutPrefix(text, "  * ")
	file = strings.TrimSpace(file)
	return ok && strings.HasSuffix(file, "_test.go") && !strings.Contains(file, " ")
}

// failure reads "Line 13:" or "Line 13: - message", and the message below, up to an empty line or a stack trace.
func (g *goconvey) failure(s *parse.Scan, file string, first int) func(parse.Line) parse.Verdict {
	var d *parse.Draft
	var words parse.Message
	return func(l parse.Line) parse.Verdict {
		text := l.Trim()
		if d != nil {
			if text == "" || strings.HasPrefix(text, "goroutine ") {
				return parse.Done
			}
			words.Tell(d, text)
			d.Extend(l)
			return parse.Take
		}
		at, ok := strings.CutPrefix(text, "Line ")
		line, n := parse.Number(at)
		message, colon := strings.CutPrefix(at[n:], ":")
		if !ok || !colon || line == 0 {
			return parse.Done
		}
		d = s.Add(parse.Draft{Event: store.Event{File: file, Line: line, Category: store.CategoryTest}})
		d.LogLine = first
		if message = strings.TrimPrefix(strings.TrimSpace(message), "- "); message != "" {
			words.Tell(d, message)
		}
		if len(g.failures) < maxConvey {
			g.failures = append(g.failures, d)
		}
		return parse.Take
	}
}
