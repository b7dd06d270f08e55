package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

const dotnetTestName = "dotnet-test"

// dotnetTestFormat reads the test runners of .NET. xUnit marks a failure during the run, and "dotnet test" reports it
// again at the end. Both reports are one failure.
var dotnetTestFormat = parse.Format{
	Name:  dotnetTestName,
	About: ".NET tests: dotnet test (xUnit, NUnit, MSTest), the consoles of xUnit and NUnit",
	Triggers: []string{
		" [FAIL]", ") Failed : ", ") Error : ", ") Test Failure : ", ") Test Error : ", ") SetUp Error : ",
		") TearDown Error : ", ") Invalid : ",
	},
	Starts: []string{
		"  Failed ", "Failed ", "  X ", "failed ", "Test Run Failed.", "Failed!  - Failed:",
		"The active test run was aborted",
	},
	Match: matchDotnetTest,
}

func matchDotnetTest(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	switch {
	case hasAnyPrefix(text, "Test Run Failed.", "Failed!  - Failed:"):
		s.Add(parse.Draft{Weight: parse.Repeat, Event: store.Event{Message: text, Category: store.CategoryTest}})
		return true
	case strings.HasPrefix(text, "The active test run was aborted"):
		s.Add(parse.Draft{Event: store.Event{Message: text, Category: store.CategoryTest}})
		return true
	case strings.HasSuffix(text, " [FAIL]"):
		return xunitFail(s, l)
	}
	if _, item, ok := parse.CutNumber(text); ok {
		return nunitItem(s, item)
	}
	name, ok := cutAny(text, "Failed ", "X ", "failed ")
	if !ok {
		return false
	}
	name, timed := cutTestDuration(strings.TrimSpace(name))
	if name == "" || strings.HasPrefix(text, "failed ") && !timed {
		return false
	}
	b := &dotnetBlock{s: s, msg: parse.Message{Max: 4}, draft: parse.Draft{Key: name,
		Event: store.Event{Test: name, Message: "failed", Category: store.CategoryTest, LogLine: l.N}}}
	if timed {
		b.add()
	}
	s.Block(b.line)
	return timed
}

// cutTestDuration removes " [3 ms]", " [< 1 ms]", " [1 s]" or " (12ms)" from the end of a name. It reports whether the
// name had such an end.
func cutTestDuration(name string) (string, bool) {
	for _, pair := range [...]string{"[]", "()"} {
		i := strings.LastIndex(name, " "+pair[:1])
		if i < 0 || name[len(name)-1] != pair[1] {
			continue
		}
		d := name[i+2 : len(name)-1]
		if d != "" && d[len(d)-1] == 's' && (parse.IsDigit(d[0]) || d[0] == '<') {
			return strings.TrimSpace(name[:i]), true
		}
	}
	return name, false
}

// dotnetBlock reads "Error Message:" and "Stack Trace:" below the name of a test.
type dotnetBlock struct {
	s       *parse.Scan
	draft   parse.Draft
	d       *parse.Draft
	section string
	msg     parse.Message
	lines   int
}

func (b *dotnetBlock) add() {
	b.d = b.s.Add(b.draft)
}

func (b *dotnetBlock) line(l parse.Line) parse.Verdict {
	text := l.Trim()
	b.lines++
	switch {
	case text == "Error Message:" || text == "Stack Trace:":
		b.section = text
		if b.d == nil {
			b.add()
		}
		b.d.Extend(l)
		return parse.Take
	case b.d == nil, b.lines > 300:
		return parse.Done
	case hasAnyPrefix(text, "Standard Output Messages:", "Standard Error Messages:", "Debug Traces Messages:"):
		return parse.Done
	}
	if p, ok := dotnetFrame(text); ok {
		b.section = "Stack Trace:"
		b.d.Extend(l)
		b.d.At(p.File, p.Line, 0)
		return parse.Take
	}
	if hasAnyPrefix(text, "Passed ", "Failed ", "Skipped ", "X ", "√ ", "! ", "passed ", "failed ", "Total tests:",
		"Test Run ", "Results File:", "[xUnit.net ", "Failed! ", "Passed! ", "Attachments:") && l.Indent() <= 2 {
		return parse.Done
	}
	switch {
	case text == "":
		if b.section == "Stack Trace:" {
			return parse.Done
		}
	case b.section == "Stack Trace:":
		if l.Indent() < 3 && !hasAnyPrefix(text, "at ", "---") {
			return parse.Done
		}
		b.d.Extend(l)
	case b.section == "" && l.Indent() == 0:
		return parse.Done
	default:
		b.d.Extend(l)
		b.msg.Tell(b.d, text)
	}
	return parse.Take
}

// dotnetFrame reads "at Ns.C.M() in /x/T.cs:line 12" and xUnit's "/x/T.cs(12,0): at Ns.C.M()". p is empty for a frame
// without a file, and for a frame in a library.
func dotnetFrame(text string) (p parse.Place, ok bool) {
	if rest, found := strings.CutPrefix(text, "at "); found {
		i := strings.LastIndex(rest, " in ")
		if i < 0 {
			return p, true
		}
		file, line, found := strings.Cut(rest[i+4:], ":line ")
		n, _ := parse.Number(line)
		if !found { // Mono: in /x/T.cs:12
			j := strings.LastIndexByte(file, ':')
			if j < 2 {
				return p, true
			}
			n, _ = parse.Number(file[j+1:])
			file = file[:j]
		}
		if n > 0 && parse.IsFileName(file) && !isDotnetLibrary(file) {
			p = parse.Place{File: file, Line: n}
		}
		return p, true
	}
	if q, rest, found := parse.PlaceAt(text); found && strings.HasPrefix(rest, "at ") {
		if !isDotnetLibrary(q.File) {
			p = parse.Place{File: q.File, Line: q.Line}
		}
		return p, true
	}
	return p, false
}

// isDotnetLibrary reports whether a source file belongs to a framework. Some builds replace the paths of source files
// by names such as "/_/src/…".
func isDotnetLibrary(file string) bool {
	return strings.HasPrefix(file, "/_/") || strings.HasPrefix(file, "<") || strings.HasSuffix(file, ".il")
}

// xunitFail reads "[xUnit.net 00:00:01.23]     Ns.C.Test [FAIL]". xUnit's console runner prints the same line without
// the prefix in brackets.
func xunitFail(s *parse.Scan, l parse.Line) bool {
	clock, line := cutXunitClock(l.Text)
	name := strings.TrimSuffix(strings.TrimSpace(line), " [FAIL]")
	indent := len(line) - len(strings.TrimLeft(line, " "))
	if indent < 2 || name == "" || strings.HasPrefix(name, "[") || !clock && !isDotnetTestName(name) {
		return false
	}
	d := parse.Draft{Key: name, Rank: parse.Summary,
		Event: store.Event{Test: name, Message: "failed", Category: store.CategoryTest}}
	if !clock {
		d.Rank = parse.Detail
	}
	added := s.Add(d)
	b := &dotnetBlock{s: s, d: added, msg: parse.Message{Max: 4}}
	s.Block(func(l parse.Line) parse.Verdict {
		clocked, line := cutXunitClock(l.Text)
		text := strings.TrimSpace(line)
		switch {
		case clocked != clock, text != "" && len(line)-len(strings.TrimLeft(line, " ")) <= indent:
			return parse.Done
		case text == "Stack Trace:" || text == "Output:":
			b.section = text
		case b.section == "Output:":
		case b.section == "Stack Trace:":
			if p, ok := dotnetFrame(text); ok {
				added.At(p.File, p.Line, 0)
			}
		case text != "":
			b.msg.Tell(added, text)
		}
		added.Extend(l)
		return parse.Take
	})
	return true
}

// isDotnetTestName reports whether name begins like "Ns.Class.Test".
func isDotnetTestName(name string) bool {
	name, _, _ = strings.Cut(name, "(")
	word, _, more := strings.Cut(name, " ")
	return !more && strings.Count(word, ".") >= 1 && !strings.Contains(word, "..") && !hasAnySuffix(word, ".") &&
		isFirstLetter(word)
}

func isFirstLetter(s string) bool {
	return s != "" && (parse.IsLower(s[0]|0x20) || s[0] == '_')
}

func cutXunitClock(text string) (clock bool, rest string) {
	if strings.HasPrefix(text, "[xUnit.net ") {
		if i := strings.IndexByte(text, ']'); i > 0 {
			return true, text[i+1:]
		}
	}
	return false, text
}

// nunitItem reads "1) Failed : Ns.C.Test" and the details below.
func nunitItem(s *parse.Scan, text string) bool {
	kind, name, ok := strings.Cut(text, " : ")
	switch kind {
	case "Failed", "Error", "Test Failure", "Test Error", "SetUp Error", "TearDown Error", "Invalid":
	default:
		return false
	}
	name, _ = cutTestDuration(strings.TrimSpace(name))
	if !ok || name == "" {
		return false
	}
	d := s.Add(parse.Draft{Key: name,
		Event: store.Event{Test: name, Message: strings.ToLower(kind), Category: store.CategoryTest}})
	msg := parse.Message{Max: 4}
	trace := false
	s.Block(func(l parse.Line) parse.Verdict {
		text := l.Trim()
		if _, _, next := parse.CutNumber(text); next ||
			hasAnyPrefix(text, "Tests Not Run:", "Run Settings", "Test Run Summary") || d.LogLineEnd > d.LogLine+100 {
			return parse.Done
		}
		if text == "" || text == "--" {
			return parse.Take
		}
		p, frame := dotnetFrame(text)
		switch trace = trace || frame; {
		case trace && !frame && l.Indent() == 0:
			return parse.Done
		case frame:
			d.At(p.File, p.Line, 0)
		case !trace:
			msg.Tell(d, text)
		}
		d.Extend(l)
		return parse.Take
	})
	return true
}
