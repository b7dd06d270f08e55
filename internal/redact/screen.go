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

// screenLine is a line of the screen.
type screenLine struct {
	cells  []cell
	column int // of the cursor
}

// put puts raw[pos:end] where the cursor is.
func (l *screenLine) put(pos, end int) {
	for len(l.cells) <= l.column {
		l.cells = append(l.cells, cell{pos: pos})
	}
	l.cells[l.column] = cell{pos, end}
	l.column = min(l.column+1, maxColumn)
}

// addLine adds a line of the screen, and empties it.
func (v *view) addLine(raw []byte, line *screenLine) {
	for i := 0; i < len(line.cells); {
		c := line.cells[i]
		i++
		switch c.end {
		case 0:
			v.add(' ', c.pos, c.pos)
		case c.pos + 1:
			from := c.pos
			for i < len(line.cells) && line.cells[i] == (cell{c.end, c.end + 1}) {
				c = line.cells[i]
				i++
			}
			v.copy(raw[from:c.end], from)
		default:
			v.addAll(raw[c.pos:c.end], c.pos, c.end)
		}
	}
	line.cells, line.column = line.cells[:0], 0
}

// screen makes the view the lines as a terminal shows them in the end, where a character replaces the one
// that was in its place. line is memory to use.
func (v *view) screen(raw []byte, final bool, line *screenLine) {
	v.reset()
	line.cells, line.column = line.cells[:0], 0
	for i := 0; i < len(raw); {
		switch c := raw[i]; {
		case c == '\n':
			v.addLine(raw, line)
			v.copy(raw[i:i+1], i)
			i++
		case plainByte[c]:
			if len(line.cells) == 0 && line.column == 0 {
				if n := shownLine(raw[i:]); n > 0 {
					v.copy(raw[i:i+n], i)
					i += n
					break
				}
			}
			line.put(i, i+1)
			i++
		case c == '\r':
			line.column = 0
			i++
		case c == '\b':
			line.column = max(0, line.column-1)
			i++
		case c == '\x1b':
			n, _ := sequence(raw[i:], final)
			line.cells, line.column = control(line.cells, line.column, raw[i:i+max(1, n)])
			i += max(1, n)
		case c < utf8.RuneSelf:
			i++
		default:
			r, n := utf8.DecodeRune(raw[i:])
			if !(r == utf8.RuneError && n == 1 || unseen(r)) {
				line.put(i, i+n)
			}
			i += n
		}
	}
	v.addLine(raw, line)
}

// shownLine returns the length of a line that shows as it is, 0 for others.
func shownLine(text []byte) int {
	for i, c := range text[:min(len(text), maxColumn)] {
		if !plainByte[c] {
			return 0
		}
		if c == '\n' {
			return i
		}
	}
	return 0
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
