package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// testunitFormat reads Ruby's test-unit, which prints each failure during the run between two lines of equals signs.
var testunitFormat = parse.Format{
	Name:   "test-unit",
	About:  "Ruby's test-unit",
	Starts: []string{"Failure: ", "Error: "},
	Match:  matchTestUnit,
}

// matchTestUnit reads "Failure: test_div(TestCalc)", "Failure: test_a(TestCalc): words" and "Error:
// test_a(TestCalc): ZeroDivisionError: divided by 0".
func matchTestUnit(s *parse.Scan, l parse.Line) bool {
	_, text, _ := strings.Cut(l.Trim(), ": ")
	name, message := text, ""
	if i := strings.Index(text, "):"); i > 0 {
		name, message = text[:i+1], strings.TrimSpace(text[i+2:])
	} else if i := strings.Index(text, ") ["); i > 0 { // test-unit 1; the place follows
		name = text[:i+1]
	}
	class, method, ok := rubyTestName(name)
	if !ok {
		return testUnitClass(s, l, text)
	}
	testUnitBlock(s, s.Add(parse.Draft{Key: name,
		Event: store.Event{Test: class + "#" + method, Message: message, Category: store.CategoryTest}}))
	return true
}

// testUnitClass reads "Error: TestCalc: RuntimeError: words", an exception in startup or shutdown of a class. Only a
// frame on the next line shows that test-unit printed the line.
func testUnitClass(s *parse.Scan, l parse.Line, text string) bool {
	class, message, _ := strings.Cut(text, ": ")
	raised, _, ok := strings.Cut(message, ": ")
	if !ok || !isRubyClass(class) || !isRubyClass(raised) {
		return false
	}
	s.Block(func(below parse.Line) parse.Verdict {
		var trace rubyTrace
		if !strings.Contains(below.Text, ":in ") || !trace.add(below.Text) {
			return parse.Done
		}
		p := trace.place()
		d := s.Add(parse.Draft{Event: store.Event{Test: class, File: p.File, Line: p.Line, Message: message,
			Category: store.CategoryTest, LogLine: l.N}})
		testUnitBlock(s, d)
		return parse.Take
	})
	return false
}

// isRubyClass reports whether text can be the name of a class, such as "Net::HTTPError".
func isRubyClass(text string) bool {
	return text != "" && text[0] >= 'A' && text[0] <= 'Z' && !strings.ContainsAny(text, " \"'(/.")
}

// testUnitBlock reads the lines below a failure up to the rule of equals signs.
func testUnitBlock(s *parse.Scan, d *parse.Draft) {
	var trace rubyTrace
	var words parse.Message
	s.Block(func(l parse.Line) parse.Verdict {
		text := l.Trim()
		switch {
		case isRule(text, "="):
			if d.Message == "" {
				d.Message = words.String()
			}
			return parse.Last
		case hasAnyPrefix(text, "Finished in ", "Failure: ", "Error: "):
			return parse.Done
		case trace.add(text):
			p := trace.place()
			d.File, d.Line = p.File, p.Line
		case text == "diff:":
			words.End()
		case text != "" && !isCodeExcerpt(text):
			words.Add(text)
		}
		d.Extend(l)
		return parse.Take
	})
}

// isCodeExcerpt reports whether text is a source line of test-unit: "12:   x" or "=> 13:   y".
func isCodeExcerpt(text string) bool {
	text = strings.TrimLeft(strings.TrimPrefix(text, "=>"), " ")
	_, n := parse.Number(text)
	return n > 0 && strings.HasPrefix(text[n:], ":")
}
