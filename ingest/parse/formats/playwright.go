package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// playwrightFormat reads Playwright Test. The list, line, dot and github reporters print a heading for each failure:
// its number, project, place and titles. A test that the summary calls flaky passed in the end. Its failure becomes a
// warning.
var playwrightFormat = parse.Format{
	Name:     "playwright",
	About:    "Playwright Test: failed and flaky tests of the list, line, dot and github reporters",
	Triggers: []string{" › "},
	Starts:   []string{"Error: No tests found", "  1 flaky", "  2 flaky", "  3 flaky"},
	New:      func() parse.Matcher { return (&playwright{drafts: map[string]*parse.Draft{}}).match },
}

type playwright struct {
	drafts map[string]*parse.Draft // by title, because a test may turn out to be flaky
}

const maxPlaywright = 5000

func (w *playwright) match(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	if strings.HasPrefix(text, "Error: No tests found") {
		s.Add(parse.Draft{Event: store.Event{Message: "No tests found", Category: store.CategoryTest}, Weight: parse.Repeat})
		return true
	}
	if strings.HasSuffix(text, " flaky") && l.Indent() == 2 {
		s.Block(w.flaky)
		return true
	}
	if strings.HasPrefix(text, "::error ") {
		return w.annotation(text)
	}
	_, n := parse.Number(text)
	if n == 0 || n == len(text) || text[n] != ')' || l.Indent() > 4 {
		return false
	}
	return w.failure(s, l, strings.TrimSpace(text[n+1:]))
}

// failure reads "[project] › file:line:column › suite › test ─────".
func (w *playwright) failure(s *parse.Scan, l parse.Line, heading string) bool {
	title := strings.TrimRight(heading, "─ ")
	p, test, ok := playwrightTitle(title)
	if !ok {
		return false
	}
	d := parse.Draft{Key: title, Event: store.Event{Category: store.CategoryTest, Test: test, File: p.File, Line: p.Line,
		Column: p.Column}}
	if l.Level != "" {
		d.Rank = parse.Summary // GitHub shows the text of the annotation again
	}
	b := &playwrightBlock{d: s.Add(d)}
	if len(w.drafts) < maxPlaywright && l.Level == "" {
		w.drafts[title] = b.d
	}
	s.Block(b.line)
	return true
}

func playwrightTitle(title string) (p parse.Place, test string, ok bool) {
	rest := title
	if strings.HasPrefix(rest, "[") {
		if _, rest, ok = strings.Cut(rest, "] › "); !ok {
			return parse.Place{}, "", false
		}
	}
	at, test, _ := strings.Cut(rest, " › ")
	p, ok = jsPlace(at)
	if !ok || p.Column == 0 || !parse.IsFileName(p.File) {
		return parse.Place{}, "", false
	}
	return p, test, test != ""
}

// annotation reports whether a workflow command of the reporter "github" repeats a failure that was already read.
func (w *playwright) annotation(text string) bool {
	return w.drafts[annotationTitle(text)] != nil
}

func (w *playwright) flaky(l parse.Line) parse.Verdict {
	title := strings.TrimRight(l.Trim(), "─ ")
	if l.Indent() != 4 {
		return parse.Done
	}
	if d := w.drafts[title]; d != nil {
		d.Severity = store.SeverityWarning
	}
	return parse.Take
}

type playwrightBlock struct {
	d     *parse.Draft
	msg   parse.Message
	trace jsTrace
	other bool // a retry or an attachment follows; the important lines were read
}

func (b *playwrightBlock) line(l parse.Line) parse.Verdict {
	text, v, more := accountLine(b.d, &b.msg, l)
	switch {
	case !more:
		return v
	case strings.HasPrefix(text, "Retry #"):
		b.other = true
	case b.other:
	case isCodeFrame(text):
		b.msg.End()
	case b.trace.add(text):
		b.msg.End()
		b.trace.tellIn(b.d)
	case strings.HasPrefix(text, "╔") || strings.HasPrefix(text, "attachment #"):
		b.msg.End()
	default:
		if !b.msg.Ended() {
			b.msg.Add(text)
		} else if strings.Contains(b.msg.First(), "expect(") && hasAnyPrefix(text, "Expected", "Received", "Locator:") {
			b.msg.More(text)
		}
		b.d.Message = b.msg.String()
	}
	return parse.Take
}
