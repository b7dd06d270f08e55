package export_test

import (
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/blq-ci/blq/export"
	"github.com/blq-ci/blq/query/querytest"
	"github.com/blq-ci/blq/store"
)

// junitElement is an element of JUnit XML in the schemas of Jenkins (junit-10.xsd) and Maven Surefire.
type junitElement struct {
	children, attributes []string // allowed children and attributes
	required             []string // required attributes
}

var rerun = junitElement{[]string{"stackTrace"}, []string{"message"}, []string{"type"}}

var junitElements = map[string]junitElement{
	"": {children: []string{"testsuites"}},
	"testsuites": {children: []string{"testsuite"}, attributes: []string{"name", "time", "tests", "failures",
		"errors"}},
	"testsuite": {[]string{"properties", "testcase"}, []string{"skipped", "time", "timestamp", "file"},
		[]string{"name", "tests", "failures", "errors"}},
	"properties": {children: []string{"property"}},
	"property":   {required: []string{"name", "value"}},
	"testcase": {[]string{"skipped", "error", "failure", "rerunFailure", "rerunError", "flakyFailure", "flakyError"},
		[]string{"classname"}, []string{"name", "time"}},
	"skipped": {}, "stackTrace": {},
	"failure":      {attributes: []string{"message"}, required: []string{"type"}},
	"error":        {attributes: []string{"message"}, required: []string{"type"}},
	"rerunFailure": rerun, "rerunError": rerun, "flakyFailure": rerun, "flakyError": rerun,
}

// fitsJUnit checks that a document conforms to the schemas, and that the counts of each suite and of the root element
// are right.
func fitsJUnit(t *testing.T, text string) {
	t.Helper()
	dec := xml.NewDecoder(strings.NewReader(text))
	open := []string{""}
	var suite, counted map[string]string
	count := map[string]int{}
	for {
		tok, err := dec.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		querytest.Check(t, err)
		switch el := tok.(type) {
		case xml.StartElement:
			attrs := fits(t, open[len(open)-1], el)
			open = append(open, el.Name.Local)
			switch el.Name.Local {
			case "testsuites":
				counted = attrs
			case "testsuite":
				suite, count = attrs, map[string]int{}
			}
			count[el.Name.Local]++
		case xml.EndElement:
			open = open[:len(open)-1]
			if el.Name.Local == "testsuite" {
				for key, n := range map[string]int{"tests": count["testcase"], "failures": count["failure"],
					"errors": count["error"], "skipped": count["skipped"]} {
					if suite[key] != strconv.Itoa(n) {
						t.Errorf("suite %s has %d %s, and says %s", suite["name"], n, key, suite[key])
					}
				}
			}
		}
	}
	for key, item := range map[string]string{"tests": "<testcase ", "failures": "<failure ", "errors": "<error "} {
		if n := strings.Count(text, item); counted[key] != strconv.Itoa(n) {
			t.Errorf("there are %d %s, and the root says %s", n, key, counted[key])
		}
	}
}

// fits checks an element against the schemas, and returns its attributes.
func fits(t *testing.T, parent string, el xml.StartElement) map[string]string {
	t.Helper()
	name := el.Name.Local
	if !slices.Contains(junitElements[parent].children, name) {
		t.Fatalf("%s in %q", name, parent)
	}
	known, attrs := junitElements[name], map[string]string{}
	for _, a := range el.Attr {
		attrs[a.Name.Local] = a.Value
		if !slices.Contains(slices.Concat(known.attributes, known.required), a.Name.Local) {
			t.Errorf("%s has an attribute %s", name, a.Name.Local)
		}
	}
	for _, key := range known.required {
		if _, there := attrs[key]; !there {
			t.Errorf("%s without %s", name, key)
		}
	}
	return attrs
}

func TestJUnitFitsItsSchemas(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Add(t, querytest.Run{Source: "bare", At: 5, Exit: 1, Events: events()})
	for ref, tests := range map[string]int{"test": 8, "empty": 0, "bare": 4} {
		text, _ := document(t, f.Asker, export.Params{Form: export.JUnit, Ref: ref})
		fitsJUnit(t, text)
		if n := strings.Count(text, "<testcase "); n != tests {
			t.Errorf("%s has %d tests, want %d:\n%s", ref, n, tests, text)
		}
	}
}

// A form with only tests says if it hides the reason why a run failed.
func TestErrorsThatAreNoTestsAreMentioned(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	passed := results()[:1]
	f.Add(t, querytest.Run{Source: "tests", At: 5, Exit: 1, Events: events()[3:], Tests: results()})
	f.Add(t, querytest.Run{Source: "passed", At: 6, Tests: passed})
	f.Add(t, querytest.Run{Source: "crashed", At: 7, Exit: 3, Tests: passed})
	f.Add(t, querytest.Run{Source: "hung", At: 8, Exit: 1, Reason: store.ReasonTimeout, Tests: results()})
	for ref, want := range map[string]string{"test": "have the other errors", "empty": "", "tests": "", "passed": "",
		"crashed": "FAIL, and no test failed", "hung": "TIMEOUT: tests that it did not come to are missing"} {
		for form, note := range map[export.Form]string{export.JUnit: want, export.CTRF: want, export.SARIF: ""} {
			part, err := export.Write(t.Context(), f.Asker, export.Params{Form: form, Ref: ref})
			querytest.Check(t, err)
			if !strings.Contains(part.Note, note) || note == "" && part.Note != "" {
				t.Errorf("%s as %s: %q, want %q", ref, form, part.Note, note)
			}
		}
	}
}

// JUnit XML and CTRF contain only tests. If a run failed without a failed test, the document gets an additional failed
// test. Otherwise its readers would take the run for passed.
func TestARunThatFailedWithoutAFailedTestIsRed(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Add(t, querytest.Run{Source: "crashed", At: 5, Exit: 3, Tests: results()[:1]})
	f.Add(t, querytest.Run{Source: "compile", At: 6, Exit: 2, Events: events()[2:3]})
	f.Add(t, querytest.Run{Source: "passed", At: 7, Tests: results()[:1]})
	for ref, want := range map[string][2]string{
		"crashed": {`tests="2" failures="0" errors="1"`, `"name":"crashed: exit code 3","status":"failed"`},
		"compile": {`tests="1" failures="0" errors="1"`, `"name":"compile: exit code 2","status":"failed"`},
		"passed":  {`tests="1" failures="0" errors="0"`, `"failed":0`},
	} {
		text, _ := document(t, f.Asker, export.Params{Form: export.JUnit, Ref: ref})
		fitsJUnit(t, text)
		if !strings.Contains(text, want[0]) {
			t.Errorf("%s has no %q:\n%s", ref, want[0], text)
		}
		if text, _ = document(t, f.Asker, export.Params{Form: export.CTRF, Ref: ref}); !strings.Contains(text, want[1]) {
			t.Errorf("%s has no %q:\n%s", ref, want[1], text)
		}
		valid(t, "ctrf.json", text)
	}
}
