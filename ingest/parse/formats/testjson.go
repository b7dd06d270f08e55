package formats

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// testJSONFormat reads JSON of test runners. Their text output has formats of its own.
var testJSONFormat = parse.Format{
	Name:  "test-json",
	About: "JSON of Rust's libtest and nextest, Playwright, Cucumber, and CTRF",
	Document: &parse.Document{
		Sniff: func(head []byte) bool { return testReportOf(head) != nil },
		Read: func(s *parse.Scan, t *parse.Text) error {
			if read := testReportOf(t.Data[:min(len(t.Data), 4096)]); read != nil {
				return read(s, t)
			}
			return errors.New("no report of tests")
		},
		Cut: addEndlessReport,
	},
}

func testReportOf(head []byte) func(*parse.Scan, *parse.Text) error {
	switch {
	case hasAll(head, `"results"`, `"tool"`, `"summary"`):
		return readCTRF
	case hasAll(head, `"type"`, `"event"`) && (hasAll(head, `"test"`) || hasAll(head, `"suite"`)):
		return readLibtest
	case hasAll(head, `"elements"`, `"keyword"`, `"uri"`):
		return readCucumber
	case hasAll(head, `"config"`, `"rootDir"`), hasAll(head, `"specs"`, `"suites"`):
		return readPlaywright
	}
	return nil
}

// readLibtest reads a line of --format json, which is an event of one test.
func readLibtest(s *parse.Scan, t *parse.Text) error {
	var e struct {
		Type, Event, Name, Stdout, Message, Reason string
		Seconds                                    float64 `json:"exec_time"`
	}
	if err := json.Unmarshal(t.Data, &e); err != nil {
		return err
	}
	if e.Type != "test" && e.Type != "suite" && e.Type != "bench" || e.Event == "" {
		return errors.New("no event of libtest")
	}
	if o, ok := map[string]store.TestOutcome{"ok": store.TestPassed, "failed": store.TestFailed,
		"timeout": store.TestFailed, "ignored": store.TestSkipped}[e.Event]; ok && e.Type == "test" {
		s.Test(libtestResult(e.Name, parse.Result{Outcome: o, Message: e.Stdout, Distinct: true,
			Duration: duration(e.Seconds, true, time.Second)}))
	}
	if e.Type != "test" || e.Event != "failed" {
		return nil
	}
	d := testDraft(e.Name, e.Message)
	d.Tool, d.LogLine = "cargo-test", t.Line(0)
	var p *rustPanic
	for text := range strings.Lines(parse.StripEscapes(e.Stdout)) {
		l := parse.Line{Text: strings.TrimRight(text, "\r\n")}
		if p == nil {
			p, _ = rustPanicAt(l.Text)
			if message, ok := strings.CutPrefix(l.Text, "Error: "); ok && d.Message == "" {
				d.Message = message
			}
		} else if !p.line(l) {
			break
		}
	}
	if p != nil {
		d.Message, d.File, d.Line, d.Column = p.message, p.File, p.Line, p.Column
	}
	if d.Message == "" {
		d.Message = strings.TrimSpace("test failed " + e.Reason)
	}
	s.Add(d)
	return nil
}

// libtestResult sets the name of a result. nextest adds the number of the attempt: "crate::program$test#2".
func libtestResult(name string, r parse.Result) parse.Result {
	r.Name = name
	if i := strings.LastIndexByte(name, '#'); i > 0 && strings.Contains(name, "$") {
		if n, size := parse.Number(name[i+1:]); size == len(name)-i-1 {
			r.Name, r.Retry = name[:i], n > 1
		}
	}
	return r
}

type playwrightSuite struct {
	Title, File string
	Suites      []playwrightSuite
	Specs       []struct {
		Title, File  string
		OK           bool
		Line, Column int
		Tests        []struct {
			ProjectName, Status, ExpectedStatus string
			Results                             []struct {
				Status   string
				Error    *playwrightError
				Duration float64
			}
		}
	}
}

type playwrightError struct {
	Message  string
	Location struct {
		File         string
		Line, Column int
	}
}

func readPlaywright(s *parse.Scan, t *parse.Text) error {
	var report struct {
		Suites []playwrightSuite
		Errors []playwrightError
		Stats  json.RawMessage
	}
	if err := json.Unmarshal(t.Data, &report); err != nil {
		return err
	}
	if report.Stats == nil {
		return errors.New("not Playwright's report")
	}
	w := &playwrightJSON{s: s, search: newSearch(t)}
	for _, suite := range report.Suites {
		w.suite(suite, "")
	}
	for _, e := range report.Errors {
		d := parse.Draft{Event: store.Event{Category: store.CategoryTest, LogLine: w.search.line(e.Message)}}
		w.add(d, e)
	}
	return nil
}

type playwrightJSON struct {
	s      *parse.Scan
	search *search
}

func (w *playwrightJSON) suite(suite playwrightSuite, path string) {
	if suite.Title != suite.File { // the outermost suite is the file
		path += suite.Title + " › "
	}
	for _, spec := range suite.Specs {
		line := w.search.line(spec.Title)
		for _, test := range spec.Tests {
			r := parse.Result{Name: path + spec.Title, File: spec.File, Distinct: true}
			if test.ProjectName != "" {
				r.Name = "[" + test.ProjectName + "] › " + r.Name
			}
			for _, attempt := range test.Results {
				r.Outcome, r.Duration = jsOutcome(attempt.Status), duration(attempt.Duration, true, time.Millisecond)
				if r.Outcome != store.TestSkipped && test.ExpectedStatus != "" { // some tests are expected to fail
					r.Outcome = store.TestFailed
					if attempt.Status == test.ExpectedStatus {
						r.Outcome = store.TestPassed
					}
				}
				if r.Message = ""; attempt.Error != nil {
					r.Message = attempt.Error.Message
				}
				w.s.Test(r)
				r.Retry = true
			}
			if len(test.Results) == 0 {
				r.Outcome = store.TestSkipped
				w.s.Test(r)
			}
		}
		if spec.OK {
			continue
		}
		d := parse.Draft{Event: store.Event{Category: store.CategoryTest, Test: path + spec.Title, File: spec.File,
			Line: spec.Line, Column: spec.Column, LogLine: line}}
		w.add(d, firstPlaywrightError(spec.Tests))
	}
	for _, inner := range suite.Suites {
		w.suite(inner, path)
	}
}

func firstPlaywrightError(tests []struct {
	ProjectName, Status, ExpectedStatus string
	Results                             []struct {
		Status   string
		Error    *playwrightError
		Duration float64
	}
}) playwrightError {
	for _, test := range tests {
		for _, r := range test.Results {
			if r.Error != nil {
				return *r.Error
			}
		}
	}
	return playwrightError{}
}

func (w *playwrightJSON) add(d parse.Draft, e playwrightError) {
	d.Tool = "playwright"
	message, _, _ := strings.Cut(parse.StripEscapes(e.Message), "\n╔") // remove advice in a box
	if d.Message = firstLines(message); d.Message == "" {
		d.Message = "test failed"
	}
	if e.Location.File != "" {
		d.File, d.Line, d.Column = e.Location.File, e.Location.Line, e.Location.Column
	}
	w.s.Add(d)
}

type cucumberStep struct {
	Name   string
	Line   int
	Result struct {
		Status string
		Error  string `json:"error_message"`
	}
}

func readCucumber(s *parse.Scan, t *parse.Text) error {
	var features []struct {
		URI      string
		Elements []struct {
			Name                 string
			Line                 int
			Before, Steps, After []cucumberStep
		}
	}
	if !bytes.HasPrefix(bytes.TrimSpace(t.Data), []byte("[")) {
		return errors.New("not Cucumber's report")
	}
	if err := json.Unmarshal(t.Data, &features); err != nil {
		return err
	}
	search := newSearch(t)
	for _, f := range features {
		search.line(f.URI)
		for _, scenario := range f.Elements {
			n := search.line(scenario.Name)
			steps := append(append(scenario.Before, scenario.Steps...), scenario.After...)
			for _, step := range steps {
				d := testDraft(scenario.Name, cucumberMessage(step.Result.Error))
				switch strings.ToLower(step.Result.Status) {
				case "failed", "ambiguous":
				case "undefined":
					d.Severity, d.Message = store.SeverityWarning, "undefined step: "+step.Name
				default:
					continue
				}
				d.Tool, d.File, d.Line, d.LogLine = "cucumber", strings.TrimPrefix(f.URI, "file:"), step.Line, n
				if d.Line == 0 { // an error in a hook
					d.Line = scenario.Line
				}
				if d.Message == "" {
					d.Message = "step failed: " + step.Name
				}
				s.Add(d)
				break
			}
		}
	}
	return nil
}

// cucumberMessage returns the text before the backtrace.
func cucumberMessage(text string) string {
	message := ""
	for line := range strings.Lines(parse.StripEscapes(text)) {
		line = strings.TrimSpace(line)
		if _, _, ok := parse.PlaceAt(line); ok || strings.HasPrefix(line, "at ") {
			break
		}
		message += line + "\n"
	}
	return strings.TrimSpace(message)
}
