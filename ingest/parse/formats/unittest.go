package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// unittestFormat reads unittest, and runners with the same output: nose, nose2, Django, testtools, and Twisted's trial.
var unittestFormat = parse.Format{
	Name:     "unittest",
	About:    "Python's unittest, and nose, nose2, Django, testtools and trial",
	Triggers: []string{" ... FAIL", " ... ERROR"},
	Starts:   []string{drawnLine("="), "FAILED (", "Failure in test ", "Error in test "},
	New:      func() parse.Matcher { return (&unittest{marks: map[string]*parse.Draft{}}).match },
}

// drawnLine returns the ruler that unittest draws: 70 times the sign, without a line end.
func drawnLine(sign string) string { return strings.Repeat(sign, 70) }

// isRule reports whether a line consists of the sign, 70 to 80 times.
func isRule(text, sign string) bool {
	return len(text) >= 70 && len(text) <= 80 && strings.Trim(text, sign) == ""
}

// unittest is the state of the runs so far.
type unittest struct {
	marks map[string]*parse.Draft // drafts of tests that failed while they ran
	told  bool                    // the run has details
}

func (u *unittest) match(s *parse.Scan, l parse.Line) bool {
	text := strings.TrimRight(l.Text, " ")
	if text != "" && text[0] == '=' {
		if !isRule(text, "=") {
			return false
		}
		s.Block((&unittestBlock{u: u, s: s}).line)
		return true
	}
	if strings.HasPrefix(text, "FAILED (") {
		if !strings.Contains(text, "=") {
			return false
		}
		if !u.told {
			s.Add(parse.Draft{Weight: parse.Repeat, Event: store.Event{Message: text, Category: store.CategoryTest}})
		}
		*u = unittest{marks: map[string]*parse.Draft{}}
		return true
	}
	if rest, ok := strings.CutPrefix(text[max(0, strings.IndexByte(text, ' ')):], " in test "); ok &&
		(text[0] == 'F' || text[0] == 'E') {
		zopeFailure(s, rest)
		return true
	}
	return u.mark(s, text)
}

// zopeFailure reads "Failure in test test_a (mod.Class)" of zope.testrunner, and the traceback below.
func zopeFailure(s *parse.Scan, header string) {
	name, _ := unittestName(header)
	d := s.Add(parse.Draft{Event: store.Event{Message: "test failed", Category: store.CategoryTest, Test: name}})
	t := &traceback{d: d}
	s.Block(func(l parse.Line) parse.Verdict {
		text := strings.TrimRight(l.Text, " ")
		d.Extend(l)
		switch {
		case t.read(text):
			d.Code = ""
			return parse.Last
		case text != "" && text[0] != ' ' && !strings.HasPrefix(text, "Traceback"):
			return parse.Done
		}
		return parse.Take
	})
}

// mark reads "test_a (mod.Class) ... FAIL". A time may follow.
func (u *unittest) mark(s *parse.Scan, text string) bool {
	i := strings.LastIndex(text, " ... ")
	if i < 0 {
		return false
	}
	word, _, _ := strings.Cut(text[i+5:], " (")
	if word != "FAIL" && word != "ERROR" {
		return false
	}
	name, ok := unittestName(strings.TrimSpace(text[:i]))
	if !ok {
		return false
	}
	d := s.Add(parse.Draft{Event: store.Event{Message: "test " + strings.ToLower(strings.Replace(word, "FAIL", "FAILED",
		1)), Category: store.CategoryTest, Test: name}, Key: word + " " + name, Rank: parse.Mark})
	if len(u.marks) < maxPytestTests {
		u.marks[d.Key] = d
	}
	return true
}

// unittestName returns the name of a test from the header of its report: "test_a (mod.Class)", since Python 3.11
// "test_a (mod.Class.test_a)", or "mod.Class.test_a". The description of a subtest may follow. ok is false for another
// header.
func unittestName(header string) (name string, ok bool) {
	if rest, found := strings.CutPrefix(header, "test suite for <class '"); found {
		return strings.TrimSuffix(rest, "'>"), true
	}
	i := strings.Index(header, " (")
	if i < 0 {
		return header, isDotted(header) && strings.IndexByte(header, '.') > 0
	}
	method := header[:i]
	class, rest, found := strings.Cut(header[i+2:], ")")
	if !found || !isDotted(class) || strings.ContainsAny(method, " '\"") && !strings.HasPrefix(method, "test") {
		return header, false
	}
	if strings.Contains(class, "_FailedTest") || strings.Contains(class, "ModuleImportFailure") {
		return method + rest, true
	}
	if strings.HasSuffix(class, "."+method) {
		return class + rest, true
	}
	return class + "." + method + rest, true
}

func isDotted(s string) bool {
	for i := range len(s) {
		if !isWordByte(s[i]) && s[i] != '.' && s[i] != '-' && s[i] != '<' && s[i] != '>' {
			return false
		}
	}
	return s != "" && !parse.IsDigit(s[0])
}

// unittestBlock reads the lines between two rulers.
type unittestBlock struct {
	u     *unittest
	s     *parse.Scan
	d     *parse.Draft
	lines int
	body  bool     // the drawn line below the header was read
	rule  bool     // the previous line was a drawn line
	over  bool     // the line with the exception was read; its text or captured output follows
	trial bool     // trial: the name of the test comes last
	names []string // lines of trial that may be names of tests
	first string
	words bool // a line of the message was read below the exception
}

func (b *unittestBlock) line(l parse.Line) parse.Verdict {
	text := strings.TrimRight(l.Text, " ")
	b.lines++
	switch {
	case isRule(text, "="):
		b.close()
		b.s.Block((&unittestBlock{u: b.u, s: b.s}).line)
		return parse.Take
	case b.lines == 1:
		return b.header(text)
	case !b.body:
		if b.body = isRule(text, "-"); !b.body && b.lines > 12 {
			return parse.Done
		}
		return parse.Take
	case b.rule: // the end, unless a doctest goes on below the drawn line
		if !strings.HasPrefix(text, `File "`) {
			b.close()
			return parse.Done
		}
		b.rule = false
	case isRule(text, "-"):
		b.rule = true
		return parse.Take
	case strings.HasPrefix(text, "Ran ") && strings.Contains(text, " test"):
		b.close()
		return parse.Done
	}
	b.d.Extend(l)
	b.read(text)
	return parse.Take
}

// header reads the line below a ruler, such as "FAIL: test_a (mod.Class)", or "[FAIL]" of trial.
func (b *unittestBlock) header(text string) parse.Verdict {
	kind, name, ok := strings.Cut(text, ": ")
	e := store.Event{Category: store.CategoryTest, LogLine: b.s.LineNumber()}
	switch {
	case text == "[FAIL]" || text == "[ERROR]":
		b.d, b.body, b.trial = b.s.Add(parse.Draft{Event: e}), true, true
	case strings.HasPrefix(text, "ERROR: Coverage for "): // istanbul draws a ruler above it
		return parse.Done
	case ok && (kind == "FAIL" || kind == "ERROR"):
		e.Test, _ = unittestName(name)
		b.unmark(kind, e.Test)
		b.d = b.s.Add(parse.Draft{Event: e, Key: kind + " " + e.Test})
	case ok && kind == "UNEXPECTED SUCCESS":
		e.Test, _ = unittestName(name)
		e.Message = "unexpected success"
		b.s.Add(parse.Draft{Event: e})
		return parse.Last
	default:
		return parse.Done
	}
	b.d.Message = "test failed"
	b.u.told = true
	return parse.Take
}

// unmark removes the failure of a test whose subtests are reported one by one.
func (b *unittestBlock) unmark(kind, name string) {
	base := strings.TrimRight(cutAt(name, ' '), " ")
	for _, k := range [...]string{kind, "FAIL", "ERROR"} {
		if d := b.u.marks[k+" "+base]; d != nil && base != name {
			d.Merged = true
		}
	}
}

func (b *unittestBlock) read(text string) {
	d := b.d
	if b.trial {
		if isDotted(text) && strings.Contains(text, ".") {
			b.names = append(b.names, text)
		} else if text != "" {
			b.names = nil
		}
	}
	if file, line, ok := pythonFrame(" " + text); ok && b.over {
		if isPythonLibrary(d.File) || b.first == "doctest" { // a doctest, then its example
			d.File, d.Line, b.first = file, line, "doctest"
			if text[0] == 'F' {
				b.first = ""
			}
		}
		return
	} else if ok {
		switch {
		case d.File == "" || isPythonLibrary(d.File):
			if !strings.HasPrefix(file, "<") {
				d.File, d.Line = file, line
			}
		case file == d.File:
			d.Line = line
		}
		return
	}
	switch {
	case text == "" || text[0] == ' ' && !strings.HasPrefix(text, "  | "):
	case strings.HasPrefix(text, "Traceback (most recent call last):") && (!b.over || b.first == "chain"):
		if b.first == "chain" {
			d.File, d.Line = "", 0
		}
		b.over, b.first = false, ""
	case isChainWord(text):
		b.first = "chain"
	case strings.Contains(text, ">> begin captured "), text == "Stdout:", text == "Stderr:":
		b.over, b.words = true, true
	case !b.over && d.File != "":
		d.Message, b.over = text, true
	case b.over && !b.words && strings.HasSuffix(d.Message, ":") && text[0] != '-':
		d.Message, b.words = d.Message+" "+text, true
	case d.Message == "test failed":
		d.Message = text
	}
}

// close sets the test names of a failure in trial. Several tests may have the same failure.
func (b *unittestBlock) close() {
	if b.d == nil || !b.trial || len(b.names) == 0 {
		return
	}
	b.d.Test = b.names[0]
	b.d.Message = strings.TrimPrefix(b.d.Message, "builtins.")
	for _, name := range b.names[1:] {
		d := *b.d
		d.Test = name
		b.s.Add(d)
	}
}
