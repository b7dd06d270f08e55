package parse

import (
	"io"

	"github.com/blq-ci/blq/store"
)

const blockSize = 256 << 10

// Read parses a whole log from a reader. It calls emit with each event, as a Parser does. If the reader returns an
// error, Read returns this error, and all events before the error are valid. exitCode is the exit code of the log's
// command, nil if it is unknown.
func Read(in io.Reader, exitCode *int, opts Options, emit func(store.Event)) error {
	p := New(opts, emit)
	buf := make([]byte, blockSize)
	for {
		n, err := io.ReadFull(in, buf)
		p.Write(buf[:n])
		switch err {
		case nil:
			continue
		case io.EOF, io.ErrUnexpectedEOF:
			err = nil
		}
		p.Finish(exitCode)
		return err
	}
}
