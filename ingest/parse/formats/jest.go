package formats

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// jestFormat reads jest's details of failed tests, missed coverage thresholds, and jest's JSON. The details stand
// indented under "● suite › test", below the FAIL line of the test file. With many files the summary repeats them.
var jestFormat = parse.Format{
	Name:  "jest",
	About: "jest: failed tests and test suites, coverage thresholds",
	Triggers: []string{
		"● ", "coverage threshold for ", "No tests found, exiting with code", "::error ", "Errors thrown in ",
	},
	Levels: true,
	Starts: []string{
		"FAIL ", "PASS ", " FAIL ", "Summary of all failing tests", "Test Suites:", "Jest: ", "No tests found",
	},
	Document: &parse.Document{Sniff: func(head []byte) bool {
		return hasAll(head, `"numFailedTestSuites"`,
			`"numTotalTests"`)
	}, Read: readJestJSON, Cut: addEndlessReport},
	New: func() parse.Matcher { return (&jest{said: said{}}).match },
}

type jest struct {
	file    string // file of the newest FAIL line
	summary bool   // the newest lines are in the summary, which repeats details
	grouped bool   // a group of GitHub repeats the details of one file
	said    said
}

func (j *jest) match(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	if file, ok := strings.CutPrefix(strings.TrimPrefix(text, "::group::"), "Errors thrown in "); ok {
		j.group(file)
		return true
	}
	if l.Level != "" || strings.HasPrefix(text, "::") {
		return j.said.again(l)
	}
	switch {
	case strings.HasPrefix(text, "FAIL ") && strings.HasSuffix(text, ".phpt]"): // PHP's run-tests
		return false
	case strings.HasPrefix(text, "FAIL "):
		if j.grouped {
			j.summary, j.grouped = false, false
		}
		j.file = jestFile(text[len("FAIL "):])
		return j.file != ""
	case strings.HasPrefix(text, "PASS "):
		j.file = ""
		return false
	case text == "Summary of all failing tests":
		j.summary = true
		return true
	case strings.HasPrefix(text, "Test Suites:"):
		j.file, j.summary = "", false
		return false
	case strings.HasPrefix(text, "Jest: ") && strings.Contains(text, "threshold"),
		strings.HasPrefix(text, "Jest: Coverage data for "),
		strings.HasPrefix(text, "No tests found, exiting with code"), text == "No tests found":
		s.Add(parse.Draft{Event: store.Event{Message: strings.TrimPrefix(text, "Jest: "), Category: store.CategoryTest}})
		return true
	}
	title, ok := strings.CutPrefix(text, "● ")
	if strings.HasPrefix(title, " process.exit called with ") {
		return j.exit(s, strings.TrimSpace(title))
	}
	if !ok || strings.HasPrefix(title, " ") {
		return false
	}
	return j.failure(s, l, title)
}

// group records that jest's reporter for GitHub repeats the failures of a file.
func (j *jest) group(file string) {
	if !strings.HasSuffix(j.file, file) {
		j.file = file
	}
	j.summary, j.grouped = true, true
}

func (j *jest) failure(s *parse.Scan, l parse.Line, title string) bool {
	if l.Indent() == 0 {
		return j.setup(s, title)
	}
	if l.Indent() > 3 || title == "Console" || j.file == "" && !strings.Contains(title, " › ") {
		return false
	}
	if title == "Test suite failed to run" {
		title = ""
	}
	d := parse.Draft{Key: j.file + "\x00" + title,
		Event: store.Event{Category: store.CategoryTest, File: j.file, Test: title}}
	if title == "" {
		d.Message = "Test suite failed to run"
	}
	if j.summary {
		d.Rank = parse.Summary
	}
	b := &jestBlock{s: s, d: s.Add(d), said: j.said}
	j.said.add(title)
	s.Block(b.line)
	return true
}

// exit reads jest's message that the code under test called process.exit. Then the remaining tests do not run.
func (j *jest) exit(s *parse.Scan, message string) bool {
	d := s.Add(parse.Draft{Event: store.Event{Message: message, Category: store.CategoryTest}})
	var trace jsTrace
	s.Block(func(l parse.Line) parse.Verdict {
		text := l.Trim()
		if text != "" && l.Indent() < 2 {
			return parse.Done
		}
		if trace.add(text) {
			trace.tell(d)
		}
		if text != "" {
			d.Extend(l)
		}
		return parse.Take
	})
	return true
}

// setup reads errors in the configuration of jest.
func (j *jest) setup(s *parse.Scan, title string) bool {
	title = strings.TrimSuffix(title, ":")
	if !strings.HasSuffix(title, "Error") && !strings.HasPrefix(title, "Unrecognized CLI") &&
		!strings.HasPrefix(title, "Multiple configurations") {
		return false
	}
	d := s.Add(parse.Draft{Event: store.Event{Message: title, Category: store.CategoryBuild}})
	var msg parse.Message
	s.Block(func(l parse.Line) parse.Verdict {
		if l.Trim() != "" && l.Indent() < 2 || msg.Ended() {
			return parse.Done
		}
		if msg.Add(l.Text); !msg.Empty() {
			d.Message = title + ": " + msg.String()
			d.Extend(l)
		}
		return parse.Take
	})
	return true
}

// jestFile returns the file name in "FAIL name", "FAIL project name" and "FAIL name (5.2 s)".
func jestFile(rest string) string {
	rest = cutDuration(strings.TrimSpace(rest))
	if strings.HasPrefix(rest, "in (") || strings.HasSuffix(rest, ")") && strings.Contains(rest, "at (") {
		return "" // clojure.test: FAIL in (test-x) (core_test.clj:7), Midje: FAIL "x" at (core_test.clj:7)
	}
	if i := strings.LastIndexByte(rest, ' '); i >= 0 {
		rest = rest[i+1:]
	}
	if !parse.IsFileName(rest) {
		return ""
	}
	return strings.TrimPrefix(rest, "./")
}

// jestBlock reads the indented details of one failure.
type jestBlock struct {
	s     *parse.Scan
	said  said
	d     *parse.Draft
	msg   parse.Message
	trace jsTrace
	label string      // "Received:", whose value is on the next line before version 23
	code  string      // code of the newest message, if it is a TypeScript error of ts-jest
	head  parse.Place // place of a file that Node.js could not read
}

func (b *jestBlock) line(l parse.Line) parse.Verdict {
	text, v, more := accountLine(b.d, &b.msg, l)
	switch {
	case !more:
		return v
	case b.trace.add(text):
		b.msg.End()
		b.atFrame()
		return parse.Take
	case isCodeFrame(text):
		b.msg.End()
		return parse.Take
	case b.trace.seen:
		return parse.Take
	}
	if b.typeScript(text) {
		return parse.Take
	}
	if p, message, ok := babelError(text); ok { // the cause stands below general advice
		b.d.File, b.d.Line, b.d.Column, b.d.Message = p.File, p.Line, p.Column, message
		b.msg.End()
		return parse.Take
	}
	if b.unreadable(text) {
		return parse.Take
	}
	if b.message(text) {
		b.d.Message = b.msg.String()
		b.said.add(b.d.Message)
	}
	return parse.Take
}

// unreadable reads the syntax error of a file that Node.js could not parse: the place, the source line, and then the
// error. jest prints these lines below general advice.
func (b *jestBlock) unreadable(text string) bool {
	if p, ok := nodeHead(text); ok {
		b.head = p
		b.msg.End()
		return true
	}
	message, ok := nodeError(text)
	if !ok || b.head.File == "" || !strings.HasPrefix(message, "SyntaxError") {
		return false
	}
	if ownJSFile(b.head.File) {
		b.d.File, b.d.Line = b.head.File, b.head.Line
	} else if i := strings.LastIndex(b.head.File, "node_modules/"); i >= 0 {
		message += " in " + b.head.File[i:]
	}
	b.d.Message = message
	return true
}

// message adds text to the message of the failure if it belongs there, and reports whether it was added.
func (b *jestBlock) message(text string) bool {
	if b.msg.Ended() {
		label := b.label
		if b.label = ""; label != "" {
			return b.msg.More(label + " " + text)
		}
		if !strings.HasPrefix(b.msg.First(), "expect(") || !hasAnyPrefix(text, "Expected", "Received", "Snapshot name:") {
			return false
		}
		if strings.HasSuffix(text, ":") {
			b.label = text
			return false
		}
		return b.msg.More(text)
	}
	b.msg.Add(text)
	return true
}

// typeScript reads an error of ts-jest about a file that does not compile. The first error is the failure of the suite.
// Other errors are separate events.
func (b *jestBlock) typeScript(text string) bool {
	if !strings.Contains(text, "error TS") {
		return false
	}
	d, ok := tscLines.Read(text)
	if !ok {
		return false
	}
	if b.code != "" {
		d.Tool = "tsc"
		b.s.Add(d)
		return true
	}
	b.code = d.Code
	b.d.Code, b.d.Message = d.Code, d.Message
	if d.File != "" {
		b.d.File, b.d.Line, b.d.Column = d.File, d.Line, d.Column
	}
	b.msg.End()
	return true
}

// atFrame sets the line of the failure to the first frame in the test file.
func (b *jestBlock) atFrame() {
	if b.d.Line > 0 {
		return
	}
	if b.d.File == "" {
		b.trace.tell(b.d)
	} else {
		b.trace.tellIn(b.d)
	}
}

// babelError reads "SyntaxError: /x/a.js: Unexpected token (1:10)".
func babelError(text string) (p parse.Place, message string, ok bool) {
	i := strings.Index(text, "SyntaxError: ")
	if i < 0 || !strings.HasSuffix(text, ")") {
		return parse.Place{}, "", false
	}
	rest := text[i+len("SyntaxError: "):]
	file, rest, ok := strings.Cut(rest, ": ")
	open := strings.LastIndexByte(rest, '(')
	if !ok || open < 0 || !parse.IsFileName(file) {
		return parse.Place{}, "", false
	}
	at := rest[open+1 : len(rest)-1]
	line, n := parse.Number(at)
	if n == 0 || n == len(at) || at[n] != ':' {
		return parse.Place{}, "", false
	}
	p = parse.Place{File: file, Line: line}
	p.Column, _ = parse.Number(at[n+1:])
	p.Column++ // Babel counts columns from 0
	return p, "SyntaxError: " + strings.TrimSpace(rest[:open]), true
}

func readJestJSON(s *parse.Scan, t *parse.Text) error {
	var doc struct {
		TestResults []struct {
			Name             string `json:"name"`
			Message          string `json:"message"`
			Status           string `json:"status"`
			AssertionResults []struct {
				AncestorTitles  []string `json:"ancestorTitles"`
				Title           string   `json:"title"`
				FullName        string   `json:"fullName"`
				Status          string   `json:"status"`
				FailureMessages []string `json:"failureMessages"`
				Duration        float64  `json:"duration"`
				Invocations     int      `json:"invocations"`
			} `json:"assertionResults"`
		} `json:"testResults"`
	}
	if err := json.Unmarshal(t.Data, &doc); err != nil {
		return err
	}
	tool, separator := "jest", " › "
	if !hasAll(t.Data, `"openHandles"`) {
		tool, separator = "vitest", " > "
	}
	search := newSearch(t)
	for _, suite := range doc.TestResults {
		failed := 0
		for _, a := range suite.AssertionResults {
			n := search.line(a.Title)
			t := parse.Result{Name: strings.Join(append(a.AncestorTitles, a.Title), separator), File: suite.Name,
				Message: strings.Join(a.FailureMessages, "\n"), Distinct: true}
			for range a.Invocations - 1 { // all attempts before the last one failed
				t.Outcome = store.TestFailed
				s.Test(t)
				t.Retry = true
			}
			t.Outcome, t.Duration = jsOutcome(a.Status), duration(a.Duration, true, time.Millisecond)
			s.Test(t)
			if a.Status != "failed" {
				continue
			}
			failed++
			message := strings.Join(a.FailureMessages, "\n")
			p := traceIn(message, suite.Name)
			s.Add(parse.Draft{Event: store.Event{Tool: tool, Category: store.CategoryTest,
				Test: strings.Join(append(a.AncestorTitles, a.Title), separator),
				Message: firstLines(strings.TrimPrefix(parse.StripEscapes(message),
					"Error: ")), File: suite.Name, Line: p.Line, Column: p.Column, LogLine: n}})
		}
		if suite.Status == "failed" && failed == 0 {
			b := &jestBlock{s: s, d: &parse.Draft{Event: store.Event{Tool: tool, Category: store.CategoryTest,
				File: suite.Name, Message: "Test suite failed to run", LogLine: search.line(suite.Name)}}}
			for line := range strings.Lines(parse.StripEscapes(suite.Message)) {
				if !strings.Contains(line, "● Test suite failed to run") {
					b.line(parse.Line{Text: "    " + strings.TrimRight(line, "\n")})
				}
			}
			s.Add(*b.d)
		}
	}
	return nil
}

// jsOutcome maps the status of a test in jest, vitest or CTRF to an outcome.
func jsOutcome(status string) store.TestOutcome {
	switch strings.ToLower(status) {
	case "passed", "focused", "expected":
		return store.TestPassed
	case "failed", "unexpected", "timedout":
		return store.TestFailed
	case "interrupted", "other":
		return store.TestError
	}
	return store.TestSkipped
}

// traceIn returns the first frame of a stack trace that is in file.
func traceIn(message, file string) parse.Place {
	for line := range strings.Lines(message) {
		if p, ok := jsFrame(line); ok && isSameFile(file, p.File) {
			return p
		}
	}
	return parse.Place{}
}
