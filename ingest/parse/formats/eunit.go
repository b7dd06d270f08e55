package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// eunitFormat reads failures of EUnit and of Common Test, which may run alone or under rebar3.
var eunitFormat = parse.Format{
	Name:  "eunit",
	About: "EUnit and Common Test of Erlang, alone or under rebar3",
	Triggers: []string{
		"*failed*", "*timed out*", "*** context setup failed ***", "*** context cleanup failed ***", "_test/0",
		"_test_/0", "_SUITE ==> ", "Test run failed! Reason:", " failed on line ", "*** FAILED ", "Error detected: ",
		"_SUITE:",
	},
	New: func() parse.Matcher { return new(eunit).match },
}

// eunit keeps the newest failure that Common Test printed on the console.
type eunit struct{ told *parse.Draft }

func (m *eunit) match(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	switch {
	case strings.HasSuffix(text, "*failed*"), strings.HasSuffix(text, "*timed out*"),
		strings.HasSuffix(text, " failed ***"):
		return eunitOwn(s, text)
	case strings.HasPrefix(text, "%%% "):
		return commonTest(s, text[4:])
	case strings.Contains(text, "Test run failed! Reason:"):
		return runFailed(s, text)
	case strings.Contains(text, " failed on line "), strings.HasPrefix(text, "Error detected: "),
		strings.Contains(text, "_SUITE:") && strings.HasSuffix(text, " failed"):
		return m.console(s, text)
	case strings.HasPrefix(text, "Testing ") && strings.HasSuffix(text, " ***"):
		return m.mark(s, l, text)
	}
	_, name, ok := parse.CutNumber(text)
	if !ok || l.Indent() > 4 || !strings.Contains(name, ":") {
		return false
	}
	s.Block(func(l parse.Line) parse.Verdict { return eunitRebar(s, name, l) })
	return true
}

// runFailed reads "Test run failed! Reason:" and the reason below. The log line of the failure is the line of the
// reason. Common Test may repeat its whole output in one line. In this case, the text is not at the beginning of the
// line, and runFailed records a repetition.
func runFailed(s *parse.Scan, text string) bool {
	d := parse.Draft{Event: store.Event{Message: "Test run failed!", Tool: "common_test", Category: store.CategoryTest}}
	if !strings.HasPrefix(text, d.Message) {
		d.Weight = parse.Repeat
	}
	added := s.Add(d)
	s.Block(func(l parse.Line) parse.Verdict {
		if added.Message = l.Trim(); added.Weight != parse.Repeat {
			added.Move(l)
		}
		return parse.Last
	})
	return true
}

// eunitOwn reads "demo_tests:4: divide_test (title)...[0.1 s] *failed*" and the details below.
func eunitOwn(s *parse.Scan, text string) bool {
	name, mark, _ := strings.Cut(text, "...")
	module, test, ok := strings.Cut(name, ": ")
	d := parse.Draft{Event: store.Event{Message: strings.Trim(mark, "* "), Category: store.CategoryTest}}
	if ok {
		module, _, _ = strings.Cut(module, ":") // remove the line number
		test, _, _ = strings.Cut(test, " (")
		d.Test = module + ":" + test
	} else {
		d.Message = strings.Trim(text, "* ")
	}
	added := s.Add(d)
	lines := 0
	s.Block(func(l parse.Line) parse.Verdict {
		text := l.Trim()
		lines++
		if text == "" || lines > 60 ||
			strings.Contains(text, "...") && (strings.HasSuffix(text, "ok") || strings.HasSuffix(text, "*")) {
			return parse.Done
		}
		added.Extend(l)
		if rest, ok := cutAny(text, "in function ", "in call from "); ok {
			eunitFrame(added, rest)
		}
		if message, ok := cutAny(text, "**error:", "**exit:", "**throw:"); ok {
			added.Message = message
		} else if hasAnyPrefix(text, "{expected,", "{value,", "{pattern,", "{expression,") {
			added.Message += " " + text
		}
		if strings.HasPrefix(text, "output:<<") {
			return parse.Last
		}
		return parse.Take
	})
	return true
}

// eunitFrame reads "demo:divide/2 (src/demo.erl, line 5)". The place of the failure is the frame of the test itself, or
// the first frame if no frame names a test.
func eunitFrame(d *parse.Draft, frame string) {
	i := strings.LastIndex(frame, " (")
	if i < 0 || d.File != "" && !strings.Contains(frame[:i], "test") || strings.HasPrefix(frame, "eunit_") {
		return
	}
	file, line, ok := strings.Cut(strings.TrimSuffix(frame[i+2:], ")"), ", line ")
	if n, _ := parse.Number(line); ok && n > 0 && parse.IsFileName(file) {
		d.File, d.Line = file, n
	}
}

// eunitRebar reads the line below rebar3's "  1) module:name_test/0".
func eunitRebar(s *parse.Scan, name string, l parse.Line) parse.Verdict {
	message, ok := strings.CutPrefix(l.Trim(), "Failure/Error: ")
	if !ok {
		return parse.Done
	}
	test, _, _ := strings.Cut(name, ": ")
	d := s.Add(parse.Draft{Event: store.Event{Test: strings.TrimSuffix(test, "/0"), Message: message,
		Category: store.CategoryTest, LogLine: l.N - 1, LogLineEnd: l.N}})
	file, more := "", 0
	s.Block(func(l parse.Line) parse.Verdict {
		text := l.Trim()
		switch {
		case l.Indent() < 5 || strings.HasPrefix(text, "Output:"):
			return parse.Done
		case hasAnyPrefix(text, "expected: ", "got: "):
			d.Message += ", " + text
		case strings.HasPrefix(text, "[{") && strings.HasPrefix(d.Message, "{"): // the stack of an exception
			d.Message = strings.TrimSuffix(d.Message, ",")
		case strings.HasSuffix(d.Message, ",") && strings.HasPrefix(d.Message, "{") && more < parse.MaxMessageLines:
			d.Message += text
			more++
		}
		d.Extend(l)
		if i := strings.Index(text, `.erl"`); i > 0 {
			file = text[:i+4]
			file = file[strings.LastIndexByte(file, '"')+1:]
		}
		if i := strings.Index(text, "{line,"); i >= 0 && file != "" && strings.Contains(file, "/") {
			n, _ := parse.Number(text[i+len("{line,"):])
			d.At(file, n, 0)
		}
		return parse.Take
	})
	return parse.Last
}
