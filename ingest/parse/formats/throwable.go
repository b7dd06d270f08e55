package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// throwable reads a Java stack trace in the form of the JVM and of test runners: "class: message", more lines of the
// message, frames, "Caused by:".
type throwable struct {
	class   string // class of the outermost exception, "" if only a message is given
	message []string
	frame   javaFrame // the best frame so far (see better)
	test    string    // the class whose own frames have the highest rank
	ranking int       // rank of frame
	placed  bool      // this trace determines the place of the event
	framed  bool      // a frame was seen, so the message has ended
	lines   int
}

// javaFrame is a frame such as "at class.method(File.java:12)".
type javaFrame struct {
	Class, Method, File string
	Line                int
}

const (
	maxThrowableMessage = 12  // max lines of a message that are kept
	maxThrowableLines   = 200 // max lines before the first frame
)

// begin reads the first line of a throwable.
func (t *throwable) begin(text string) {
	text = strings.TrimSpace(text)
	t.lines++
	if class, message, ok := cutThrowable(text); ok {
		t.class = class
		t.addMessage(message)
		return
	}
	t.addMessage(text)
}

func (t *throwable) addMessage(text string) {
	text = text[:min(len(text), maxResultMessage)]
	if text = strings.TrimRight(text, " \t"); len(t.message) < maxThrowableMessage && (text != "" || len(t.message) > 0) {
		t.message = append(t.message, text)
	}
}

// add reads a further line. It reports whether the line belongs to the throwable.
func (t *throwable) add(text string) bool {
	t.lines++
	trimmed := strings.TrimSpace(text)
	if f, ok := frameAt(trimmed); ok {
		t.framed = true
		if r := f.rank(t.test); r > t.ranking {
			t.frame, t.ranking = f, r
		}
		return true
	}
	if isTraceLine(trimmed) {
		t.framed = true
		return true
	}
	if t.framed || t.lines > maxThrowableLines {
		return false
	}
	t.addMessage(trimmed)
	return true
}

// isTraceLine reports whether a line without a place belongs to a stack trace.
func isTraceLine(text string) bool {
	switch {
	case strings.HasPrefix(text, "Caused by:"), strings.HasPrefix(text, "Suppressed:"),
		strings.HasPrefix(text, "[CIRCULAR REFERENCE"), strings.HasPrefix(text, "Wrapped by:"):
		return true
	case strings.HasPrefix(text, "... "):
		n, length := parse.Number(text[4:])
		return n > 0 && length > 0
	case text == "[...]":
		return true
	}
	return false
}

// text returns the message. It adds the class, unless the class only says that an assertion failed.
func (t *throwable) text() string {
	message := strings.TrimSpace(strings.Join(t.message, "\n"))
	switch {
	case t.class == "":
		return message
	case message == "":
		return t.class
	case isAssertion(t.class):
		return message
	}
	return t.class + ": " + message
}

// apply copies the message into a draft. It also copies the place if the draft has no place, or has a place from this
// trace.
func (t *throwable) apply(d *parse.Draft) {
	if text := t.text(); text != "" {
		d.Message = text
	}
	if (d.File == "" || t.placed) && t.frame.File != "" {
		t.placed = true
		d.File, d.Line = t.frame.File, t.frame.Line
	}
}

// isAssertion reports whether a class is one of the exceptions that tests throw for failed assertions.
func isAssertion(class string) bool {
	name := class[strings.LastIndexByte(class, '.')+1:]
	return strings.HasPrefix(name, "Assertion") || strings.HasPrefix(name, "ComparisonFailure") ||
		name == "TestFailedException" || name == "MultipleFailuresError"
}

// cutThrowable splits "java.lang.IllegalStateException: bad state". The class must have a name such as an exception has
// (see isThrowableName).
func cutThrowable(text string) (class, message string, ok bool) {
	class, message, _ = strings.Cut(text, ": ")
	class = strings.TrimSuffix(class, ":")
	if !isThrowableName(class) {
		return "", "", false
	}
	return class, message, true
}

// isThrowableName reports whether s is the name of an exception's class. The name ends in a word such as Exception or
// Error. If the class has a package of several parts, such a word may also be inside of the name.
func isThrowableName(s string) bool {
	if !isJavaName(s) {
		return false
	}
	name := s[strings.LastIndexAny(s, ".$")+1:]
	for _, suffix := range [...]string{"Exception", "Error", "Failure", "Throwable", "Fault", "Interrupt", "Death",
		"Violation"} {
		if strings.HasSuffix(name, suffix) {
			return true
		}
	}
	return strings.Count(s, ".") > 1 && name != "" && 'A' <= name[0] && name[0] <= 'Z' &&
		(strings.Contains(name, "Exception") || strings.Contains(name, "Failure") || strings.Contains(name, "Error"))
}

// isJavaName reports whether s is a dotted name, such as the name of a class.
func isJavaName(s string) bool {
	if s == "" || len(s) > 300 || parse.IsDigit(s[0]) || s[0] == '.' {
		return false
	}
	for i := range len(s) {
		if c := s[i]; !isJavaNameByte(c) && c != '.' {
			return false
		}
	}
	return true
}

// isClassName reports whether s is a class name by Java's conventions.
func isClassName(s string) bool {
	name := outerClass(s)
	return isJavaName(s) && name != "" && 'A' <= name[0] && name[0] <= 'Z'
}

func isJavaNameByte(c byte) bool {
	return parse.IsDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'z' || c == '_' || c == '$' || c >= 0x80
}

// frameAt reads "at java.base/a.b.C.method(C.java:12)".
func frameAt(text string) (f javaFrame, ok bool) {
	rest, ok := strings.CutPrefix(text, "at ")
	if !ok {
		return f, false
	}
	return frameOf(rest)
}

// frameOf reads a frame without its "at".
func frameOf(rest string) (f javaFrame, ok bool) {
	open := strings.LastIndexByte(rest, '(')
	if open <= 0 {
		return f, false
	}
	where, _, found := strings.Cut(rest[open+1:], ")")
	name := rest[:open]
	if slash := strings.LastIndexByte(name, '/'); slash >= 0 { // a module or class loader
		name = name[slash+1:]
	}
	dot := strings.LastIndexByte(name, '.')
	if !found || dot <= 0 || !isJavaName(name[:dot]) {
		if dot = frameMethodDot(name); !found || dot <= 0 {
			return f, false
		}
	}
	f.Class, f.Method = name[:dot], name[dot+1:]
	file, line, _ := strings.Cut(where, ":")
	if n, length := parse.Number(line); length > 0 {
		f.File, f.Line = file, n
	}
	return f, true
}

// frameMethodDot returns the index of the dot before a method whose name is a sentence, as in Spock and Kotlin. It
// returns -1 for other names.
func frameMethodDot(name string) int {
	blank := strings.IndexByte(name, ' ')
	if blank < 0 {
		return -1
	}
	dot := strings.LastIndexByte(name[:blank], '.')
	if dot <= 0 || !isJavaName(name[:dot]) {
		return -1
	}
	return dot
}

// rank rates how well a frame shows the place of a failure. The class of the test ranks highest, then code outside of
// known libraries. Library code and unknown places have rank 0. If several frames have the same rank, the first of them
// determines the place.
func (f javaFrame) rank(test string) int {
	switch {
	case f.Line == 0:
		return 0
	case test != "" && outerClass(f.Class) == outerClass(test):
		return 3
	case isLibraryClass(f.Class):
		return 0
	}
	return 2
}

// outerClass returns the simple name of a class. For a nested class it returns the simple name of the top-level class.
func outerClass(name string) string {
	name = name[strings.LastIndexByte(name, '.')+1:]
	if i := strings.IndexByte(name, '$'); i > 0 {
		name = name[:i]
	}
	return name
}

// libraryPackages are packages of the platform and of test libraries.
var libraryPackages = []string{
	"java.", "javax.", "jdk.", "sun.", "com.sun.", "kotlin.", "kotlinx.", "scala.", "groovy.", "org.codehaus.groovy.",
	"org.apache.groovy.", "clojure.",
	"org.junit.", "junit.", "org.opentest4j.", "org.testng.", "org.mockito.", "org.assertj.", "org.hamcrest.",
	"org.spockframework.", "spock.",
	"com.google.common.truth.", "org.scalatest.", "org.scalactic.", "org.specs2.", "munit.", "io.kotest.",
	"org.easymock.", "org.powermock.",
	"org.gradle.", "org.apache.maven.", "org.apache.tools.ant.", "sbt.", "xsbt.", "org.eclipse.jetty.",
	"org.springframework.", "io.netty.", "com.intellij.rt.", "worker.org.gradle.",
	"net.bytebuddy.", "leiningen.", "org.jetbrains.kotlin.", "reactor.", "io.mockk.", "org.skyscreamer.", "android.",
	"androidx.test.", "org.robolectric.",
}

func isLibraryClass(class string) bool {
	for _, p := range libraryPackages {
		if strings.HasPrefix(class, p) {
			return true
		}
	}
	return false
}

// traceBlock reads a stack trace to its end, and updates d with each line.
func traceBlock(d *parse.Draft, t *throwable) func(parse.Line) parse.Verdict {
	return func(l parse.Line) parse.Verdict {
		if !t.add(l.Text) {
			return parse.Done
		}
		t.apply(d)
		d.Extend(l)
		return parse.Take
	}
}

// testDraft returns the draft for a failed Java test.
func testDraft(test, message string) parse.Draft {
	return parse.Draft{Event: store.Event{Test: test, Message: message, Category: store.CategoryTest}}
}
