package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
)

// gradleTestFormat reads the tests that Gradle reports while they run: "Class > method FAILED", and the indented
// exception.
var gradleTestFormat = parse.Format{
	Name:     "gradle-test",
	About:    "Gradle: failed tests of JUnit, TestNG and Spock",
	Triggers: []string{" FAILED"},
	Match:    matchGradleTest,
}

func matchGradleTest(s *parse.Scan, l parse.Line) bool {
	name, ok := cutGradleFailed(l.Text)
	if !ok {
		return false
	}
	test, sure := gradleTestName(name)
	if test == "" {
		return false
	}
	var d *parse.Draft
	add := func() { d = s.Add(testDraft(test, "")); d.LogLine, d.LogLineEnd = l.N, l.N }
	if sure {
		add()
	}
	t := &throwable{test: testClass(test, "")}
	indent := 0
	s.Block(func(l parse.Line) parse.Verdict {
		text := l.Trim()
		if text == "" {
			if t.lines == 0 || t.lines > maxThrowableLines {
				return parse.Done
			}
			t.lines++
			return parse.Pass
		}
		if t.lines == 0 {
			if indent = l.Indent(); indent < 4 {
				return parse.Done
			}
			if d == nil {
				add()
			}
			if !gradleShort(d, text) {
				t.begin(text)
			}
			t.lines = max(t.lines, 1)
		} else if l.Indent() < indent {
			return parse.Done
		} else if !t.add(text) {
			return parse.Done
		}
		t.apply(d)
		d.Extend(l)
		return parse.Take
	})
	return true
}

// gradleShort reads "java.lang.ArithmeticException at CalcTest.java:9". By default Gradle prints nothing more about a
// failed test.
func gradleShort(d *parse.Draft, text string) bool {
	class, where, ok := strings.Cut(text, " at ")
	if !ok || !isJavaName(class) {
		return false
	}
	file, line, ok := strings.Cut(where, ":")
	n, length := parse.Number(line)
	if !ok || length == 0 || length != len(line) {
		return false
	}
	d.Message, d.File, d.Line = class, file, n
	return true
}

// cutGradleFailed returns the text before FAILED at the end of a line.
func cutGradleFailed(text string) (string, bool) {
	text = strings.TrimRight(text, " ")
	if strings.HasSuffix(text, ")") { // the test logger plugin adds the time
		if i := strings.LastIndex(text, " ("); i > 0 {
			text = text[:i]
		}
	}
	name, ok := strings.CutSuffix(text, " FAILED")
	if !ok || name == "" || name[0] == '>' || name[0] == ':' || name[0] == '[' || name[0] == '\t' {
		return "", false
	}
	return name, true
}

// gradleTestName returns class.method for "Gradle Test Executor 1 > Class > method". If sure is true, the line reports
// a failed test even if no exception follows.
func gradleTestName(name string) (test string, sure bool) {
	if rest, ok := strings.CutPrefix(strings.TrimLeft(name, " "), "Test "); ok && name[0] == ' ' {
		return rest, false
	}
	if name[0] == ' ' {
		return "", false
	}
	parts := strings.Split(name, " > ")
	for len(parts) > 1 && isGradleSuite(parts[0]) {
		parts = parts[1:]
	}
	if len(parts) == 1 {
		if !isJavaName(parts[0]) || !strings.Contains(parts[0], ".") {
			return "", false
		}
		return parts[0], false
	}
	class := parts[0]
	return class + "." + strings.Join(parts[1:], " > "), isClassName(class)
}

func isGradleSuite(part string) bool {
	return strings.HasPrefix(part, "Gradle Test Run ") || strings.HasPrefix(part, "Gradle Test Executor ") ||
		strings.EqualFold(part, "Gradle suite") || strings.EqualFold(part, "Gradle test") ||
		strings.HasPrefix(part, "Gradle Worker ")
}
