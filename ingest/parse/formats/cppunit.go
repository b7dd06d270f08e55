package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// cppunitFormat reads CppUnit, with the outputters for text and for compilers.
var cppunitFormat = parse.Format{
	Name:     "cppunit",
	About:    "CppUnit of C++",
	Triggers: []string{") test: ", ":Assertion", ":Error", " : Error"},
	Starts:   []string{"##Failure Location unknown##"},
	Match:    matchCppunit,
}

var cppunitLines = parse.Lines{
	{Text: "{#}) test: {test} ({:F|E}) line: {line} {file}", Category: store.CategoryTest},
	{Text: "{#}) test: {test} ({:F|E})", Category: store.CategoryTest},
	{Text: "{file}:{line}:{:Assertion|Error}", Category: store.CategoryTest},
	{Text: "##Failure Location unknown## : {:Assertion|Error}", Category: store.CategoryTest},
}

// matchCppunit reads the head of a failure, and the message in the lines below. If the head does not contain the name
// of the test, the first line below it is the name.
func matchCppunit(s *parse.Scan, l parse.Line) bool {
	head, ok := cppunitLines.Read(l.Text)
	if !ok {
		return false
	}
	var d *parse.Draft
	var m parse.Message
	if head.Test != "" {
		d = s.Add(head)
	}
	s.Block(func(l parse.Line) parse.Verdict {
		text := l.Trim()
		if d == nil {
			if head.Test, ok = strings.CutPrefix(text, "Test name: "); !ok {
				return parse.Done
			}
			head.LogLine = l.N - 1
			d = s.Add(head)
			d.LogLine = l.N - 1
			return parse.Take
		}
		if text == "" {
			return parse.Last
		}
		m.Tell(d, strings.TrimPrefix(text, "- "))
		d.Extend(l)
		return parse.Take
	})
	return true
}
