package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// scalaTest reads ScalaTest and MUnit, with or without sbt. It keeps the current suite, and the failed tests that it
// has reported.
type scalaTest struct {
	suite string
	told  map[string]bool
}

// match returns the class of the test if the line reports a failure.
func (st *scalaTest) match(s *parse.Scan, l parse.Line) (class string, ok bool) {
	_, text, sbt := cutSbtLevel(l.Text)
	trimmed := strings.TrimSpace(text)
	if rest, ok := strings.CutPrefix(trimmed, "==> X "); ok {
		return munit(s, rest)
	}
	if aborted, ok := strings.CutSuffix(trimmed, " *** ABORTED ***"); ok {
		st.failure(s, aborted, l)
		return aborted, true
	}
	name, ok := strings.CutSuffix(trimmed, " *** FAILED ***")
	if i := strings.LastIndex(trimmed, " *** FAILED *** ("); !ok && i > 0 { // with the duration
		name, ok = trimmed[:i], true
	}
	if !ok {
		if suite, found := strings.CutSuffix(text, ":"); sbt && found && isClassName(suite) {
			st.suite = suite
		}
		return "", false
	}
	name, ok = strings.CutPrefix(name, "- ")
	if !ok {
		return "", false
	}
	if st.suite != "" {
		name = st.suite + "." + name
	}
	st.failure(s, name, l)
	return st.suite, true
}

// failure adds a failed test, unless the test is already reported. The reason is in the next lines, which are indented
// more.
func (st *scalaTest) failure(s *parse.Scan, name string, head parse.Line) {
	if st.told[name] { // the list at the end repeats the failure
		return
	}
	if st.told == nil {
		st.told = map[string]bool{}
	}
	if len(st.told) < maxSbtTold {
		st.told[name] = true
	}
	d := testDraft(name, "")
	d.Tool = "scalatest"
	p := s.Add(d)
	_, text, _ := cutSbtLevel(head.Text)
	indent := len(text) - len(strings.TrimLeft(text, " "))
	lines := 0
	s.Block(func(l parse.Line) parse.Verdict {
		_, text, _ := cutSbtLevel(l.Text)
		trimmed := strings.TrimSpace(text)
		lines++
		if trimmed == "" || len(text)-len(strings.TrimLeft(text, " ")) <= indent || lines > 30 ||
			strings.HasPrefix(trimmed, "- ") {
			return parse.Done
		}
		message, file, line := cutScalaPlace(trimmed)
		switch {
		case lines == 1:
			p.Message = message
		case p.File == "" && !strings.HasPrefix(trimmed, "at ") && lines < 8:
			p.Message += "\n" + message
		}
		p.At(file, line, 0)
		if own := strings.TrimSuffix(file, ".scala"); own != file && own == outerClass(st.suite) && p.File != file {
			p.File, p.Line = file, line // a place in the suite is better than a place in the code that it calls
		}
		p.Extend(l)
		return parse.Take
	})
}

// munit reads "com.acme.CalcSuite.rounds  0.02s munit.ComparisonFailException: /x/CalcSuite.scala:7 values differ".
func munit(s *parse.Scan, text string) (class string, ok bool) {
	end := -1 // end of the duration
	for i := 0; end < 0; {
		n := strings.Index(text[i:], "s ")
		if n < 0 {
			return "", false
		}
		if i += n; isSeconds(text[strings.LastIndexByte(text[:i], ' ')+1 : i]) {
			end = i
		}
		i += 2
	}
	name, rest := text[:strings.LastIndexByte(text[:end], ' ')+1], text[end+2:]
	d := parse.Draft{Event: store.Event{Test: strings.TrimSpace(name), Message: rest, Tool: "munit",
		Category: store.CategoryTest}}
	if _, message, ok := cutThrowable(rest); ok {
		d.Message = message
		if p, after, ok := parse.PlaceAt(message); ok {
			d.File, d.Line, d.Message = p.File, p.Line, after
		}
		if d.Message == "" {
			d.Message, _, _ = strings.Cut(rest, ": ")
		}
	}
	s.Add(d)
	return testClass(d.Test, ""), true
}

func isSeconds(word string) bool {
	return word != "" && strings.Trim(word, "0123456789.") == "" && parse.IsDigit(word[0])
}
