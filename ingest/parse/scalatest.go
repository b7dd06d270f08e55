package parse

import (
	"strings"

	"github.com/blq-ci/blq/store"
)

// scalaTestFormat reads ScalaTest and MUnit, under sbt or alone.
var scalaTestFormat = Format{
	Name:     "scalatest",
	About:    "ScalaTest and MUnit: failed tests",
	Triggers: []string{"*** FAILED ***", "*** ABORTED ***", "==> X "},
	Starts:   []string{"[info] "},
	New:      func() Matcher { return (&scalaTest{}).match },
}

// scalaTest remembers the suite and which of its tests were told of.
type scalaTest struct {
	suite string
	told  map[string]bool
}

func (st *scalaTest) match(s *Scan, l Line) bool {
	_, text, sbt := cutSbtLevel(l.Text)
	trimmed := strings.TrimSpace(text)
	if rest, ok := strings.CutPrefix(trimmed, "==> X "); ok {
		return munit(s, rest)
	}
	if aborted, ok := strings.CutSuffix(trimmed, " *** ABORTED ***"); ok {
		st.failure(s, aborted, l)
		return true
	}
	name, ok := strings.CutSuffix(trimmed, " *** FAILED ***")
	if i := strings.LastIndex(trimmed, " *** FAILED *** ("); !ok && i > 0 { // with the time it took
		name, ok = trimmed[:i], true
	}
	if !ok {
		if suite, found := strings.CutSuffix(text, ":"); sbt && found && isJavaName(suite) && 'A' <= outerClass(suite)[0] && outerClass(suite)[0] <= 'Z' {
			st.suite = suite
		}
		return false
	}
	name, ok = strings.CutPrefix(name, "- ")
	if !ok {
		return false
	}
	if st.suite != "" {
		name = st.suite + "." + name
	}
	st.failure(s, name, l)
	return true
}

// failure adds a test; the next lines, further in, say why.
func (st *scalaTest) failure(s *Scan, name string, head Line) {
	if st.told[name] { // the reminder at the end
		return
	}
	if st.told == nil {
		st.told = map[string]bool{}
	}
	if len(st.told) < maxSbtTold {
		st.told[name] = true
	}
	d := s.Add(testDraft(name, ""))
	_, text, _ := cutSbtLevel(head.Text)
	indent := len(text) - len(strings.TrimLeft(text, " "))
	lines := 0
	s.Block(func(l Line) Verdict {
		_, text, _ := cutSbtLevel(l.Text)
		trimmed := strings.TrimSpace(text)
		lines++
		if trimmed == "" || len(text)-len(strings.TrimLeft(text, " ")) <= indent || lines > 30 || strings.HasPrefix(trimmed, "- ") {
			return Done
		}
		message, file, line := cutScalaPlace(trimmed)
		switch {
		case lines == 1:
			d.Message = message
		case d.File == "" && !strings.HasPrefix(trimmed, "at ") && lines < 8:
			d.Message += "\n" + message
		}
		d.At(file, line, 0)
		d.Extend(l)
		return Take
	})
}

// munit reads "com.acme.CalcSuite.rounds  0.02s munit.ComparisonFailException: /x/CalcSuite.scala:7 values differ".
func munit(s *Scan, text string) bool {
	name, rest, ok := strings.Cut(text, "s ")
	cut := strings.LastIndexByte(name, ' ')
	for ok && (cut < 0 || !isSeconds(name[cut+1:])) { // an s inside the name
		more, after, found := strings.Cut(rest, "s ")
		if ok = found; ok {
			name, rest = name+"s "+more, after
			cut = strings.LastIndexByte(name, ' ')
		}
	}
	if !ok {
		return false
	}
	d := Draft{Event: store.Event{Test: strings.TrimSpace(name[:cut]), Message: rest, Tool: "munit", Category: store.CategoryTest}}
	if _, message, ok := cutThrowable(rest); ok {
		d.Message = message
		if p, after, ok := placeAt(message); ok {
			d.File, d.Line, d.Message = p.File, p.Line, after
		}
		if d.Message == "" {
			d.Message = rest
		}
	}
	s.Add(d)
	return true
}

func isSeconds(word string) bool {
	return word != "" && strings.Trim(word, "0123456789.") == "" && isDigit(word[0])
}
