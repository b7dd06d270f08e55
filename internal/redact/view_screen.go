package redact

import (
	"bytes"
	"slices"
	"strconv"
	"unicode/utf8"
)

// maxColumn is the max width of a line on the screen.
const maxColumn = 4 << 10

// moves reports whether a text has control characters or sequences that move the cursor, or text, within a line.
func moves(raw []byte) bool {
	if bytes.IndexByte(raw, '\b') >= 0 {
		return true
	}
	for rest := raw; ; {
		i := bytes.IndexByte(rest, '\r')
		if i < 0 || i+1 == len(rest) {
			break
		}
		if rest = rest[i+1:]; rest[0] != '\n' {
			return true
		}
	}
	for at := 0; ; at++ {
		i := bytes.IndexByte(raw[at:], '\x1b')
		if i < 0 {
			return false
		}
		at += i
		if n, more := sequence(raw[at:], true); !more && n > 2 && isMove[raw[at+n-1]] {
			return true
		}
	}
}

// isMove has the final bytes of escape sequences that move the cursor, or the text after the cursor.
var isMove = bytesOf("CDG`P")

// screenCell is a cell of the screen. It shows one byte or one wide character of the raw text, or is blank.
type screenCell struct{ pos, end int32 } // end is 0 for a blank

// screenLine is a line of the screen. A cell is replaced in place, so a write at the beginning of a line takes no more
// time than a write at its end.
type screenLine struct {
	cells  []screenCell
	column int // column of the cursor
}

func (l *screenLine) clear() { l.cells, l.column = l.cells[:0], 0 }

// put writes a cell at the cursor, and moves the cursor. In the last column the cursor stays, so that put replaces the
// last cell.
func (l *screenLine) put(pos, end int) {
	l.fill(pos)
	cell := screenCell{int32(pos), int32(end)}
	if l.column == len(l.cells) {
		l.cells = append(l.cells, cell)
	} else {
		l.cells[l.column] = cell
	}
	l.column = min(l.column+1, maxColumn)
}

// fill adds blanks up to the cursor. The blanks represent no byte. Their position in the raw text is pos, which is
// the position of the text after them.
func (l *screenLine) fill(pos int) {
	for len(l.cells) < l.column {
		l.cells = append(l.cells, screenCell{pos: int32(pos)})
	}
}

// putAll writes raw[from:to], one byte in each cell. Of the bytes after the last column, it writes only the last
// one.
func (l *screenLine) putAll(from, to int) {
	l.fill(from)
	for ; from < to && l.column < maxColumn; from++ {
		l.put(from, from+1)
	}
	if from < to {
		l.put(to-1, to)
	}
}

// remove removes n cells at the cursor.
func (l *screenLine) remove(n int) {
	if l.column < len(l.cells) {
		l.cells = slices.Delete(l.cells, l.column, min(l.column+n, len(l.cells)))
	}
}

// addLine adds a line of the screen to the view, and empties the line.
func (v *view) addLine(raw []byte, line *screenLine) {
	for i := 0; i < len(line.cells); i++ {
		c := line.cells[i]
		pos, end := int(c.pos), int(c.end)
		switch end {
		case 0:
			v.add(' ', pos, pos)
		case pos + 1:
			for i+1 < len(line.cells) && line.cells[i+1] == (screenCell{int32(end), int32(end + 1)}) {
				i, end = i+1, end+1
			}
			v.copy(raw[pos:end], pos)
		default:
			v.addAll(raw[pos:end], pos, end)
		}
	}
	line.clear()
}

// screen fills the view with the lines that a terminal shows after it has executed all control sequences. Characters
// may replace earlier characters of their line. The argument line is working memory.
func (v *view) screen(raw []byte, final bool, line *screenLine) {
	v.reset()
	line.clear()
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
			from := i
			for i < len(raw) && plainByte[raw[i]] && raw[i] != '\n' {
				i++
			}
			line.putAll(from, i)
		case c == '\r':
			line.column = 0
			i++
		case c == '\b':
			line.column = max(0, line.column-1)
			i++
		case c == '\x1b':
			n, _ := sequence(raw[i:], final)
			line.control(raw[i : i+max(1, n)])
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

// shownLine returns the length of the first line of a text if a terminal shows it unchanged, and 0 otherwise.
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

// control executes a sequence that moves the cursor or deletes characters of the line.
func (l *screenLine) control(sequence []byte) {
	if len(sequence) < 3 || sequence[1] != '[' {
		return
	}
	last := sequence[len(sequence)-1]
	if last != 'K' && !isMove[last] {
		return
	}
	n, err := strconv.Atoi(string(sequence[2 : len(sequence)-1]))
	if last == 'K' && n == 0 { // erases the rest of the line
		l.remove(len(l.cells))
		return
	}
	if err != nil || n < 1 {
		n = 1
	}
	n = min(n, maxColumn)
	switch last {
	case 'C':
		l.column = min(l.column+n, maxColumn)
	case 'D':
		l.column = max(0, l.column-n)
	case 'G', '`':
		l.column = n - 1
	case 'P':
		l.remove(n)
	}
}
