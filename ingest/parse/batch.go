package parse

// batch is a block of the log with its lines. Most lines are plain: they contain no literal of a format. A plain
// line takes only the few bytes of a plainLine.
type batch struct {
	block   []byte // the bytes that were read
	kept    []byte // texts of lines that differ from their bytes in block
	first   int    // number of the last line before the batch
	plain   []plainLine
	notable []notableLine
	formats mask // formats that have a literal in the current line
}

// plainLine says where the text of a line is: in block[from:to], or in kept[-1-from:to] if from is negative.
type plainLine struct {
	from, to int32
	n        int32 // number of the line, relative to the batch's first
}

// ready is a line without its envelope. It also has the line's number and the formats that may read the line.
type ready struct {
	enveloped
	formats mask // formats that have a literal in the line
	n       int
}

// notableLine is a line that a format may read. The field after is the number of plain lines between
// this line and the notable line before it.
type notableLine struct {
	ready
	after int
}

// note adds a line that a format may read.
func (b *batch) note(e *enveloped, p *Parser) {
	b.notable = append(b.notable, notableLine{ready{*e, b.formats, p.n}, len(b.plain)})
}

// text returns the text of a plain line.
func (b *batch) text(l plainLine) []byte {
	if l.from < 0 {
		return b.kept[-1-l.from : l.to]
	}
	return b.block[l.from:l.to]
}

// maxKept is the max size in bytes of a text buffer that is used again.
const maxKept = 1 << 20

// reset makes room for the next block.
func (b *batch) reset() {
	b.kept, b.plain, b.notable = b.kept[:0], b.plain[:0], b.notable[:0]
	if cap(b.kept) > maxKept {
		b.kept = nil
	}
}

// give passes all lines to the scan in their order.
func (b *batch) give(s *Scan) {
	at := 0
	for i := range b.notable {
		l := &b.notable[i]
		b.givePlain(s, b.plain[at:l.after])
		at = l.after
		s.line(&l.ready)
	}
	b.givePlain(s, b.plain[at:])
	s.step.said.keep()
}

// givePlain passes plain lines to the scan. Only an open block, an open document or a listener needs every plain line.
func (b *batch) givePlain(s *Scan, lines []plainLine) {
	for i, l := range lines {
		if s.idle() {
			b.skip(s, lines[i:])
			return
		}
		s.line(&ready{enveloped: enveloped{text: b.text(l)}, n: b.first + int(l.n)})
	}
}

// skip counts lines that no format and no listener reads. It keeps the newest of these lines, because they may explain
// the failure of the step.
func (b *batch) skip(s *Scan, lines []plainLine) {
	last := lines[len(lines)-1]
	s.now = b.first + int(last.n)
	for _, l := range lines {
		if s.cur.passes.last == 0 {
			break
		}
		s.cur.passes.line(b.text(l), "")
	}
	from := len(lines)
	for words := 0; from > 0 && words <= keptLines; {
		from--
		if hasWord(b.text(lines[from])) {
			words++
		}
	}
	for _, l := range lines[from:] {
		s.step.words(b.text(l), b.first+int(l.n))
	}
}
