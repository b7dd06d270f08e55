package parse

import "strings"

// testNGFormat reads TestNG's text reporter: "FAILED: method" and a trace.
var testNGFormat = Format{
	Name:   "testng",
	About:  "TestNG: failed tests and configuration methods",
	Starts: []string{"FAILED: ", "FAILED CONFIGURATION: "},
	New:    stateless(matchTestNG),
}

// matchTestNG adds the event when an exception follows: other tools print
// FAILED as well.
func matchTestNG(s *Scan, l Line) bool {
	_, name, _ := strings.Cut(l.Trim(), ": ")
	if at, method, ok := strings.Cut(name, " "); ok && strings.HasPrefix(at, "@") {
		name = method
	}
	plain, _, _ := strings.Cut(name, "(")
	if !isJavaName(plain) {
		return false
	}
	var d *Draft
	t := &throwable{}
	s.Block(func(next Line) Verdict {
		if d != nil {
			if !t.add(next.Text) {
				return Done
			}
		} else {
			if class, _, ok := cutThrowable(next.Trim()); !ok || !strings.Contains(class, ".") {
				return Done
			}
			draft := testDraft(name, "")
			draft.LogLine = l.N
			d = s.Add(draft)
			t.begin(next.Text)
		}
		if t.frame.Method == plain && !strings.Contains(plain, ".") && d.Test == name { // the old reporter leaves out the class
			d.Test = t.frame.Class + "." + name
		}
		t.apply(d)
		d.Extend(next)
		return Take
	})
	return false
}
