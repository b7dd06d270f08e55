package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// clojureFormat reads clojure.test, Midje, Expectations, the Clojure compiler and Leiningen.
var clojureFormat = parse.Format{
	Name:  "clojure",
	About: "clojure.test, Midje, Expectations, Clojure compiler and Leiningen: failed tests, errors",
	Starts: []string{
		"FAIL in ", "ERROR in ", "FAIL at (", "failure in (", "error in (", "FAIL \"", "lein test ",
		"Testing ", "Syntax error ", "Execution error ",
		"Could not find artifact ", "Could not transfer artifact ", "Failure to find ", "Cannot access ",
		"Error encountered performing task ", loadsProject,
	},
	New: func() parse.Matcher { return (&clojure{}).match },
}

type clojure struct {
	namespace string
	missing   map[string]bool // artifacts that were already reported
}

func (c *clojure) match(s *parse.Scan, l parse.Line) bool {
	text := strings.TrimRight(l.Text, " ")
	switch {
	case strings.HasPrefix(text, "lein test :only "):
		c.namespace, _, _ = strings.Cut(text[len("lein test :only "):], "/")
		return true
	case strings.HasPrefix(text, "lein test "), strings.HasPrefix(text, "Testing "):
		_, name, _ := strings.Cut(text, "st ")
		if _, after, ok := strings.Cut(text, "Testing "); ok {
			name = after
		}
		if !strings.Contains(name, " ") {
			c.namespace = name
		}
		return false
	case strings.HasPrefix(text, "FAIL in "), strings.HasPrefix(text, "ERROR in "):
		return c.failure(s, text)
	case hasAnyPrefix(text, "failure in (", "error in ("):
		return expectation(s, text)
	case hasAnyPrefix(text, "FAIL at (", `FAIL "`):
		return midje(s, text)
	case strings.HasPrefix(text, "Error encountered performing task "):
		d := s.Add(parse.Draft{Weight: parse.Repeat,
			Event: store.Event{Message: text, Category: store.CategoryBuild, Tool: "leiningen"}})
		s.Block(parse.Below{Lines: 1, Join: "\n"}.Block(d))
		return true
	case strings.HasPrefix(text, loadsProject):
		leinProject(s, text)
		return true
	case strings.HasPrefix(text, "Syntax error "), strings.HasPrefix(text, "Execution error "):
		return clojureError(s, text)
	}
	return c.artifact(s, text)
}

// failure reads "FAIL in (test-x) (core_test.clj:7)" or "ERROR in (test-x)", and the lines below: the expected value,
// the actual value and the stack trace.
func (c *clojure) failure(s *parse.Scan, text string) bool {
	_, rest, _ := strings.Cut(text, " in ")
	name, where, ok := strings.Cut(strings.TrimPrefix(rest, "("), ")")
	if !ok || rest[0] != '(' {
		return false
	}
	if vars := strings.Fields(name); len(vars) > 0 { // the names of nested test functions, the outer one first
		name = vars[0]
	}
	if c.namespace != "" && !strings.Contains(name, "/") {
		name = c.namespace + "/" + name
	}
	d := testDraft(name, "")
	if _, file, line := cutScalaPlace(strings.TrimSpace(where)); line > 0 {
		d.File, d.Line = file, line
	}
	p, lines, actual, trace := s.Add(d), 0, false, false
	s.Block(func(l parse.Line) parse.Verdict {
		text := l.Trim()
		if lines++; text == "" || lines > 300 || strings.HasPrefix(text, "Ran ") || actual && l.Indent() == 0 {
			return parse.Done
		}
		actual = actual || strings.HasPrefix(text, "actual:")
		if strings.HasPrefix(text, "at ") {
			trace = true
		}
		if trace {
			clojureFrame(p, strings.TrimPrefix(text, "at "))
		} else if len(p.Message) < maxResultMessage {
			p.Message = strings.TrimSpace(p.Message + "\n" + text)
		}
		p.Extend(l)
		return parse.Take
	})
	return true
}

// midje reads `FAIL "adds numbers" at (core_test.clj:12)` and the lines below, with the expected and the actual value.
func midje(s *parse.Scan, text string) bool {
	name, where, ok := strings.Cut(strings.TrimPrefix(text, "FAIL "), "at (")
	_, file, line := cutScalaPlace("(" + where)
	if !ok || line == 0 {
		return false
	}
	d := testDraft(strings.Trim(name, "\" "), "")
	d.Tool, d.File, d.Line = "midje", file, line
	s.Block(parse.Below{Lines: 20, Join: "\n", Until: []string{"FAIL"}}.Block(s.Add(d)))
	return true
}

// expectation reads "failure in (core_test.clj:12) : shop.core-test" of Expectations, and the lines below: the form and
// the values.
func expectation(s *parse.Scan, text string) bool {
	_, rest, _ := strings.Cut(text, " in ")
	where, namespace, ok := strings.Cut(rest, " : ")
	_, file, line := cutScalaPlace(where)
	if !ok || line == 0 {
		return false
	}
	d := testDraft(namespace, "")
	d.Tool, d.File, d.Line = "expectations", file, line
	added, blank := s.Add(d), 0
	s.Block(func(l parse.Line) parse.Verdict {
		text := l.Trim()
		if text == "" {
			blank++
		}
		if blank > 1 || hasAnyPrefix(text, "Ran ", "failure in ", "error in ") {
			return parse.Done
		}
		if text != "" && len(added.Message) < maxResultMessage {
			added.Message = strings.TrimSpace(added.Message + "\n" + text)
			added.Extend(l)
		}
		return parse.Take
	})
	return true
}

// clojureFrame reads "calc_test$fn__162.invokeStatic (calc_test.clj:8)". It ignores frames of libraries. The first
// other frame in a Clojure file is the place of the failure, unless the failure already has a place in a Clojure file.
func clojureFrame(d *parse.Draft, text string) {
	name, file, line := cutScalaPlace(text)
	if line == 0 || isLibraryClass(name) || !strings.Contains(file, ".clj") || strings.Contains(d.File, ".clj") {
		return
	}
	d.File, d.Line = file, line
}

// clojureError reads "Syntax error compiling at (acme/core.clj:5:1)." or "Execution error (ArityException) at
// (a.clj:3).", and the message in the line below.
func clojureError(s *parse.Scan, text string) bool {
	kind, where, ok := strings.Cut(strings.TrimSuffix(text, "."), " at ")
	if !ok {
		return false
	}
	e := store.Event{Message: kind, Category: store.CategoryCompile}
	if strings.HasPrefix(kind, "Execution") {
		e.Category = store.CategoryRuntime
	}
	if open := strings.LastIndexByte(where, '('); open >= 0 {
		if p, _, ok := parse.PlaceAt(strings.TrimSuffix(where[open+1:], ")")); ok {
			e.File, e.Line, e.Column = p.File, p.Line, p.Column
		}
	}
	d := s.Add(parse.Draft{Event: e})
	s.Block(parse.Below{Lines: 1, Join: ": "}.Block(d))
	return true
}

// loadsProject begins the error of a project.clj that Leiningen could not load.
const loadsProject = "java.lang.Exception: Error loading "

// leinProject reads the error of a project.clj that Leiningen could not load. The causes in the stack trace have the
// place and the message.
func leinProject(s *parse.Scan, text string) {
	d := s.Add(parse.Draft{Event: store.Event{Message: strings.TrimPrefix(text, "java.lang.Exception: "),
		Category: store.CategoryBuild, Tool: "leiningen", File: text[len(loadsProject):]}})
	s.Block(func(l parse.Line) parse.Verdict {
		cause, ok := strings.CutPrefix(l.Text, "Caused by: ")
		if !ok && l.Indent() == 0 && !strings.HasPrefix(l.Text, "#:clojure.") { // data of the exception: #:clojure.error{…}
			return parse.Done
		}
		d.Extend(l)
		if !ok {
			return parse.Take
		}
		_, message, _ := strings.Cut(cause, ": ")
		if _, where, ok := strings.Cut(message, " at ("); ok {
			if p, _, ok := parse.PlaceAt(strings.TrimRight(where, ").")); ok {
				d.File, d.Line, d.Column = p.File, p.Line, p.Column
				return parse.Take
			}
		}
		d.Message += "\n" + message
		return parse.Take
	})
}

// artifact reads a line about an artifact that Leiningen could not fetch. If a log repeats the line, it is reported
// once.
func (c *clojure) artifact(s *parse.Scan, text string) bool {
	if !strings.Contains(text, " artifact ") && !strings.HasPrefix(text, "Failure to find ") {
		return false
	}
	if c.missing[text] {
		return true
	}
	if c.missing == nil {
		c.missing = map[string]bool{}
	}
	if len(c.missing) < maxSbtTold {
		c.missing[text] = true
	}
	s.Add(parse.Draft{Weight: parse.Likely,
		Event: store.Event{Message: text, Category: store.CategoryBuild, Tool: "leiningen"}})
	return true
}
