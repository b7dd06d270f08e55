package transport

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// line is a line of input, or the mark for a line that was too long.
type line struct {
	text []byte
	long bool
}

// readLines sends the lines of the input to a channel, but not empty lines. It returns at the end of the input, or
// when quit is closed. For a line with more than limit bytes, it sends only a mark.
func readLines(in io.Reader, limit int, lines chan<- line, quit <-chan struct{}) error {
	r := bufio.NewReaderSize(in, 64<<10)
	for {
		l, err := readLine(r, limit)
		if len(bytes.TrimSpace(l.text)) > 0 || l.long {
			select {
			case lines <- l:
			case <-quit:
				return nil
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
}

func readLine(r *bufio.Reader, limit int) (line, error) {
	var l line
	for {
		piece, err := r.ReadSlice('\n')
		if l.long = l.long || len(l.text)+len(piece) > limit; l.long {
			l.text = nil
		} else {
			l.text = append(l.text, piece...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return l, err
		}
	}
}
