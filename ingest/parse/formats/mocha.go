package formats

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/internal/lazyregexp"
	"github.com/blq-ci/blq/store"
)

// mochaFormat reads mocha's list of failures at the end of the run. All reporters for people have printed this list
// since version 1. Tools built on mocha (Cypress, electron-mocha, vscode-test) print it, too. The marks during the run
// say less.
var mochaFormat = parse.Format{
	Name:     "mocha",
	About:    "mocha, and Cypress: failures of the spec, dot, list, min and other reporters",
	Triggers: []string{" failing", "Exception during run:", "Error: No test files found", "✖ "},
	Starts:   []string{mochaStreamed},
	Document: &parse.Document{Sniff: func(head []byte) bool {
		return hasAll(head, `"stats"`, `"suites"`, `"tests"`,
			`"passes"`)
	}, Read: readMochaJSON, Cut: addEndlessReport},
	Match: matchMocha,
}

var mochaFailing = lazyregexp.New(`^\s*(?:✖ )?(\d+)(?: of \d+ tests)? (?:failing|failed):?$`)

func matchMocha(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	if strings.HasPrefix(text, mochaStreamed) {
		return readMochaStream(s, text)
	}
	if rest, ok := cutAny(text, "Exception during run: ", "✖ ERROR: "); ok {
		mochaCrash(s, rest)
		return true
	}
	if strings.HasPrefix(text, "Error: No test files found") {
		s.Add(parse.Draft{Event: store.Event{Message: strings.TrimPrefix(text, "Error: "), Category: store.CategoryTest}})
		return true
	}
	g := mochaFailing.FindStringSubmatch(text)
	if g == nil {
		return false
	}
	count, err := strconv.Atoi(g[1])
	if err != nil || count == 0 {
		return false
	}
	list := &mochaList{s: s, count: count}
	s.Block(list.line)
	return true
}

// mochaCrash reads an error that stopped mocha before any test ran.
func mochaCrash(s *parse.Scan, message string) {
	d := s.Add(parse.Draft{Event: store.Event{Message: message, Category: store.CategoryTest}})
	if p, ok := nodeHead(message); ok {
		d.At(p.File, p.Line, 0)
		mochaSyntaxError(s, d)
		return
	}
	jsStackBlock(s, d)
}

// mochaSyntaxError reads the source, the caret and the message below the place of a syntax error.
func mochaSyntaxError(s *parse.Scan, d *parse.Draft) {
	at := d.LogLine
	s.Block(func(l parse.Line) parse.Verdict {
		message, ok := nodeError(l.Trim())
		if !ok && l.N <= at+8 {
			return parse.Take
		}
		if !ok {
			return parse.Done
		}
		d.Message = message
		d.Extend(l)
		jsStackBlock(s, d)
		return parse.Take
	})
}

// jsStackBlock reads the stack trace below an error, and sets the error's place.
func jsStackBlock(s *parse.Scan, d *parse.Draft) {
	var trace jsTrace
	before := 0
	s.Block(func(l parse.Line) parse.Verdict {
		switch {
		case trace.add(l.Text):
			if p := trace.place(); p.File != "" && d.Line == 0 {
				d.At(p.File, p.Line, p.Column)
			}
			d.Extend(l)
			return parse.Take
		case trace.seen || before > 8 || l.Trim() == "":
			return parse.Done
		}
		before++
		return parse.Pass
	})
}

// mochaList reads the numbered list of failures.
type mochaList struct {
	s     *parse.Scan
	count int // announced number of failures
	n     parse.Numbering
	d     *parse.Draft
	title []string
	named bool
	msg   parse.Message
	trace jsTrace
	blank parse.Blanks
	other int // consecutive lines outside of the list
}

func (m *mochaList) line(l parse.Line) parse.Verdict {
	text := l.Trim()
	if l.Indent() <= 4 && int(m.n) < m.count {
		if title, ok := m.n.Next(text); ok {
			m.begin(title)
			return parse.Take
		}
	}
	if m.d == nil { // a blank line and the list follow "  1 failing"
		if m.other++; text != "" || m.other > 3 {
			return parse.Done
		}
		return parse.Take
	}
	if !m.named {
		if l.Indent() == 5+2*len(m.title) {
			m.addTitle(text)
			return parse.Take
		}
		m.name()
	}
	return m.body(l, text)
}

func (m *mochaList) begin(title string) {
	m.d = m.s.Add(parse.Draft{Event: store.Event{Category: store.CategoryTest}})
	m.title, m.named, m.msg, m.trace, m.blank, m.other = nil, false, parse.Message{}, jsTrace{}, 0, 0
	m.addTitle(title)
}

func (m *mochaList) addTitle(t string) {
	m.title = append(m.title, strings.TrimSuffix(t, ":"))
	m.d.Test = strings.Join(m.title, " ")
	if strings.HasSuffix(t, ":") && len(m.title) > 1 {
		m.name()
	}
}

func (m *mochaList) name() { m.named = true }

// body reads the message, the diff and the stack of a failure.
func (m *mochaList) body(l parse.Line, text string) parse.Verdict {
	blank, empty := m.blank.Line(text)
	switch {
	case empty:
		m.msg.Add("")
		return parse.Take
	case m.trace.add(text):
		m.msg.End()
		m.trace.tell(m.d)
	case l.Indent() < 4 && (m.trace.seen ||
		int(m.n) == m.count && (blank > 1 || !m.msg.Empty() && m.msg.Ended() && blank > 0)):
		if int(m.n) == m.count {
			return parse.Done
		}
		if m.other++; m.other > 20 {
			return parse.Done
		}
		return parse.Pass
	case text == "+ expected - actual" || text == "- expected + actual" || text == "actual expected":
		m.msg.End()
	case !m.trace.seen:
		m.msg.Tell(m.d, text)
		if i := strings.LastIndex(text, ". ("); i > 0 && strings.HasSuffix(text, ")") &&
			strings.Contains(text, "imeout of ") {
			m.d.At(text[i+3:len(text)-1], 0, 0) // a timeout has no frame of the test, but names the file
		}
	}
	m.d.Extend(l)
	return parse.Take
}

// mochaTest is a test in mocha's JSON. The test may have passed, failed or been skipped.
type mochaTest struct {
	FullTitle    string          `json:"fullTitle"`
	File         string          `json:"file"`
	Duration     float64         `json:"duration"`
	CurrentRetry int             `json:"currentRetry"`
	Err          json.RawMessage `json:"err"`
}

// tellMocha reports the outcomes of tests. For attempts before the last one, only their number is known.
// Failed hooks are only in the list of failures.
func tellMocha(s *parse.Scan, tests, pending, failures []mochaTest) {
	skipped, told := map[string]bool{}, map[string]bool{}
	for _, t := range pending {
		skipped[t.File+"\x00"+t.FullTitle] = true
	}
	for _, t := range tests {
		told[t.File+"\x00"+t.FullTitle] = true
		r := parse.Result{Name: t.FullTitle, File: t.File, Message: string(t.Err), Distinct: true}
		for range min(t.CurrentRetry, 100) {
			r.Outcome = store.TestFailed
			s.Test(r)
			r.Retry = true
		}
		r.Outcome, r.Duration = store.TestPassed, duration(t.Duration, true, time.Millisecond)
		switch {
		case skipped[t.File+"\x00"+t.FullTitle]:
			r.Outcome = store.TestSkipped
		case len(t.Err) > len("{}"):
			r.Outcome = store.TestFailed
		}
		s.Test(r)
	}
	for _, t := range failures {
		if !told[t.File+"\x00"+t.FullTitle] {
			s.Test(parse.Result{Name: t.FullTitle, File: t.File, Message: string(t.Err), Distinct: true,
				Outcome: store.TestFailed})
		}
	}
}

func readMochaJSON(s *parse.Scan, t *parse.Text) error {
	var doc struct {
		Tests, Pending []mochaTest
		Failures       []mochaTest
	}
	if err := json.Unmarshal(t.Data, &doc); err != nil {
		return err
	}
	tellMocha(s, doc.Tests, doc.Pending, doc.Failures)
	search := newSearch(t)
	for _, f := range doc.Failures {
		var thrown struct{ Message, Stack string }
		if err := json.Unmarshal(f.Err, &thrown); len(f.Err) > 0 && err != nil {
			return err
		}
		var trace jsTrace
		for line := range strings.Lines(thrown.Stack) {
			trace.add(line)
		}
		p := trace.place()
		if p.File == "" {
			p.File = f.File
		}
		n := search.line(f.FullTitle)
		s.Add(parse.Draft{Event: store.Event{Tool: "mocha", Category: store.CategoryTest, Test: f.FullTitle,
			Message: firstLines(thrown.Message),
			File:    p.File, Line: p.Line, Column: p.Column, LogLine: n}})
	}
	return nil
}
