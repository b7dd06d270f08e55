package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
)

// testNGFormat reads TestNG's text reporter: "FAILED: method" and a trace.
var testNGFormat = parse.Format{
	Name:   "testng",
	About:  "TestNG: failed tests and configuration methods",
	Starts: []string{"FAILED: ", "FAILED CONFIGURATION: "},
	Match:  matchTestNG,
}

// matchTestNG adds an event for a failed test. It does so only if an exception follows, because other tools print
// FAILED, too.
func matchTestNG(s *parse.Scan, l parse.Line) bool {
	_, name, _ := strings.Cut(l.Trim(), ": ")
	if at, method, ok := strings.Cut(name, " "); ok && strings.HasPrefix(at, "@") {
		name = method
	}
	plain, _, _ := strings.Cut(name, "(")
	if !isJavaName(plain) {
		return false
	}
	var d *parse.Draft
	t := &throwable{}
	s.Block(func(next parse.Line) parse.Verdict {
		if d != nil {
			if !t.add(next.Text) {
				return parse.Done
			}
		} else {
			if class, _, ok := cutThrowable(next.Trim()); !ok || !strings.Contains(class, ".") {
				return parse.Done
			}
			draft := testDraft(name, "")
			draft.LogLine = l.N
			d = s.Add(draft)
			t.begin(next.Text)
		}
		// The old reporter omits the class of the test.
		if t.frame.Method == plain && !strings.Contains(plain, ".") && d.Test == name {
			d.Test = t.frame.Class + "." + name
		}
		t.apply(d)
		d.Extend(next)
		return parse.Take
	})
	return false
}
