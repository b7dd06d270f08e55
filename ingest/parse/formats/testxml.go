package formats

import (
	"cmp"
	"encoding/xml"
	"errors"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// testXMLFormat reads reports of .NET test runners.
var testXMLFormat = parse.Format{
	Name:  "test-xml",
	About: "NUnit 2 and 3, xUnit.net and TRX (Visual Studio) reports",
	Document: &parse.Document{
		Roots: []string{"<test-run ", "<test-results ", "<assemblies", "<TestRun "},
		Sniff: func(head []byte) bool {
			return hasAll(head, "<test-run ") || hasAll(head, "<test-results ") || hasAll(head, "<assemblies") ||
				hasAll(head, "<assembly ", "<collection") || hasAll(head, "<TestRun ", "TeamTest")
		},
		Read: readTestXML,
		Cut:  addEndlessReport,
	},
}

// xmlTest is the test that is being read.
type xmlTest struct {
	id, name, class string
	failed          bool
	message, trace  string
	offset          int
	outcome         store.TestOutcome
	took            time.Duration
}

func readTestXML(s *parse.Scan, text *parse.Text) error {
	r := testXML{classes: map[string]string{}, files: map[string]string{}}
	err := readXML(text.Data, func(dec *xml.Decoder, tok xml.Token, offset int) error {
		switch el := tok.(type) {
		case xml.StartElement:
			return r.start(dec, el, offset)
		case xml.EndElement:
			r.end(el.Name.Local)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if r.tool == "" {
		return errors.New("no report of .NET tests")
	}
	for _, t := range r.failed {
		d := t.draft(r.classes)
		if d.File == "" {
			d.File = r.files[t.id]
		}
		d.Tool = r.tool
		d.LogLine = text.Line(t.offset)
		s.Add(d)
	}
	for _, t := range r.all {
		s.Test(parse.Result{Name: t.fullName(r.classes), File: r.files[t.id], Outcome: t.outcome,
			Duration: t.took, Message: t.message})
	}
	return nil
}

// testXML is the report that is being read.
type testXML struct {
	tool    string
	classes map[string]string // class of each test in TRX, which may be above or below the results
	files   map[string]string // file of each test in TRX that a JavaScript test runner wrote
	unit    string
	open    *xmlTest
	failed  []xmlTest
	all     []xmlTest
}

func (r *testXML) start(dec *xml.Decoder, el xml.StartElement, offset int) error {
	switch el.Name.Local {
	case "test-run", "test-results":
		r.tool = "nunit"
	case "assemblies", "assembly":
		r.tool = "xunit"
	case "TestRun":
		r.tool = "vstest"
	case "test-case", "test", "UnitTestResult", "error", "test-suite":
		if next := beginXMLTest(el); next != nil {
			next.offset = offset
			r.open = next
		}
	case "UnitTest":
		r.unit = xmlAttr(el, "id")
	case "TestMethod":
		class, _, _ := strings.Cut(xmlAttr(el, "className"), ",") // an assembly may follow
		if class != "none" {                                      // mocha-trx-reporter writes "none"
			r.classes[r.unit] = class
		}
		if base := xmlAttr(el, "codeBase"); isJSSource(base) { // other values name an assembly
			r.files[r.unit] = base
		}
	case "message", "Message", "stack-trace", "StackTrace":
		body, err := xmlText(dec)
		if err != nil {
			return err
		}
		r.open.say(el.Name.Local, body)
	case "output", "StdOut", "StdErr", "DebugTrace", "properties", "traits", "reason":
		return dec.Skip()
	}
	return nil
}

func (r *testXML) end(name string) {
	t := r.open
	if t != nil && (name == "test-case" || name == "test" || name == "UnitTestResult") {
		r.all = append(r.all, *t)
	}
	switch name {
	case "test-case", "test", "UnitTestResult", "error":
		r.open = nil
	case "failure": // the failure of a whole fixture, before its cases
		if t == nil || !t.failed || t.class != "suite" {
			return
		}
		t.class, r.open = "", nil
	default:
		return
	}
	if t != nil && t.failed {
		r.failed = append(r.failed, *t)
	}
}

// beginXMLTest returns a new test for an element. It returns nil for a suite, unless the suite's SetUp or TearDown
// failed.
func beginXMLTest(el xml.StartElement) *xmlTest {
	t := &xmlTest{name: xmlAttr(el, "name")}
	switch el.Name.Local {
	case "UnitTestResult":
		t.id, t.name = xmlAttr(el, "testId"), xmlAttr(el, "testName")
		outcome := xmlAttr(el, "outcome")
		t.failed = outcome == "Failed" || outcome == "Error" || outcome == "Timeout" || outcome == "Aborted"
		t.ended(outcome, clock(xmlAttr(el, "duration")))
	case "test-suite":
		// A failed suite of NUnit 3 only repeats its failed tests, unless its own SetUp or TearDown failed.
		if site := xmlAttr(el, "site"); xmlAttr(el, "result") != "Failed" || site != "SetUp" && site != "TearDown" {
			return nil
		}
		t.name, t.class, t.failed = xmlAttr(el, "fullname"), "suite", true
	case "error": // xUnit.net: failures during cleanup and similar
		t.failed = xmlAttr(el, "type") != ""
	default:
		if full := xmlAttr(el, "fullname"); full != "" {
			t.name = full
		}
		result := xmlAttr(el, "result")
		t.failed = result == "Failed" || result == "Failure" || result == "Error" || result == "Fail"
		t.ended(result, max(seconds(xmlAttr(el, "time")), seconds(xmlAttr(el, "duration"))))
	}
	return t
}

// ended records the outcome of a test. The parameter word is the runner's name for this outcome. Runners use many
// different names for tests that did not run.
func (t *xmlTest) ended(word string, took time.Duration) {
	t.took = took
	switch word {
	case "Passed", "Pass", "Success", "PassedButRunAborted", "Warning":
		t.outcome = store.TestPassed
	case "Failed", "Fail", "Failure":
		t.outcome = store.TestFailed
	case "Error", "Timeout", "Aborted":
		t.outcome = store.TestError
	default:
		t.outcome = store.TestSkipped
	}
}

// clock reads "00:00:01.5000000".
func clock(text string) time.Duration {
	var took time.Duration
	for part := range strings.SplitSeq(text, ":") {
		n, err := strconv.ParseFloat(part, 64)
		took = 60*took + duration(n, err == nil, time.Second)
	}
	return took
}

func (t *xmlTest) say(element, body string) {
	switch {
	case t == nil:
	case strings.HasPrefix(strings.ToLower(element), "message"):
		if t.message == "" {
			t.message = body
		}
	case t.trace == "":
		t.trace = body
	}
}

// fullName returns the name of a test with its class.
func (t *xmlTest) fullName(classes map[string]string) string {
	name := t.name
	if class := classes[t.id]; class != "" && !strings.HasPrefix(name, class) &&
		!strings.Contains(name, "."+class[strings.LastIndexByte(class, '.')+1:]+".") {
		name = class + "." + name
	}
	return name
}

func (t *xmlTest) draft(classes map[string]string) parse.Draft {
	d := testDraft(t.fullName(classes), firstLines(t.message))
	if d.Message == "" {
		d.Message = "test failed"
	}
	if d.File, d.Line = dotnetPlace(t.trace); d.File == "" {
		var js jsTrace
		for text := range strings.Lines(t.trace + "\n" + t.message) {
			js.add(strings.TrimSpace(text))
		}
		js.tell(&d)
		if js.seen && t.trace == "" { // the message already has it
			var words throwable
			junitPlace(t.message, &words)
			d.Message = cmp.Or(words.text(), d.Message)
		}
	}
	return d
}

// isJSSource reports whether a file is a JavaScript or TypeScript file.
func isJSSource(file string) bool {
	switch path.Ext(file) {
	case ".js", ".jsx", ".ts", ".tsx", ".mjs", ".cjs", ".mts", ".cts":
		return true
	}
	return false
}

// dotnetPlace returns the first place in a stack trace.
func dotnetPlace(trace string) (file string, line int) {
	for text := range strings.Lines(trace) {
		if p, ok := dotnetFrame(strings.TrimSpace(text)); ok && p.File != "" {
			return p.File, p.Line
		}
	}
	return "", 0
}
