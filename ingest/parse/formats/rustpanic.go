package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// rustPanic is the message and the place of a panic.
type rustPanic struct {
	parse.Place
	thread  string
	message string
	open    bool // more lines of the message follow
	old     bool // message and place are on one line
	lines   int
}

// rustPanicAt reads "thread 'x' (12) panicked at a.rs:1:2:", which the message follows. Before 1.73 the form was
// "thread 'x' panicked at 'message', a.rs:1:2".
func rustPanicAt(text string) (*rustPanic, bool) {
	i := strings.Index(text, "thread '")
	if i < 0 {
		return nil, false
	}
	who, rest, ok := strings.Cut(text[i+8:], " panicked at ")
	if !ok {
		return nil, false
	}
	thread, _, ok := strings.Cut(who, "'")
	if !ok {
		return nil, false
	}
	if name, _, ok := strings.Cut(text[:i], " ... "); ok && strings.HasPrefix(name, "test ") {
		thread = rustTestName(name[5:]) // tests that run one at a time are in the main thread
	}
	p := &rustPanic{thread: thread}
	if message, ok := strings.CutPrefix(rest, "'"); ok {
		p.old = true
		p.end(message)
		return p, true
	}
	at, _, ok := parse.PlaceAt(strings.TrimSuffix(rest, ":"))
	if !ok {
		return nil, false
	}
	p.at(at)
	p.open, p.message = true, "panicked"
	return p, true
}

// at sets the place, unless it is in Rust's own library. Rust before 1.42 printed such a place for many panics.
func (p *rustPanic) at(at parse.Place) {
	for _, w := range [...]string{"/rustc/", "/usr/src/rustc", "libcore/", "libstd/", "liballoc/", "src/libcore/",
		"src/libstd/", "src/liballoc/", "<::"} {
		if strings.HasPrefix(at.File, w) {
			return
		}
	}
	p.Place = at
}

// end adds a line to the message of a panic in the old form. The message ends in a line with a place, such as
// "message', a.rs:1:2".
func (p *rustPanic) end(text string) {
	p.open = true
	if i := strings.LastIndex(text, "', "); i >= 0 {
		if at, _, ok := parse.PlaceAt(text[i+3:]); ok {
			p.at(at)
			p.open = false
			text = text[:i]
		}
	}
	if p.message != "" {
		text = "\n" + text
	}
	p.message += text
}

// line adds a line to the message. It returns false if the message has ended.
func (p *rustPanic) line(l parse.Line) bool {
	text := l.Trim()
	if !p.open || p.lines > 20 || strings.HasPrefix(text, "note: ") || text == "stack backtrace:" ||
		!p.old && text == "" ||
		text == "FAILED" || text == "ok" || strings.HasPrefix(text, "test ") && strings.Contains(text, " ... ") {
		return false
	}
	p.lines++
	switch {
	case p.old:
		p.end(strings.TrimRight(l.Text, " "))
	case p.lines == 1:
		p.message = text
	default:
		p.message += "\n" + text
	}
	return true
}

// panicked reads a panic outside of captured output. A program, a build script, or a test whose output is not captured
// may print it.
func (r *rustTests) panicked(s *parse.Scan, l parse.Line, text string) bool {
	p, ok := rustPanicAt(text)
	if !ok {
		return false
	}
	d := &parse.Draft{Weight: parse.Likely, Dir: r.dir,
		Event: store.Event{Message: p.message, Tool: "rust", Category: store.CategoryRuntime, LogLine: l.N}}
	if r.inside && p.thread != "main" || r.nextest && p.thread != "main" {
		// A test may panic and still pass. So a panic in cargo test counts only if a later line says that the test
		// failed. A panic in cargo nextest is added below.
		if len(r.panics) < maxPanics {
			r.panics[p.thread] = d
		}
		d.Test = p.thread
	} else {
		d = s.Add(*d)
	}
	place := func() { d.Message, d.File, d.Line, d.Column = p.message, p.File, p.Line, p.Column }
	place()
	if r.nextest && d.Test != "" {
		done := *d
		done.Key, done.Rank, done.Weight, done.Tool, done.Category = d.Test, parse.Detail, parse.Certain, "",
			store.CategoryTest
		d = s.Add(done)
	}
	trace := false
	s.Block(func(l parse.Line) parse.Verdict {
		text := l.Trim()
		switch {
		case !trace && p.line(l):
			place()
		case text == "stack backtrace:":
			trace = true
		case trace && (parse.IsDigit((text + " ")[0]) || strings.HasPrefix(text, "at ")):
		case strings.HasPrefix(text, "note: ") && strings.Contains(text, "backtrace"):
			d.Extend(l)
			return parse.Last
		default:
			return parse.Done
		}
		d.Extend(l)
		return parse.Take
	})
	return true
}
