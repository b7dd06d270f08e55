package parse

import (
	"io"

	"github.com/blq-ci/blq/store"
)

const blockSize = 256 << 10

// Read parses a whole log from a reader and hands each event to emit, as a
// Parser does. Lines and their triggers are found in a goroutine of their own,
// ahead of the formats. The error is that of reading; what came before it
// counts. exitCode is how the log's command ended, nil for unknown.
func Read(in io.Reader, exitCode *int, opts Options, emit func(store.Event)) error {
	p := New(opts, emit)
	batches := make(chan *batch, 2)
	spent := make(chan *batch, 4)
	var failed error
	go func() {
		defer close(batches)
		failed = p.readAhead(in, batches, spent)
	}()
	for b := range batches {
		b.give(p.scan)
		select {
		case spent <- b:
		default:
		}
	}
	p.scan.finish(exitCode)
	return failed
}

// batch is a block of the log with its lines. Most lines are plain: text that
// no format has a literal in. Those are kept as small as that.
type batch struct {
	block   []byte
	plain   []plainLine
	notable []notableLine
}

type plainLine struct {
	text []byte
	n    int
}

// notableLine is a line that a format may read, with the number of plain lines before it.
type notableLine struct {
	ready
	after int
}

// take keeps a line.
func (b *batch) take(l *ready) {
	text := l.text
	if l.reused {
		text = append([]byte(nil), text...)
	}
	if l.formats.empty() && l.lane == "" && l.level == "" {
		b.plain = append(b.plain, plainLine{text, l.n})
		return
	}
	b.notable = append(b.notable, notableLine{*l, len(b.plain)})
	b.notable[len(b.notable)-1].text = text
}

// give hands the lines on in their order.
func (b *batch) give(s *Scan) {
	var l ready
	at := 0
	plain := func(until int) {
		for ; at < until; at++ {
			l.text, l.n = b.plain[at].text, b.plain[at].n
			s.line(&l)
		}
	}
	for i := range b.notable {
		plain(b.notable[i].after)
		s.line(&b.notable[i].ready)
	}
	plain(len(b.plain))
}

// readAhead reads the log block by block and sends the lines of each.
func (p *Parser) readAhead(in io.Reader, out chan<- *batch, spent <-chan *batch) error {
	for {
		var b *batch
		select {
		case b = <-spent:
			b.plain, b.notable = b.plain[:0], b.notable[:0]
		default:
			b = &batch{block: make([]byte, blockSize)}
		}
		p.ahead = b.take
		n, err := io.ReadFull(in, b.block)
		p.Write(b.block[:n])
		if err != nil && len(p.partial) > 0 {
			p.line(p.partial, true)
			p.partial = nil
		}
		out <- b
		switch err {
		case nil:
		case io.EOF, io.ErrUnexpectedEOF:
			return nil
		default:
			return err
		}
	}
}
