// Package parse turns the output of build steps into events.
//
// A Parser reads raw bytes as they come. It takes the envelope of the CI
// system off each line, offers lines that hold a trigger to the formats that it
// was given, collects JSON and XML documents where they start, and at the end
// of each step folds what was said twice. The formats of all known tools are
// in package formats. This one imports the types of store and nothing else of
// this module.
package parse

import (
	"bytes"

	"github.com/blq-ci/blq/store"
)

// Limits that keep memory flat whatever the input is.
const (
	MaxLine     = 64 << 10 // bytes of a line that formats see
	MaxDocument = 32 << 20 // bytes of a JSON or XML document
	MaxPending  = 20000    // drafts of one step that may still be merged
	MaxBlock    = 5000     // lines in a row that one block may take
	MaxLanes    = 64       // interleaved streams (docker-compose, BuildKit)
)

// Options say what a Parser reads, and where.
type Options struct {
	// Formats are offered the lines: formats.All for all that are known.
	Formats *List
	// Root is the absolute path that file names are made relative to, "" for
	// the usual checkout folders of the known CI systems.
	Root string
	// Dir is the working directory of the command, absolute, "" for Root.
	Dir string
	// GoModule is the Go module that the command ran in, to find the files of
	// its packages; zero if there is none or it is not known.
	GoModule GoModule
	// Tree is where names of files are looked up, nil for nowhere.
	Tree Tree
	// WorkDirs are the directories that the command works in, relative to Dir or absolute: "cd api && make" works in
	// api. There are none if it stays in Dir.
	WorkDirs []string
	// Matchers are GitHub problem matchers given by the user, tried first.
	Matchers []ProblemMatcher
	// Tests is called with the outcome of each test that the log tells, nil if nobody wants to know.
	Tests func(Result)
	// NoPatterns leaves out the patterns of events, for callers that only print them.
	NoPatterns bool
	// Strict lets a format that panics end the program, for tests of formats.
	// Otherwise it loses what it has open.
	Strict bool
}

// GoModule is a Go module and where it is.
type GoModule struct {
	Path string // from its go.mod
	Dir  string // absolute
}

// Parser reads a log and gives its events. It never fails: bytes that make no
// sense are passed over. It must not be used by several goroutines at once.
type Parser struct {
	scan    *Scan
	env     envelope
	partial []byte // the unfinished last line
	cut     bool   // the rest of the current line is over the limit
	n       int    // number of the last finished line
	lines   *batch // lines that scan was not given yet
}

// New returns a parser that hands each event to emit, in the order of the
// log within each step. Events are numbered from 1.
func New(opts Options, emit func(store.Event)) *Parser {
	return &Parser{scan: newScan(opts, emit), lines: &batch{}}
}

// Bytes parses a whole log whose command ended with the exit code, nil for unknown.
func Bytes(log []byte, exitCode *int, opts Options) []store.Event {
	var events []store.Event
	p := New(opts, func(e store.Event) { events = append(events, e) })
	p.Write(log)
	p.Finish(exitCode)
	return events
}

// Write reads the next bytes of the log. It always takes all of them.
func (p *Parser) Write(b []byte) (int, error) {
	for from := 0; from < len(b); from += blockSize {
		p.read(b[from:min(len(b), from+blockSize)])
		p.give()
	}
	return len(b), nil
}

// give hands on the lines so far.
func (p *Parser) give() {
	p.lines.give(p.scan)
	p.lines.reset()
}

// read cuts a block of the log into lines.
func (p *Parser) read(block []byte) {
	p.lines.block, p.lines.first = block, p.n
	marks := newFinder(block)
	pos := 0
	for pos < len(block) {
		i := bytes.IndexByte(block[pos:], '\n')
		if i < 0 {
			p.keep(block[pos:])
			break
		}
		end := pos + i
		next := end + 1
		if len(p.partial) > 0 || p.cut {
			p.keep(block[pos:end])
			p.line(p.partial)
			p.partial, p.cut = p.partial[:0], false
			pos = next
			continue
		}
		if end > pos && block[end-1] == '\r' {
			end--
		}
		if marks.before(pos, end) {
			p.line(block[pos:end])
		} else {
			p.plainLine(pos, end)
		}
		pos = next
	}
}

// finder finds escape sequences, backspaces and carriage returns. It looks at
// each byte of buf once, however short the lines are.
type finder struct {
	buf   []byte
	next  [3]int // where each of specials comes next, as far as known
	first int    // the first of them
}

var specials = [3]byte{'\x1b', '\b', '\r'}

func newFinder(buf []byte) finder { return finder{buf, [3]int{-1, -1, -1}, -1} }

// before reports whether one of the special bytes stands in buf[from:to].
func (f *finder) before(from, to int) bool {
	if f.first < from {
		f.look(from)
	}
	return f.first < to
}

// look finds the specials from a place on.
func (f *finder) look(from int) {
	f.first = len(f.buf)
	for i, next := range f.next {
		if next < from {
			next = len(f.buf)
			if n := bytes.IndexByte(f.buf[from:], specials[i]); n >= 0 {
				next = from + n
			}
			f.next[i] = next
		}
		f.first = min(f.first, next)
	}
}

// keep adds to the unfinished line, up to what a document may need.
func (p *Parser) keep(b []byte) {
	limit := MaxLine
	if p.env.mayBeDocument(p.scan.triggers, p.partial, b) {
		limit = MaxDocument
	}
	if room := limit - len(p.partial); len(b) > room {
		b, p.cut = b[:max(room, 0)], true
	}
	p.partial = append(p.partial, b...)
}

// Finish ends the log: open blocks are closed, the last step is settled.
// exitCode is how the command ended, nil if it is not known.
func (p *Parser) Finish(exitCode *int) {
	p.endLine()
	p.give()
	p.scan.finish(exitCode)
}

// endLine takes the last line, which has no end.
func (p *Parser) endLine() {
	if len(p.partial) > 0 {
		p.line(p.partial)
		p.partial = nil
	}
}

// line reads one line of the raw log, which may hold more than text. A carriage return inside a line is a progress bar
// that wrote over itself: each text counts.
func (p *Parser) line(raw []byte) {
	p.n++
	if p.n == 1 {
		raw = bytes.TrimPrefix(raw, []byte(mark))
	}
	for len(raw) > 0 && raw[len(raw)-1] == '\r' {
		raw = raw[:len(raw)-1]
	}
	for {
		i := bytes.IndexByte(raw, '\r')
		if i < 0 {
			p.piece(raw)
			return
		}
		if len(bytes.TrimSpace(raw[:i])) > 0 {
			p.piece(raw[:i])
		}
		raw = raw[i+1:]
	}
}

// mark is the byte order mark, with which some programs begin a text.
const mark = "\xef\xbb\xbf"

// plainLine reads a line of text alone, block[from:end].
func (p *Parser) plainLine(from, end int) {
	b := p.lines
	p.n++
	if p.n == 1 && bytes.HasPrefix(b.block[from:end], []byte(mark)) {
		from += len(mark)
	}
	e := p.env.strip(b.block[from:end])
	if p.isNotable(&e) {
		b.note(&e, p)
		return
	}
	b.plain = append(b.plain, plainLine{int32(end - len(e.text)), int32(end), int32(p.n - b.first)})
}

// piece reads a line, or what a progress bar showed. The text's memory is used again for a later line.
func (p *Parser) piece(raw []byte) {
	b := p.lines
	begun := len(b.kept)
	b.kept = stripEscapes(b.kept, raw)
	e := p.env.strip(b.kept[begun:])
	if p.isNotable(&e) {
		b.note(&e, p)
		return
	}
	b.plain = append(b.plain, plainLine{int32(-1 - len(b.kept) + len(e.text)), int32(len(b.kept)), int32(p.n - b.first)})
}

// isNotable finds the line's triggers and reports whether a format may read it.
func (p *Parser) isNotable(e *enveloped) bool {
	t, m := p.scan.triggers, &p.lines.formats
	t.scan(clip(e.text), m)
	return !m.empty() || e.lane != "" || e.level != "" || t.startsDocument(e.text) || len(e.text) > MaxLine
}
