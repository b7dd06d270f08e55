package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// proveFormat reads Perl's prove and Test::Harness. It reads the diagnostics of failed tests, the messages of test
// files that crashed, and the report at the end. tapFormat reads the TAP that the tests print. The events of both
// formats have the same keys, so a failure is counted once.
var proveFormat = parse.Format{
	Name:  "prove",
	About: "prove, Test::Harness, Test::More",
	Triggers: []string{"#   Failed test", "# Failed test", "# Looks like your test exited with ", ".t line ", ".t ..",
		"(Wstat: "},
	Starts: []string{"Test Summary Report", "Result: FAIL", "Failed ", "Bailout called.  ", "FAILED--Further "},
	New:    func() parse.Matcher { return (&prove{files: map[string]bool{}}).match },
}

type prove struct {
	files  map[string]bool // test files with a reported failed test
	indent int             // indentation of the newest failure; subtests come before their test
	died   *parse.Draft    // the newest message with a place in a test file
}

func (p *prove) match(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	switch {
	case strings.HasPrefix(text, "#"):
		rest, ok := strings.CutPrefix(strings.TrimSpace(text[1:]), "Failed test")
		if !ok {
			lastWordsOfTest(s, l)
			return false
		}
		p.failed(s, l, strings.TrimSpace(rest))
		return true
	case strings.Contains(text, " (Wstat: "):
		return p.report(s, text)
	case strings.HasPrefix(text, "Result: FAIL"),
		strings.HasPrefix(text, "Failed ") && strings.Contains(text, " test programs. "):
		s.Add(parse.Draft{Weight: parse.Repeat, Event: store.Event{Message: text, Category: store.CategoryTest}})
		return true
	case strings.HasPrefix(text, "Test Summary Report"):
		return true
	case strings.HasPrefix(text, "Bailout called."), strings.HasPrefix(text, "FAILED--Further testing stopped"):
		return bailout(s, text)
	}
	return p.message(s, l, text)
}

// failed reads "Failed test 'is false'" and the comments below: the place, the actual and the expected value.
func (p *prove) failed(s *parse.Scan, l parse.Line, rest string) {
	parent := l.Indent() < p.indent
	p.indent = l.Indent()
	if parent {
		return
	}
	name, at := "", parse.Place{}
	if _, found, ok := perlPlace("x " + rest); ok { // "at t/a.t line 3.", and older "'x' at t/a.t line 3."
		at = found
		rest = strings.TrimSpace(rest[:max(0, strings.LastIndex(rest, "at "))])
	}
	name = strings.TrimSuffix(strings.TrimPrefix(rest, "'"), "'")
	e := store.Event{Tool: "tap", Test: name, Message: name, File: at.File, Line: at.Line, Category: store.CategoryTest}
	if name == "" {
		e.Message = "not ok"
	}
	d := s.Add(parse.Draft{Event: e, Key: name, Rank: parse.Detail + 1})
	p.note(at.File)
	var words parse.Message
	s.Block(func(l parse.Line) parse.Verdict {
		rest, ok := strings.CutPrefix(l.Trim(), "#")
		rest = strings.TrimSpace(rest)
		switch {
		case !ok || hasAnyPrefix(rest, "Failed test", "Looks like ", "Failed (TODO)"):
			return parse.Done
		case strings.HasPrefix(rest, "at ") && d.File == "":
			if _, at, ok := perlPlace("x " + rest); ok {
				d.File, d.Line = at.File, at.Line
				p.note(at.File)
			}
		case rest != "":
			words.Tell(d, rest)
		}
		d.Extend(l)
		return parse.Take
	})
}

// bailout reads "Bailout called.  Further testing stopped:  REASON", and the same reason at the end of the run.
func bailout(s *parse.Scan, text string) bool {
	_, reason, _ := strings.Cut(text, "Further testing stopped")
	reason = strings.TrimSpace(strings.Trim(reason, ":. "))
	d := parse.Draft{Key: "bailout " + reason,
		Event: store.Event{Message: strings.TrimSuffix("Bailout: "+reason, ": "), Category: store.CategoryTest}}
	if text[0] == 'F' {
		d.Rank = parse.Summary
	}
	s.Add(d)
	return true
}

func (p *prove) note(file string) {
	if file != "" && len(p.files) < maxPytestTests {
		p.files[file] = true
	}
}

// lastWordsOfTest reads the line above "# Looks like your test exited with 255 just after 1.", if that line is a
// message without a place. The line below names the test file.
func lastWordsOfTest(s *parse.Scan, l parse.Line) {
	words := before(s)
	if words == "" || hasAnyPrefix(words, "#", "ok ", "not ok ", "1..", "t/", "Failed ", "Dubious, ") ||
		!strings.HasPrefix(l.Text, "# Looks like your test exited with ") {
		return
	}
	s.Block(func(below parse.Line) parse.Verdict {
		d := parse.Draft{Weight: parse.Likely, Event: store.Event{Message: words, Category: store.CategoryTest}}
		if file, _, ok := strings.Cut(below.Text, " .."); ok && strings.HasSuffix(file, ".t") {
			d.Key, d.File = file, file
		}
		d.LogLine, d.LogLineEnd = l.N-1, l.N
		s.Add(d)
		return parse.Done
	})
}

// message reads a message such as "the end at t/b.t line 3.", or "t/b.t .. no x at lib/A.pm line 3.". If the report at
// the end says that the test file failed, the first of these messages is the reason.
func (p *prove) message(s *parse.Scan, l parse.Line, text string) bool {
	message, at, ok := perlPlace(text)
	test := at.File
	if name, rest, ok := strings.Cut(message, " "); ok && strings.HasSuffix(name, ".t") && strings.HasPrefix(rest, "..") {
		test, message = name, strings.TrimLeft(rest, ". ") // prove's progress precedes the message
	}
	if !ok || !strings.HasSuffix(test, ".t") || isPerlWarning(message) ||
		hasAnyPrefix(message, "BEGIN failed--", "Compilation failed in require", "at ") {
		return false
	}
	if i := strings.Index(message, " (@INC "); i > 0 {
		message = message[:i]
	}
	if p.died != nil && p.died.Key == test && p.died.LogLineEnd+1 == l.N { // Perl goes on after an error of syntax
		if p.died.Extend(l); strings.Count(p.died.Message, "\n") < parse.MaxMessageLines {
			p.died.Message += "\n" + message
		}
		return true
	}
	p.died = s.Add(parse.Draft{Weight: parse.Likely, Key: test,
		Event: store.Event{File: at.File, Line: at.Line, Message: message, Category: store.CategoryTest}})
	return true
}

// report reads an entry of the report: "t/b.t (Wstat: 65280 Tests: 1 Failed: 0)", and the lines below it.
func (p *prove) report(s *parse.Scan, text string) bool {
	file, _, _ := strings.Cut(text, " (Wstat: ")
	file = strings.TrimSpace(file)
	if p.files[file] {
		s.Block(proveEntry(nil))
		return true
	}
	if d := s.Reported("prove", file); d != nil {
		d.Weight, d.Test = parse.Certain, file
		s.Block(proveEntry(nil))
		return true
	}
	s.Block(proveEntry(s.Add(parse.Draft{Event: store.Event{File: file, Test: file, Message: "test file failed",
		Category: store.CategoryTest}})))
	return true
}

func proveEntry(d *parse.Draft) func(parse.Line) parse.Verdict {
	var words parse.Message
	return func(l parse.Line) parse.Verdict {
		if l.Indent() < 2 {
			return parse.Done
		}
		if d != nil && !words.Ended() {
			words.Tell(d, l.Trim())
			d.Extend(l)
		}
		return parse.Take
	}
}
