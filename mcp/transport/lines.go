package transport

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// line is a line of input, or what is left of one that was too long.
type line struct {
	text []byte
	long bool
}

// readLines passes on the lines of in that hold anything, until it ends or
// quit is closed. Of lines that are too long only the fact is kept.
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
