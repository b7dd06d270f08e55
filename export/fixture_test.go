package export_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/blq-ci/blq/export"
	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/ingest/parse/formats"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/querytest"
	"github.com/blq-ci/blq/store"
)

// hostile is a text that tries to end an element, a string or a line.
const hostile = "]]></failure><!-- \" ' \\ & <b>\x00\x1b[31m\u202e\ufffe\nsecond \xff line\u2028"

// event returns an event with its fingerprint.
func event(e store.Event) store.Event {
	e.Fingerprint, e.Pattern = store.Fingerprint(e), store.Pattern(e)
	return e
}

// result returns the result of an attempt of a test.
func result(name, file string, n int, o store.TestOutcome, took time.Duration) store.TestResult {
	return store.TestResult{Test: store.Test{Name: name, File: file}, Attempt: n, Outcome: o, Duration: took}
}

// results returns tests with all outcomes, and with several attempts.
func results() []store.TestResult {
	const ms = time.Millisecond
	return []store.TestResult{
		result("app.CalcTest.adds", "t/CalcTest.java", 1, store.TestPassed, 12*ms),
		result("app.CalcTest.divides", "t/CalcTest.java", 1, store.TestFailed, 3*ms),
		result("app.CalcTest.crashes", "t/CalcTest.java", 1, store.TestError, 1500*ms),
		result("app.CalcTest.later", "t/CalcTest.java", 1, store.TestSkipped, 0),
		result("t/test_x.py::TestX::test_flaky[a.b-1]", "t/test_x.py", 1, store.TestFailed, 0),
		result("t/test_x.py::TestX::test_flaky[a.b-1]", "t/test_x.py", 2, store.TestError, 0),
		result("t/test_x.py::TestX::test_flaky[a.b-1]", "t/test_x.py", 3, store.TestPassed, 40*ms),
		result("t/test_x.py::test_never", "t/test_x.py", 1, store.TestFailed, 7*ms),
		result("t/test_x.py::test_never", "t/test_x.py", 2, store.TestFailed, 0),
		result("needs the network", "", 1, store.TestInfra, 90*ms),
		result("says <&\"'> odd things", "", 1, store.TestPassed, 0),
	}
}

// events returns the events of the failed tests in results, and further events.
func events() []store.Event {
	failed := func(test, file string, line int, message string) store.Event {
		return event(store.Event{Severity: store.SeverityError, Tool: "runner", Category: store.CategoryTest, Test: test,
			File: file, Line: line, Message: message})
	}
	flaky := failed("t/test_x.py::TestX::test_flaky[a.b-1]", "t/test_x.py", 8, "assert 1 == 2")
	flaky.Severity = store.SeverityWarning
	return []store.Event{
		event(store.Event{Severity: store.SeverityError, Tool: "gcc", Category: store.CategoryCompile, Code: "-Wbad",
			File: "src/a b#c.c", Line: 3, Column: 4, Message: hostile, LogLine: 1}),
		event(store.Event{Severity: store.SeverityWarning, Tool: "eslint", Category: store.CategoryLint, Code: "no-undef",
			File: "/usr/lib/x.js", Line: 9, Message: "'x' is not defined"}),
		event(store.Event{Severity: store.SeverityInfo, Tool: "make", Category: store.CategoryBuild, Message: "done"}),
		failed("app.CalcTest.divides", "t/CalcTest.java", 31, "expected: <2> but was: <3>"),
		failed("app.CalcTest.crashes", "t/CalcTest.java", 44, "java.lang.IllegalStateException: closed"),
		flaky,
		failed("t/test_x.py::test_never", "t/test_x.py", 20, hostile),
		failed("needs the network", "", 0, "getaddrinfo EAI_AGAIN example.com"),
		event(store.Event{Severity: store.SeverityWarning, Tool: "cl", Category: store.CategoryCompile, Code: "C4996",
			File: "C:/lib/x y.h", Line: 2, Message: "'gets': was declared deprecated"}),
		event(store.Event{Severity: store.SeverityWarning, Tool: "cl", Category: store.CategoryCompile, Code: "C4996",
			File: "http:a/b:c.h", Line: 2, Message: "'gets': was declared deprecated"}),
	}
}

// document returns the whole document of a run, and the number of its parts.
func document(t *testing.T, a *query.Asker, p export.Params) (string, int) {
	t.Helper()
	var b strings.Builder
	for n := 1; ; n++ {
		part, err := export.Write(t.Context(), a, p)
		querytest.Check(t, err)
		b.WriteString(part.Text)
		if part.Next == "" {
			return b.String(), n
		}
		p.Ref, p.Next = part.Attempt, part.Next
	}
}

// valid checks a JSON document against a schema.
func valid(t *testing.T, schema, text string) {
	t.Helper()
	raw, err := os.ReadFile("testdata/schema/" + schema)
	querytest.Check(t, err)
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(string(raw)))
	querytest.Check(t, err)
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	querytest.Check(t, c.AddResource("file:///schema.json", doc))
	s, err := c.Compile("file:///schema.json")
	querytest.Check(t, err)
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	if err := s.Validate(value); err != nil {
		t.Errorf("%s: %v", schema, err)
	}
}

// read returns the events and the test results in a document. blq reads it with the named formats; "" means all.
func read(t *testing.T, text, names string) ([]store.Event, []store.TestResult) {
	t.Helper()
	var tests parse.Tests
	one := 1
	known, err := formats.Select(names)
	querytest.Check(t, err)
	list := parse.Bytes([]byte(text), &one, parse.Options{Formats: known, Tests: tests.Add, Strict: true})
	return list, tests.Results(false)
}

// decoded parses JSON.
func decoded[T any](t *testing.T, text string) T {
	t.Helper()
	var v T
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return v
}
