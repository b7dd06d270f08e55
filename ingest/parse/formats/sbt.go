package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// sbtFormat reads the log of sbt: findings of compilers, of scalafmt and of MiMa, failed tasks, and failed tests.
var sbtFormat = parse.Format{
	Name:     "sbt",
	About:    "sbt, the Scala compiler, ScalaTest, specs2 and MUnit: errors, warnings, failed tasks and tests",
	Triggers: []string{"*** FAILED ***", "*** ABORTED ***", "==> X ", ".scala:"},
	Starts:   []string{"[error] ", "[warn] ", "[info] ", "-- [E", "-- Error: "},
	New:      func() parse.Matcher { return (&sbt{}).match },
}

type sbt struct {
	told    map[string]bool // messages of reported failed tasks
	classes map[string]bool // simple names of test classes with reported failures
	suite   scalaTest
}

const maxSbtTold = 1000

func (b *sbt) match(s *parse.Scan, l parse.Line) bool {
	if class, ok := b.suite.match(s, l); ok {
		b.tell(class)
		return true
	}
	severity, text, ok := cutSbtLevel(l.Text)
	if !ok {
		severity, text = store.SeverityError, l.Text
	}
	text = strings.TrimRight(text, " ")
	if e, ok := scalaFinding(text, severity); ok {
		d := s.Add(parse.Draft{Event: e})
		s.Block(scalaBlock(d))
		return true
	}
	if file, unformatted := strings.CutSuffix(text, " isn't formatted properly!"); ok && unformatted {
		s.Add(parse.Draft{Event: store.Event{File: file, Message: "isn't formatted properly",
			Tool: "scalafmt", Category: store.CategoryLint}})
		return true
	}
	if severity == store.SeverityInfo && strings.HasPrefix(text, "x ") {
		b.specs2Old(s, l, text[2:])
		return false
	}
	if severity != store.SeverityError || !ok {
		return false
	}
	switch {
	case strings.HasPrefix(text, "x ") && isScripted(text[2:]):
		return scripted(s, text[2:])
	case strings.HasPrefix(text, "("):
		return b.task(s, text)
	case strings.HasPrefix(text, "Failed tests:"), strings.HasPrefix(text, "Error during tests:"):
		s.Block(parse.Rows(func(l parse.Line) bool {
			_, class, _ := cutSbtLevel(l.Text)
			class = strings.TrimSpace(class)
			if !isJavaName(class) {
				return false
			}
			if !b.classes[outerClass(class)] {
				s.Add(testDraft(class, "tests failed"))
			}
			return true
		}))
		return true
	case strings.HasPrefix(text, "Test "):
		return b.junitInterface(s, text)
	case strings.HasPrefix(text, "Total time: "):
		return true
	case strings.HasPrefix(text, "bad option: "):
		s.Add(parse.Draft{Event: store.Event{Message: text, Tool: "scala", Category: store.CategoryBuild}})
		return true
	case strings.HasPrefix(text, "## Exception when compiling "):
		b.exception(s, text)
		return true
	case strings.Contains(text, "binary compatibility") || strings.Contains(text, "Binary compatibility"):
		return mima(s, text)
	case isSpecs2(text):
		return b.specs2(s, text)
	}
	return false
}

// cutSbtLevel removes a level such as "[error] " and returns its severity.
func cutSbtLevel(text string) (store.Severity, string, bool) {
	for _, level := range [...]struct {
		prefix   string
		severity store.Severity
	}{{"[error] ", store.SeverityError}, {"[warn] ", store.SeverityWarning}, {"[info] ", store.SeverityInfo}} {
		if rest, ok := strings.CutPrefix(text, level.prefix); ok {
			return level.severity, rest, true
		}
	}
	if text == "[error]" {
		return store.SeverityError, "", true
	}
	return "", text, false
}

// scalaFinding reads "/x/A.scala:6:35: message" and Scala 3's "-- [E008] Not Found Error: /x/A.scala:6:35 ----".
func scalaFinding(text string, severity store.Severity) (e store.Event, ok bool) {
	e = store.Event{Severity: severity, Tool: "scala", Category: store.CategoryCompile}
	if rest, ok := strings.CutPrefix(text, "-- "); ok {
		if code, after, ok := strings.Cut(strings.TrimPrefix(rest, "["), "] "); ok && rest[0] == '[' {
			e.Code, rest = code, after
		}
		kind, where, ok := strings.Cut(strings.TrimRight(rest, " -"), ": ")
		p, _, found := parse.PlaceAt(where)
		if !ok || !found {
			return e, false
		}
		e.File, e.Line, e.Column, e.Message = p.File, p.Line, p.Column, kind
		if strings.HasSuffix(kind, "Warning") {
			e.Severity = store.SeverityWarning
		}
		return e, true
	}
	p, message, ok := parse.PlaceAt(text)
	if !ok || message == "" || text[0] == ' ' {
		return e, false
	}
	switch p.File[strings.LastIndexByte(p.File, '.')+1:] {
	case "scala", "sbt", "sc":
	case "java":
		e.Tool = "javac"
	default:
		return e, false
	}
	if word, rest, ok := parse.SeverityAt(message); ok {
		e.Severity, message = word, rest
	}
	e.File, e.Line, e.Column, e.Message = p.File, p.Line, p.Column, message
	return e, true
}

// scalaBlock takes the source line, the caret and details.
func scalaBlock(d *parse.Draft) func(parse.Line) parse.Verdict {
	three := strings.HasSuffix(d.Message, "Error") || strings.HasSuffix(d.Message, "Warning")
	lines := 0
	return func(l parse.Line) parse.Verdict {
		_, text, _ := cutSbtLevel(l.Text)
		trimmed := strings.TrimSpace(text)
		bar := strings.IndexByte(text, '|')
		lines++
		switch {
		case lines > 40:
			return parse.Done
		case three && bar >= 0 && bar < 12: // "6 |  foo", "  |  ^^^", "  |  Not found: foo"
			said := strings.TrimSpace(text[bar+1:])
			if strings.TrimSpace(text[:bar]) == "" && said != "" && strings.Trim(said, "^-|, ") != "" &&
				!strings.HasPrefix(said, "longer explanation") {
				if i := strings.Index(d.Message, ": "); i < 0 {
					d.Message += ": " + said
				}
			}
		case three:
			return parse.Done
		case strings.HasPrefix(trimmed, "found   :"), strings.HasPrefix(trimmed, "required:"),
			strings.HasPrefix(text, "  symbol"), strings.HasPrefix(text, "  location"):
			d.Message += "\n" + trimmed
		case trimmed == "^":
			d.Extend(l)
			return parse.Last
		case text == "" || text[0] != ' ' && lines > 1 || strings.HasPrefix(trimmed, "at "):
			return parse.Done
		}
		if _, _, ok := parse.PlaceAt(trimmed); ok {
			return parse.Done
		}
		d.Extend(l)
		return parse.Take
	}
}

// task reads a failed task: "(core / Test / test) sbt.TestsFailedException: Tests unsuccessful".
func (b *sbt) task(s *parse.Scan, text string) bool {
	task, message, ok := strings.Cut(text, ") ")
	if !ok || message == "" || !strings.ContainsAny(task, "/:") && strings.Contains(task, " ") {
		return false
	}
	d := parse.Draft{Event: store.Event{Message: message, Category: store.CategoryBuild,
		Code: strings.TrimPrefix(task, "(")}}
	for _, words := range [...]string{"Compilation failed", "TestsFailedException", "Tests unsuccessful", "Nonzero exit",
		"nonzero exit", "EvalException", "inary compatibility check failed",
		"exists error", "Failed tests:"} {
		if strings.Contains(message, words) {
			d.Weight = parse.Repeat
		}
	}
	if d.Weight == parse.Certain {
		if b.told[message] { // the same message for another project
			return true
		}
		b.toldTask(message)
	}
	s.Add(d)
	return true
}

// toldTask records the message of a failed task.
func (b *sbt) toldTask(message string) {
	if b.told == nil {
		b.told = map[string]bool{}
	}
	if len(b.told) < maxSbtTold {
		b.told[message] = true
	}
}

// exception reads "## Exception when compiling 3 sources to DIR" and the message below, which the failed task repeats.
func (b *sbt) exception(s *parse.Scan, text string) {
	d := s.Add(parse.Draft{Event: store.Event{Message: text, Category: store.CategoryBuild}})
	s.Block(func(l parse.Line) parse.Verdict {
		severity, text, ok := cutSbtLevel(l.Text)
		if text = strings.TrimSpace(text); !ok || severity != store.SeverityError || text == "" {
			return parse.Done
		}
		d.Message = text
		d.Extend(l)
		b.toldTask(text)
		return parse.Last
	})
}

// mima reads a message of MiMa, and the problems below the message. An example of the message is "cats-core: Failed
// binary compatibility check against org:name:1.0! Found 2 potential problems".
func mima(s *parse.Scan, text string) bool {
	if !strings.Contains(text, "! Found ") {
		return false
	}
	head := s.Add(parse.Draft{Event: store.Event{Message: text, Tool: "mima", Category: store.CategoryCompile}})
	s.Block(func(l parse.Line) parse.Verdict {
		_, text, ok := cutSbtLevel(l.Text)
		text = strings.TrimSpace(text)
		problem, isProblem := strings.CutPrefix(text, "* ")
		if !ok || !isProblem && !strings.HasPrefix(text, "filter with: ") {
			return parse.Done
		}
		if isProblem {
			head.Merged = true // the problems have the details
			s.Add(parse.Draft{Event: store.Event{Message: problem, Tool: "mima", Category: store.CategoryCompile}})
		} else if d := s.Newest(); d.Tool == "mima" {
			d.Extend(l)
		}
		return parse.Take
	})
	return true
}

// tell records that the failures of a class were already reported.
func (b *sbt) tell(class string) {
	if b.classes == nil {
		b.classes = map[string]bool{}
	}
	if len(b.classes) < maxSbtTold {
		b.classes[outerClass(class)] = true
	}
}

// junitInterface reads a failed test of sbt's junit-interface, and the stack trace below. An example is "Test
// com.acme.CalcTest.rounds failed: expected:<3> but was:<2>, took 0.01 sec".
func (b *sbt) junitInterface(s *parse.Scan, text string) bool {
	name, message, ok := strings.Cut(text[len("Test "):], " failed: ")
	if !ok {
		return false
	}
	if i := strings.LastIndex(message, ", took "); i >= 0 {
		message = message[:i]
	}
	class := testClass(name, "")
	b.tell(class)
	d := s.Add(testDraft(name, ""))
	t := &throwable{test: class}
	t.begin(message)
	t.apply(d)
	s.Block(func(l parse.Line) parse.Verdict {
		_, text, ok := cutSbtLevel(l.Text)
		trimmed := strings.TrimSpace(text)
		if _, isFrame := frameAt(trimmed); !ok || !isFrame && !isTraceLine(trimmed) {
			return parse.Done
		}
		t.add(trimmed)
		t.apply(d)
		d.Extend(l)
		return parse.Take
	})
	return true
}

// isSpecs2 reports whether a line is an example of specs2 that failed, "  x ends with world", or that threw an
// exception, "  ! ends with world".
func isSpecs2(text string) bool {
	trimmed := strings.TrimLeft(text, " ")
	return len(trimmed) > 2 && (strings.HasPrefix(trimmed, "x ") || strings.HasPrefix(trimmed, "! ")) &&
		len(trimmed) < len(text)
}

// specs2 reads a failed example. The next line has the reason and the place.
func (b *sbt) specs2(s *parse.Scan, text string) bool {
	d := s.Add(testDraft(strings.TrimLeft(text, " ")[2:], ""))
	d.Tool = "specs2"
	s.Block(func(l parse.Line) parse.Verdict {
		_, text, ok := cutSbtLevel(l.Text)
		if !ok || strings.TrimSpace(text) == "" || isSpecs2(text) {
			return parse.Done
		}
		d.Message, d.File, d.Line = cutScalaPlace(strings.TrimSpace(text))
		b.tell(strings.TrimSuffix(d.File, ".scala"))
		d.Extend(l)
		return parse.Last
	})
	return true
}

// specs2Old reads an example that failed in specs2 1. Only the reason below has the level of an error.
func (b *sbt) specs2Old(s *parse.Scan, l parse.Line, name string) {
	at := l.N
	s.Block(func(l parse.Line) parse.Verdict {
		severity, text, _ := cutSbtLevel(l.Text)
		message, file, line := cutScalaPlace(strings.TrimSpace(text))
		if severity != store.SeverityError || file == "" {
			return parse.Done
		}
		d := testDraft(name, message)
		d.Tool, d.File, d.Line, d.LogLine, d.LogLineEnd = "specs2", file, line, at, l.N
		s.Add(d)
		b.tell(strings.TrimSuffix(file, ".scala"))
		return parse.Last
	})
}

// isScripted reports whether text is the name of a test of a plugin: its directory and the directory in that one.
func isScripted(text string) bool {
	words := strings.Split(text, " ")
	return len(words) == 3 && words[1] == "/"
}

// scripted reads a test of a plugin of sbt that failed, "x tests / cross", and the reason below:
// "   {line 4}  Command failed: run failed".
func scripted(s *parse.Scan, name string) bool {
	d := s.Add(testDraft(name, "test failed"))
	s.Block(func(l parse.Line) parse.Verdict {
		severity, text, _ := cutSbtLevel(l.Text)
		_, reason, ok := strings.Cut(text, "{line ")
		if severity != store.SeverityError || !ok {
			return parse.Done
		}
		_, d.Message, _ = strings.Cut(reason, "}  ")
		d.Extend(l)
		return parse.Last
	})
	return true
}

// cutScalaPlace splits "2 did not equal 3 (CalcTest.scala:12)".
func cutScalaPlace(text string) (message, file string, line int) {
	open := strings.LastIndexByte(text, '(')
	if open < 0 || !strings.HasSuffix(text, ")") {
		return text, "", 0
	}
	file, n, ok := strings.Cut(text[open+1:len(text)-1], ":")
	line, length := parse.Number(n)
	if !ok || length == 0 || !parse.IsFileName(file) {
		return text, "", 0
	}
	return strings.TrimSpace(text[:open]), file, line
}
