package parse

// batch is a block of the log with its lines. Most lines are plain: text that
// no format has a literal in. Those are kept as small as that.
type batch struct {
	block   []byte // the bytes that were read
	kept    []byte // texts of lines that are not in block as they are
	first   int    // number of the line before the first one
	plain   []plainLine
	notable []notableLine
	formats mask // of the line that is being read
}

// plainLine is where the text of a line is: in block[from:to], or in kept[-1-from:to].
type plainLine struct {
	from, to int32
	n        int32 // number of the line, counted from the batch's first
}

// ready is a line with what the formats need to know before they see it.
type ready struct {
	enveloped
	formats mask // that have a literal in it
	n       int
}

// notableLine is a line that a format may read, with the number of plain lines before it.
type notableLine struct {
	ready
	after int
}

// note keeps a line that a format may read.
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

// maxKept is how many bytes of texts a batch holds on to.
const maxKept = 1 << 20

// reset makes room for the next block.
func (b *batch) reset() {
	b.kept, b.plain, b.notable = b.kept[:0], b.plain[:0], b.notable[:0]
	if cap(b.kept) > maxKept {
		b.kept = nil
	}
}

// give hands the lines on in their order.
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

// givePlain hands on lines that no format has a literal in. Only an open block or document wants to see all of them.
func (b *batch) givePlain(s *Scan, lines []plainLine) {
	for i, l := range lines {
		if s.idle() {
			b.skip(s, lines[i:])
			return
		}
		s.line(&ready{enveloped: enveloped{text: b.text(l)}, n: b.first + int(l.n)})
	}
}

// skip skips lines that nobody reads. The last ones may be the step's last words.
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
