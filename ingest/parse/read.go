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
		b.reset()
		select {
		case spent <- b:
		default:
		}
	}
	p.scan.finish(exitCode)
	return failed
}

// readAhead reads the log block by block and sends the lines of each.
func (p *Parser) readAhead(in io.Reader, out chan<- *batch, spent <-chan *batch) error {
	for {
		var buf []byte
		select {
		case p.lines = <-spent:
			buf = p.lines.block[:blockSize]
		default:
			p.lines, buf = &batch{}, make([]byte, blockSize)
		}
		n, err := io.ReadFull(in, buf)
		p.read(buf[:n])
		if err != nil {
			p.endLine()
		}
		out <- p.lines
		switch err {
		case nil:
		case io.EOF, io.ErrUnexpectedEOF:
			return nil
		default:
			return err
		}
	}
}
