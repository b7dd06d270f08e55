package redact

import (
	"bytes"
	"strconv"
	"unicode/utf8"
)

// maxColumn is the max column of a line of the screen.
const maxColumn = 4 << 10

// moves reports whether a text moves the cursor within a line.
func moves(raw []byte) bool {
	for i, c := range raw {
		switch {
		case c == '\b':
			return true
		case c == '\r' && i+1 < len(raw) && raw[i+1] != '\n':
			return true
		case c == '\x1b':
			if n, more := sequence(raw[i:], true); !more && n > 2 && bytes.IndexByte([]byte("CDG`P"), raw[i+n-1]) >= 0 {
				return true
			}
		}
	}
	return false
}

// cell is one character on the screen.
type cell struct{ pos, end int } // end is 0 for a blank

// screen returns the lines as a terminal shows them in the end, where a character replaces the one
// that was in its place.
func screen(raw []byte, final bool) view {
	var v view
	var line []cell
	column := 0
	put := func(pos, end int) {
		for len(line) <= column {
			line = append(line, cell{pos: pos})
		}
		line[column] = cell{pos, end}
		column = min(column+1, maxColumn)
	}
	flush := func() {
		for _, c := range line {
			if c.end == 0 {
				v.add(' ', c.pos, c.pos)
			} else {
				v.addAll(raw[c.pos:c.end], c.pos, c.end)
			}
		}
		line, column = line[:0], 0
	}
	for i := 0; i < len(raw); {
		switch c := raw[i]; {
		case c == '\n':
			flush()
			v.add(c, i, i+1)
			i++
		case c == '\r':
			column = 0
			i++
		case c == '\b':
			column = max(0, column-1)
			i++
		case c == '\x1b':
			n, _ := sequence(raw[i:], final)
			line, column = control(line, column, raw[i:i+max(1, n)])
			i += max(1, n)
		case c < ' ' && c != '\t' || c == 0x7f:
			i++
		default:
			r, n := utf8.DecodeRune(raw[i:])
			if c < utf8.RuneSelf || !(r == utf8.RuneError && n == 1 || unseen(r)) {
				put(i, i+n)
			}
			i += n
		}
	}
	flush()
	return v
}

// control obeys a sequence that moves the cursor or deletes characters of the line.
func control(line []cell, column int, sequence []byte) ([]cell, int) {
	if len(sequence) < 3 || sequence[1] != '[' {
		return line, column
	}
	n, err := strconv.Atoi(string(sequence[2 : len(sequence)-1]))
	if sequence[len(sequence)-1] == 'K' && n == 0 { // erases what follows the cursor
		return line[:min(column, len(line))], column
	}
	if err != nil || n < 1 {
		n = 1
	}
	n = min(n, maxColumn)
	switch sequence[len(sequence)-1] {
	case 'C':
		column = min(column+n, maxColumn)
	case 'D':
		column = max(0, column-n)
	case 'G', '`':
		column = n - 1
	case 'P':
		if column < len(line) {
			line = append(line[:column], line[min(len(line), column+n):]...)
		}
	}
	return line, column
}
