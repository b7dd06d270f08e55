package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
)

// antJUnitFormat reads the plain and brief reports of Ant's junit and junitlauncher tasks.
var antJUnitFormat = parse.Format{
	Name:   "ant-junit",
	About:  "Ant junit and junitlauncher tasks: failed tests",
	Starts: []string{"Testsuite: ", "Testcase: ", "Test ", "TEST ", "Test: "},
	New:    func() parse.Matcher { return (&antJUnit{}).match },
}

// antJUnit keeps the class of the current results.
type antJUnit struct {
	class string
	told  string // class of the newest failure with details
}

func (a *antJUnit) match(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	if class, ok := strings.CutPrefix(text, "Testsuite: "); ok {
		a.class = class
		return true
	}
	if class, ok := cutClassFailed(text); ok {
		if class != a.told {
			s.Add(testDraft(class, text))
		}
		return true
	}
	name, ok := strings.CutPrefix(text, "Testcase: ")
	if !ok {
		return a.launcherTest(s, text)
	}
	name, state, _ := strings.Cut(name, ":\t")
	if n, rest, ok := strings.Cut(name, ": "); ok { // a terminal's text has blanks instead of tabs
		name, state = n, rest
	}
	if took := strings.LastIndex(name, " took "); took > 0 {
		name = name[:took]
	} else if state == "" && isJavaName(name) { // junitlauncher: the class
		a.class = name
		return true
	}
	a.failure(s, a.fullName(strings.TrimSuffix(name, ":")), state)
	return true
}

// cutClassFailed returns the class in "Test com.acme.CalcTest FAILED". The line may end with "(crashed)" or
// "(timeout)".
func cutClassFailed(text string) (string, bool) {
	if len(text) < 6 || !strings.EqualFold(text[:5], "test ") {
		return "", false
	}
	class, state, ok := strings.Cut(text[5:], " ")
	if !ok || !isJavaName(class) || !strings.Contains(class, ".") && !strings.Contains(class, "Test") {
		return "", false
	}
	return class, state == "FAILED" || state == "FAILED (crashed)" || state == "FAILED (timeout)"
}

func (a *antJUnit) fullName(name string) string {
	if method, class, ok := cutClassSuffix(name); ok { // the brief formatter
		a.class = class
		return class + "." + method
	}
	if a.class == "" {
		return name
	}
	return a.class + "." + name
}

// launcherTest reads "Test: rounds() took 15 sec(s) FAILED: message".
func (a *antJUnit) launcherTest(s *parse.Scan, text string) bool {
	name, ok := strings.CutPrefix(text, "Test: ")
	if !ok {
		return false
	}
	name, rest, _ := strings.Cut(name, " took ")
	_, message, ok := strings.Cut(rest, " FAILED: ")
	if !ok {
		return false
	}
	d := s.Add(testDraft(a.fullName(name), message))
	a.told = a.class
	t := &throwable{test: a.class}
	follow, begun := traceBlock(d, t), false
	s.Block(func(l parse.Line) parse.Verdict {
		if begun {
			return follow(l)
		}
		if begun = true; !isThrowableName(strings.SplitN(l.Text, ":", 2)[0]) {
			return parse.Done
		}
		t.begin(l.Text)
		return parse.Take
	})
	return true
}

// failure waits for the line that says that the test case failed. It then reads the message, the exception and the
// trace.
func (a *antJUnit) failure(s *parse.Scan, test, state string) {
	var d *parse.Draft
	t := &throwable{test: a.class}
	start := func(state string) bool {
		state = strings.TrimSpace(state)
		if state != "FAILED" && state != "Caused an ERROR" {
			return false
		}
		d, a.told = s.Add(testDraft(test, "")), a.class
		return true
	}
	if state != "" && !start(state) {
		return
	}
	at := s.LineNumber()
	s.Block(func(l parse.Line) parse.Verdict {
		text := l.Trim()
		if d == nil {
			if !start(l.Text) {
				return parse.Done
			}
			d.LogLine = at
			d.Extend(l)
			return parse.Take
		}
		if strings.HasPrefix(text, "Testcase: ") || strings.HasPrefix(text, "Testsuite: ") {
			return parse.Done
		}
		if class, _, ok := cutThrowable(text); ok && !t.framed && t.class == "" { // below the message
			t.message, t.class = nil, class
			t.begin(text)
		} else if t.lines == 0 {
			t.begin(text)
		} else if !t.add(l.Text) {
			return parse.Done
		}
		t.apply(d)
		d.Extend(l)
		return parse.Take
	})
}
