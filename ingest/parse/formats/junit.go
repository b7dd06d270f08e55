package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
)

// junitFormat reads JUnit's own runners: the console launcher of JUnit 5, and the text runner of JUnit 4 and 3. Both
// list the failures at the end.
var junitFormat = parse.Format{
	Name:   "junit",
	About:  "JUnit console launcher and text runner: failed tests",
	Starts: []string{"Failures (", "There was 1 ", "There were "},
	Match:  matchJUnit,
}

func matchJUnit(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	if strings.HasPrefix(text, "Failures (") {
		if !strings.HasSuffix(text, "):") {
			return false
		}
		s.Block((&launcherFailures{scan: s}).line)
		return true
	}
	if strings.HasSuffix(text, " failure:") || strings.HasSuffix(text, " failures:") ||
		strings.HasSuffix(text, " error:") || strings.HasSuffix(text, " errors:") {
		s.Block((&textRunnerFailures{scan: s}).line)
	}
	return false // PHPUnit prints the same line
}

// launcherFailures reads the console launcher's list of failures.
type launcherFailures struct {
	scan *parse.Scan
	name string // displayed name; colons separate its parts
	head int    // line of the name
	d    *parse.Draft
	t    *throwable
}

func (f *launcherFailures) line(l parse.Line) parse.Verdict {
	text := l.Trim()
	switch {
	case strings.HasPrefix(text, "Test run finished after"),
		strings.HasPrefix(text, "[") && strings.HasSuffix(text, " found           ]"):
		return parse.Done
	case strings.HasPrefix(text, "=> ") && (f.name != "" || f.d != nil):
		if f.d == nil {
			f.add(displayedTest(f.name))
		}
		f.t.begin(text[len("=> "):])
	case f.d == nil && f.name != "" && strings.HasPrefix(text, "MethodSource ["),
		f.d == nil && f.name != "" && strings.HasPrefix(text, "ClassSource ["):
		f.add(f.sourceTest(text))
	case l.Indent() == 2 && strings.Contains(text, ":") && (f.t == nil || f.t.lines > 0):
		if _, isFrame := frameOf(text); !isFrame {
			f.name, f.head, f.d, f.t = text, l.N, nil, nil
			return parse.Take
		}
	}
	if f.t == nil || f.t.lines == 0 {
		return parse.Take
	}
	if !strings.HasPrefix(text, "=> ") {
		if frame, ok := frameOf(text); ok && frame.File != "" {
			text = "at " + text
		}
		if text == "" || !f.t.add(text) {
			return parse.Take
		}
	}
	f.t.apply(f.d)
	f.d.Extend(l)
	return parse.Take
}

func (f *launcherFailures) add(test string) {
	d := testDraft(test, "")
	d.LogLine = f.head
	f.d = f.scan.Add(d)
	f.t = &throwable{test: testClass(test, "")}
}

// sourceTest returns class.method for "MethodSource [className = 'a.B', methodName = 'c', …]".
func (f *launcherFailures) sourceTest(text string) string {
	_, class, _ := strings.Cut(text, "className = '")
	class, _, _ = strings.Cut(class, "'")
	_, method, ok := strings.Cut(text, "methodName = '")
	method, _, _ = strings.Cut(method, "'")
	if !ok || method == "" {
		return class
	}
	if i := strings.LastIndex(f.name, ":["); i > 0 { // an invocation of a parametrized test
		method += f.name[i+1:]
	}
	return class + "." + method
}

// displayedTest returns com.acme.CalcTest.rounds for "JUnit Vintage:com.acme.CalcTest:rounds". It removes the engine.
func displayedTest(name string) string {
	parts := strings.Split(name, ":")
	if len(parts) > 1 && strings.HasPrefix(parts[0], "JUnit ") {
		parts = parts[1:]
	}
	return strings.Join(parts, ".")
}

// textRunnerFailures reads "1) rounds(com.acme.CalcTest)" and the stack trace below.
type textRunnerFailures struct {
	scan *parse.Scan
	d    *parse.Draft
	t    *throwable
}

func (f *textRunnerFailures) line(l parse.Line) parse.Verdict {
	if test, rest, ok := cutNumberedTest(l.Text); ok {
		f.d = f.scan.Add(testDraft(test, ""))
		f.t = &throwable{test: testClass(test, "")}
		if rest != "" {
			f.t.begin(rest)
			f.t.apply(f.d)
		}
		return parse.Take
	}
	text := l.Trim()
	if f.d == nil || text == "FAILURES!!!" {
		return parse.Done
	}
	switch {
	case f.t.lines == 0:
		f.t.begin(text)
	case text == "":
		if f.t.framed {
			return parse.Pass
		}
		f.t.add(text)
	case !f.t.add(l.Text):
		if strings.HasPrefix(text, "There was 1 ") || strings.HasPrefix(text, "There were ") {
			return parse.Take
		}
		return parse.Done
	}
	f.t.apply(f.d)
	f.d.Extend(l)
	return parse.Take
}

// cutNumberedTest splits "1) rounds(com.acme.CalcTest)java.lang.Error: …".
func cutNumberedTest(text string) (test, rest string, ok bool) {
	_, after, ok := parse.CutNumber(text)
	if !ok {
		return "", "", false
	}
	for from, tries := 0, 0; tries < 20; tries++ { // the class is in the first parentheses that hold a class name
		open := strings.IndexByte(after[from:], '(')
		if open < 0 {
			break
		}
		open += from
		end := strings.IndexByte(after[open:], ')')
		if end > 0 && isJavaName(after[open+1:open+end]) {
			class := after[open+1 : open+end]
			return class + "." + after[:open], strings.TrimSpace(after[open+end+1:]), true
		}
		from = open + 1
	}
	after = strings.TrimSpace(after)
	return after, "", isJavaName(after) && strings.Contains(after, ".")
}
