package formats

import (
	"strings"
	"time"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// denoErrors reads the failures below the heading ERRORS of deno test. It skips the list below FAILURES.
type denoErrors struct {
	s      *parse.Scan
	d      *parse.Draft
	msg    parse.Message
	trace  jsTrace
	source string // becomes a source line if a caret follows
	listed bool
}

func (b *denoErrors) line(l parse.Line) parse.Verdict {
	text := l.Trim()
	switch {
	case strings.HasPrefix(text, "FAILED | "):
		return parse.Last
	case text == "FAILURES":
		b.listed, b.d = true, nil
		return parse.Take
	case b.listed || b.begin(l, text):
		return parse.Take
	case b.d == nil && text != "": // Japa prints the same heading
		return parse.Done
	case b.d == nil:
		return parse.Take
	case b.trace.add(text):
		b.msg.End()
		if p := b.trace.place(); isSameFile(p.File, strings.TrimPrefix(b.d.File, "./")) {
			b.d.Line, b.d.Column = p.Line, p.Column
		}
	case b.trace.seen:
		return parse.Take
	default:
		b.words(text)
	}
	b.d.Extend(l)
	return parse.Take
}

// words reads a line of the message, or of the source below it.
func (b *denoErrors) words(text string) {
	switch {
	case parse.IsCaret(text):
		b.msg.End()
		b.d.Message = strings.TrimSuffix(strings.TrimSuffix(b.d.Message, b.source), "\n")
	case text == "":
		b.msg.Add("")
	case !b.msg.Ended():
		b.msg.Add(strings.TrimPrefix(text, "error: "))
		b.d.Message, b.source = b.msg.String(), text
	}
}

// begin reads the first line of a failure: "steps ... second => ./a_test.ts:9:11" or "./a_test.ts (uncaught error)".
func (b *denoErrors) begin(l parse.Line, text string) bool {
	e := store.Event{Category: store.CategoryTest}
	if file, ok := strings.CutSuffix(text, " (uncaught error)"); ok {
		e.File, e.Category = file, store.CategoryRuntime
	} else if i := strings.LastIndex(text, " => "); i > 0 && l.Indent() == 0 {
		p, ok := jsPlace(text[i+len(" => "):])
		if !ok {
			return false
		}
		e.Test, e.File, e.Line, e.Column = text[:i], p.File, p.Line, p.Column
	} else {
		return false
	}
	b.d = b.s.Add(parse.Draft{Event: e, Key: e.File + " " + e.Test})
	b.msg, b.trace, b.source = parse.Message{}, jsTrace{}, ""
	return true
}

// denoRunning reads "running 6 tests from ./a_test.ts".
func denoRunning(text string) (file string, ok bool) {
	rest, ok := strings.CutPrefix(text, "running ")
	if !ok {
		return "", false
	}
	_, file, ok = strings.Cut(rest, " from ")
	return file, ok && parse.IsDigit(rest[0]) && strings.Contains(rest, " test")
}

var denoEnds = [...]struct {
	words   string
	outcome store.TestOutcome
}{{" ... ok (", store.TestPassed}, {" ... FAILED (", store.TestFailed}, {" ... ignored (", store.TestSkipped}}

// denoResult reads "adds ... ok (5ms)".
func denoResult(text string) (r parse.Result, ok bool) {
	for _, end := range denoEnds {
		if i := strings.LastIndex(text, end.words); i > 0 && strings.HasSuffix(text, ")") {
			r.Name, r.Outcome = strings.TrimSpace(text[:i]), end.outcome
			r.Duration, _ = time.ParseDuration(text[i+len(end.words) : len(text)-1])
			return r, true
		}
	}
	return r, false
}

// denoOutcomes reads the outcome of each test. Steps of a test are indented.
type denoOutcomes struct{ file string }

func (d *denoOutcomes) line(s *parse.Scan, l parse.Line) {
	if file, ok := denoRunning(l.Text); ok {
		d.file = file
		return
	}
	if r, ok := denoResult(l.Text); ok && d.file != "" && l.Indent() == 0 {
		r.File = d.file
		s.Test(r)
	}
}
