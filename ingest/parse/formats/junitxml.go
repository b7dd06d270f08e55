package formats

import (
	"cmp"
	"encoding/xml"
	"errors"
	"strings"
	"time"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// junitXMLFormat reads JUnit reports of all tools.
var junitXMLFormat = parse.Format{
	Name:  "junit-xml",
	About: "JUnit XML reports of any test runner",
	Document: &parse.Document{
		Roots: []string{"<testsuite"},
		Read:  readJUnitXML,
		Cut:   readJUnitBeginning,
	},
}

// junitCase is the test case that is being read.
type junitCase struct {
	name, class, file string
	line              int
	offset            int
	took              time.Duration
	outcome           store.TestOutcome // used if no element gives another outcome
	failed            bool
	todo              bool // a to-do of node --test, whose outcome does not count
}

var errNotJUnit = errors.New("not a JUnit report")

// junitReport is the report that is being read.
type junitReport struct {
	text   *parse.Text
	suite  string
	root   bool // the root is an element of JUnit
	c      junitCase
	drafts []parse.Draft

	files    []string // files of the open suites
	attempts []parse.Result
	results  []parse.Result
	in       junitSuite            // the newest suite
	tests    map[testID]junitSuite // suite of each test so far
	newest   testID                // the newest test
	counted  int                   // number of failures in the attributes of suites
	told     bool                  // the report describes a failure, or a test that may fail
}

// testID identifies a test in a report.
type testID struct{ class, name, file string }

// junitSuite has the attributes of a suite that distinguish it from other suites with the same name.
type junitSuite struct{ host, time string }

func readJUnitXML(s *parse.Scan, text *parse.Text) error {
	r := &junitReport{text: text}
	if err := readXML(text.Data, r.token); err != nil {
		return err
	}
	if !r.root {
		return errNotJUnit
	}
	r.checkCounts()
	r.add(s)
	return nil
}

// readJUnitBeginning reads a report whose end is missing. Its tests did not all end.
func readJUnitBeginning(s *parse.Scan, text *parse.Text) {
	r := &junitReport{text: text}
	if readXML(text.Data, r.token) == nil || !r.root { // it lacks at least the end of its root
		return
	}
	r.drafts = append(r.drafts, endlessReport(text))
	r.add(s)
}

// add adds what was read of the report.
func (r *junitReport) add(s *parse.Scan) {
	for i, d := range r.drafts {
		if i > 0 && r.drafts[i-1].Test == d.Test && r.drafts[i-1].LogLine == d.LogLine && d.Test != "" &&
			d.Message == r.drafts[i-1].Message {
			continue // a case may have a failure and an error
		}
		s.Add(d)
	}
	for _, t := range r.results {
		s.Test(t)
	}
}

func (r *junitReport) token(dec *xml.Decoder, tok xml.Token, offset int) error {
	if end, ok := tok.(xml.EndElement); ok {
		r.end(end.Name.Local)
	}
	el, ok := tok.(xml.StartElement)
	if !ok {
		return nil
	}
	switch el.Name.Local {
	case "testsuites", "testsuite":
		r.root = true
		if name := xmlAttr(el, "name"); name != "" {
			r.suite = name
		}
		r.count(el)
		r.files = append(r.files, cmp.Or(xmlAttr(el, "file"), xmlAttr(el, "filepath")))
		r.in = junitSuite{host: xmlAttr(el, "hostname"), time: xmlAttr(el, "timestamp")}
	case "testcase":
		r.c = junitCase{name: xmlAttr(el, "name"), class: xmlAttr(el, "classname"), file: xmlAttr(el, "file"), offset: offset}
		r.c.line, _ = parse.Number(xmlAttr(el, "line"))
		r.c.took, r.c.outcome = seconds(xmlAttr(el, "time")), junitStatus(el)
	case "failure", "error", "flakyFailure", "flakyError":
		return r.failure(dec, el, offset)
	case "rerunFailure", "rerunError":
		r.attempts = append(r.attempts, r.attempt(el, xmlAttr(el, "message")))
		return dec.Skip()
	case "skipped":
		r.c.outcome, r.c.todo = store.TestSkipped, xmlAttr(el, "type") == "todo"
		return dec.Skip()
	case "system-out", "system-err", "properties":
		return dec.Skip()
	}
	return nil
}

func (r *junitReport) failure(dec *xml.Decoder, el xml.StartElement, offset int) error {
	if !r.root {
		return errNotJUnit
	}
	r.told = true
	body, err := xmlText(dec) // the text so far, if the end of the report is missing
	if r.c.todo {
		return err
	}
	if r.c.name == "" {
		r.c.offset = offset
	}
	d := junitDraft(r.c, r.suite, el, body)
	d.LogLine, d.LogLineEnd = r.text.Line(r.c.offset), r.text.Line(int(dec.InputOffset())-1)
	flaky := strings.HasPrefix(el.Name.Local, "flaky")
	// A flakyFailure or flakyError without a text or message adds no draft. It is only counted as an attempt.
	if !flaky || strings.TrimSpace(body) != "" || xmlAttr(el, "message") != "" {
		r.drafts = append(r.drafts, d)
	}
	t := r.attempt(el, body+" "+d.Message)
	if flaky || !r.c.failed { // GoogleTest and Catch2 report several assertions of one attempt
		r.attempts = append(r.attempts, t)
	}
	r.c.failed = r.c.failed || !flaky
	return err
}

const maxJUnitText = 64 << 10

// junitDraft returns the draft for a failure element.
func junitDraft(c junitCase, suite string, el xml.StartElement, body string) parse.Draft {
	d := testDraft(junitName(c, suite), "")
	if strings.HasPrefix(el.Name.Local, "flaky") {
		d.Severity = store.SeverityWarning
	}
	d.File, d.Line = c.file, c.line
	t := &throwable{test: c.class}
	file, line := junitPlace(body, t)
	switch {
	case d.File == "":
		d.File, d.Line = file, line
	case d.Line == 0 && file != "" && (strings.HasSuffix(d.File, file) || strings.HasSuffix(file, d.File)):
		d.Line = line
	}
	if d.File == "" && isJSFile(c.name) && strings.IndexByte(c.name, ' ') < 0 { // node --test: a file that died
		d.File = c.name
	}
	d.Message = xmlAttr(el, "message")
	kind := xmlAttr(el, "type")
	if message, p, ok := nativeWords(body); ok {
		d.Message = message
		d.At(p.File, p.Line, 0)
	}
	switch {
	case d.Message == "" && strings.HasPrefix(strings.TrimSpace(body), "stack traceback:") && kind != "": // LuaUnit
		d.Message = kind
		if _, rest, ok := rubyPlace(kind); ok {
			d.Message = rest
		}
	case d.Message == "" || isPlace(d.Message):
		d.Message = cmp.Or(junitWords(body), d.Message, t.text())
	case isThrowableName(kind) && strings.Contains(kind, ".") && !isAssertion(kind) && !strings.HasPrefix(d.Message, kind):
		d.Message = kind + ": " + d.Message
	}
	if d.Message == "exception" && kind == "" { // doctest
		d.Message = cmp.Or(firstLines(strings.TrimSpace(body)), d.Message)
	}
	if class, message, ok := cutThrowable(d.Message); ok && isAssertion(class) && message != "" {
		d.Message = message
	}
	if d.Message == "" {
		d.Message = kind
	}
	if d.Message == "" {
		d.Message = "test failed"
	}
	return d
}

// junitName returns the full name of a test case. Runners put the parts of the name into different attributes.
func junitName(c junitCase, suite string) string {
	switch {
	case c.name == "":
		if c.class != "" {
			return c.class
		}
		return suite
	case c.class == "" || strings.HasPrefix(c.name, c.class) || strings.HasSuffix(c.name, c.class) ||
		strings.HasSuffix(c.class, c.name):
		return c.name
	}
	return c.class + "." + c.name
}

// junitPlace finds the place in the text of a failure. It prefers the best frame of Java. Otherwise it returns the last
// file:line at the start of a line, or the first frame of JavaScript. If the text has no place, it returns "".
func junitPlace(body string, t *throwable) (file string, line int) {
	first := true
	for text := range strings.Lines(body) {
		text = junitFrame(strings.TrimSpace(text))
		if text == "" {
			continue
		}
		if first {
			t.begin(text)
			first = false
		} else if t.add(text); t.lines > parse.MaxBlock {
			break
		}
		if at, ok := strings.CutPrefix(text, "at "); ok {
			if open := strings.LastIndexByte(at, '('); open >= 0 {
				at = strings.TrimSuffix(at[open+1:], ")")
			}
			if p, _, ok := parse.PlaceAt(strings.TrimPrefix(at, "file://")); ok && file == "" && p.Column > 0 &&
				!strings.Contains(p.File, "node_modules") && !strings.HasPrefix(p.File, "node:") {
				file, line = p.File, p.Line
			}
		} else if p, _, ok := parse.PlaceAt(text); ok {
			file, line = p.File, p.Line
		}
	}
	if t.frame.File != "" {
		return t.frame.File, t.frame.Line
	}
	return file, line
}
