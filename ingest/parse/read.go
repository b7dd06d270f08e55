package parse

import (
	"io"

	"github.com/blq-ci/blq/store"
)

const blockSize = 256 << 10

// Read parses a whole log from a reader, and calls emit with each event as a Parser does. A goroutine of its own
// finds lines and triggers ahead of the formats. Read returns the reader's error. Events that emit got before the
// error are valid. exitCode is the exit code of the log's command, nil if it is unknown.
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

// readAhead reads the log in blocks and sends the lines of each block to out.
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
