// Package parse turns the output of build steps into events.
//
// A Parser reads raw bytes as they come. It removes the envelope of the CI system from each line. It offers lines
// that contain a trigger to the formats, and collects JSON and XML documents. At the end of each step it merges
// duplicate reports of a failure. Package formats has the formats of all known tools. This package may import
// internal/lazyregexp and store.
package parse

import (
	"bytes"

	"github.com/blq-ci/blq/store"
)

// These limits bound the memory for any input.
const (
	MaxLine     = 64 << 10 // bytes of a line that formats see
	MaxDocument = 32 << 20 // bytes of a JSON or XML document
	MaxPending  = 20000    // drafts of one step that may still be merged
	MaxBlock    = 5000     // consecutive lines that one block may take
	MaxLanes    = 64       // interleaved streams (of docker-compose or BuildKit)
)

// Options configure a Parser.
type Options struct {
	// Formats are the formats that read the lines. formats.All has all known ones.
	Formats *List
	// Root is the absolute directory of the repository. File names become relative to it. If it is empty, the usual
	// checkout directories of known CI systems are used.
	Root string
	// Dir is the absolute working directory of the command. If it is empty, Root is used.
	Dir string
	// GoModule is the Go module in which the command ran. It helps to find the files of packages. The zero GoModule
	// means that there is no module, or that the module is unknown.
	GoModule GoModule
	// Tree is the work tree in which file names are looked up. It may be nil.
	Tree Tree
	// WorkDirs are the directories in which the command works, absolute or relative to Dir. For example, "cd api &&
	// make" works in api. WorkDirs is empty if the command stays in Dir.
	WorkDirs []string
	// Matchers are the user's GitHub problem matchers. They are tried first.
	Matchers []ProblemMatcher
	// Tests is called with each test outcome of the log. It may be nil.
	Tests func(Result)
	// NoPatterns leaves out the patterns of events, for callers that only print events.
	NoPatterns bool
	// Strict is for tests of formats. If Strict is true, the parser does not recover from a panic of a format.
	// Otherwise a panic loses only the open block, the open document and the state of the format.
	Strict bool
}

// GoModule is a Go module and its directory.
type GoModule struct {
	Path string // module path in go.mod
	Dir  string // absolute directory
}

// Parser reads a log and returns its events. It never fails: it skips bytes that it cannot interpret. It is not safe
// for concurrent use.
type Parser struct {
	scan    *Scan
	env     envelope
	narrow  narrower
	partial []byte // the unfinished last line
	cut     bool   // the rest of the current line is dropped, because the line is too long
	n       int    // number of the last finished line
	lines   *batch // lines that have not been passed to scan yet
}

// New returns a parser that calls emit with each event. The events of a step come in the order of the log. The events
// of all steps are numbered together, from 1 on.
func New(opts Options, emit func(store.Event)) *Parser {
	return &Parser{scan: newScan(opts, emit), lines: &batch{}}
}

// Bytes parses a whole log. exitCode is the exit code of the log's command, nil if it is unknown.
func Bytes(log []byte, exitCode *int, opts Options) []store.Event {
	var events []store.Event
	p := New(opts, func(e store.Event) { events = append(events, e) })
	p.Write(log)
	p.Finish(exitCode)
	return events
}

// Write reads the next bytes of the log. It always accepts all of them.
func (p *Parser) Write(b []byte) (int, error) {
	for from := 0; from < len(b); from += blockSize {
		p.read(b[from:min(len(b), from+blockSize)])
		p.give()
	}
	return len(b), nil
}

// give passes the lines so far to the scan.
func (p *Parser) give() {
	p.lines.give(p.scan)
	p.lines.reset()
}

// read splits a block of the log into lines.
func (p *Parser) read(block []byte) {
	block = p.narrow.text(block)
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
		switch {
		case !marks.before(pos, end):
			p.plainLine(pos, end)
		case marks.escapes(end):
			p.line(block[pos:end])
		default:
			p.overwritten(pos, end)
		}
		pos = next
	}
}

// finder finds escape sequences, backspaces and carriage returns. It searches buf only once for each of the three,
// even if lines are short.
type finder struct {
	buf   []byte
	next  [3]int // the next position of each of specials, as far as known
	first int    // the smallest of next
}

var specials = [3]byte{'\x1b', '\b', '\r'}

func newFinder(buf []byte) finder { return finder{buf, [3]int{-1, -1, -1}, -1} }

// before reports whether buf[from:to] contains one of the special bytes.
func (f *finder) before(from, to int) bool {
	if f.first < from {
		f.look(from)
	}
	return f.first < to
}

// escapes reports whether buf[from:end] contains an escape sequence or a backspace. The caller must first call
// before(from, end).
func (f *finder) escapes(end int) bool { return f.next[0] < end || f.next[1] < end }

// look searches buf from a position on, and records the next place of each special byte.
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

// keep appends to the unfinished line. The line is cut at MaxLine bytes, or at MaxDocument bytes if it may be a
// document.
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

// Finish ends the log. It closes open blocks and settles the last step. exitCode is the exit code of the command, nil
// if it is unknown.
func (p *Parser) Finish(exitCode *int) {
	p.endLine()
	p.give()
	p.scan.finish(exitCode)
}

// endLine reads the last line, which has no line end.
func (p *Parser) endLine() {
	if rest := p.narrow.rest; len(rest) > 0 {
		p.keep(p.narrow.append(nil, rest))
		p.narrow.rest = nil
	}
	if len(p.partial) > 0 {
		p.line(p.partial)
		p.partial = nil
	}
}

// line reads one line of the raw log. The texts of a progress bar are separated by carriage returns, because each text
// overwrites the text before. Each of these texts is read as a piece.
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

// mark is the byte order mark. Some programs print it at the beginning of their output.
const mark = "\xef\xbb\xbf"

// plainLine reads the line block[from:end], which has no escape sequences, backspaces or carriage returns.
func (p *Parser) plainLine(from, end int) { p.plainPiece(p.begin(from, end), end) }

// begin begins the line block[from:end], and returns the offset of its text.
func (p *Parser) begin(from, end int) int {
	p.n++
	if p.n == 1 && bytes.HasPrefix(p.lines.block[from:end], []byte(mark)) {
		from += len(mark)
	}
	return from
}

// overwritten reads the line block[from:end], which has carriage returns, but no escape sequences and no backspaces. It
// is like line, but does not copy the texts.
func (p *Parser) overwritten(from, end int) {
	block := p.lines.block
	from = p.begin(from, end)
	for end > from && block[end-1] == '\r' {
		end--
	}
	for {
		i := bytes.IndexByte(block[from:end], '\r')
		if i < 0 {
			p.plainPiece(from, end)
			return
		}
		if len(bytes.TrimSpace(block[from:from+i])) > 0 {
			p.plainPiece(from, from+i)
		}
		from += i + 1
	}
}

// plainPiece reads the text block[from:end] of the current line. The text has no escape sequences, backspaces or
// carriage returns.
func (p *Parser) plainPiece(from, end int) {
	b := p.lines
	e := p.env.strip(b.block[from:end])
	if p.isNotable(&e) {
		b.note(&e, p)
		return
	}
	b.plain = append(b.plain, plainLine{int32(end - len(e.text)), int32(end), int32(p.n - b.first)})
}

// piece reads a line, or one text of a progress bar. It copies the text into a buffer that the next block reuses.
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

// isNotable reports whether a format may read a line, and records the formats whose triggers occur in the line.
func (p *Parser) isNotable(e *enveloped) bool {
	t, m := p.scan.triggers, &p.lines.formats
	t.scan(clip(e.text), m)
	return !m.empty() || e.lane != "" || e.level != "" || t.startsDocument(e.text) || len(e.text) > MaxLine
}
