package redact

import (
	"bytes"
	"strconv"
	"unicode/utf8"
)

// maxColumn is the max width of a line on the screen.
const maxColumn = 4 << 10

// moves reports whether a text moves the cursor within a line.
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

// isMove has the final bytes of sequences that move the cursor, or that move the text after the cursor.
var isMove = bytesOf("CDG`P")

// screenRun is a run of cells. Either the cells are blank, or each cell shows one byte of the raw text, or the cells
// together show one wide character.
type screenRun struct {
	cells    int
	pos, end int // the bytes in the raw text; end is 0 for blanks
}

// head returns the first cells of a run.
func (r screenRun) head(n int) screenRun {
	if r.cells == r.end-r.pos {
		r.end = r.pos + n
	}
	r.cells = n
	return r
}

// behind returns a run of cells without its first n cells.
func (r screenRun) behind(n int) screenRun {
	if r.cells == r.end-r.pos {
		r.pos += n
	}
	r.cells -= n
	return r
}

// screenLine is a line of the screen.
type screenLine struct {
	runs   []screenRun
	next   []screenRun // memory for the changed runs
	width  int         // number of cells
	column int         // column of the cursor
}

func (l *screenLine) clear() { l.runs, l.width, l.column = l.runs[:0], 0, 0 }

// replace replaces cells with runs. The replaced cells may be after the end of the line.
func (l *screenLine) replace(column, cells int, by ...screenRun) {
	l.next = l.next[:0]
	at := 0
	for _, r := range l.runs {
		if at < column {
			l.next = append(l.next, r.head(min(r.cells, column-at)))
		}
		if at += r.cells; at >= column {
			break
		}
	}
	l.next = append(l.next, by...)
	at = 0
	for _, r := range l.runs {
		if skip := max(0, column+cells-at); skip < r.cells {
			l.next = append(l.next, r.behind(skip))
		}
		at += r.cells
	}
	l.runs, l.next = l.next, l.runs
	l.width = 0
	for _, r := range l.runs {
		l.width += r.cells
	}
}

// put writes cells at the cursor.
func (l *screenLine) put(r screenRun) {
	if l.column > l.width {
		l.replace(l.width, 0, screenRun{cells: l.column - l.width, pos: r.pos})
	}
	if n := maxColumn - l.column; n < r.cells { // the last cell stays in the last column
		if n > 0 {
			l.put(r.head(n))
		}
		r = r.behind(r.cells - 1)
	}
	if l.column == l.width {
		l.runs = append(l.runs, r)
		l.width += r.cells
	} else {
		l.replace(l.column, r.cells, r)
	}
	l.column = min(l.column+r.cells, maxColumn)
}

// addLine adds a line of the screen to the view, and empties the line.
func (v *view) addLine(raw []byte, line *screenLine) {
	for _, r := range line.runs {
		switch {
		case r.end == 0:
			for range r.cells {
				v.add(' ', r.pos, r.pos)
			}
		case r.cells == r.end-r.pos:
			v.copy(raw[r.pos:r.end], r.pos)
		default:
			v.addAll(raw[r.pos:r.end], r.pos, r.end)
		}
	}
	line.clear()
}

// screen fills the view with the lines that a terminal shows in the end. Characters may replace earlier characters on a
// terminal. line is working memory.
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
			if line.width == 0 && line.column == 0 {
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
			line.put(screenRun{i - from, from, i})
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
				line.put(screenRun{1, i, i + n})
			}
			i += n
		}
	}
	v.addLine(raw, line)
}

// shownLine returns the length of a line that is displayed unchanged. It returns 0 for other lines.
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
		if l.column < l.width {
			l.replace(l.column, l.width)
		}
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
		if l.column < l.width {
			l.replace(l.column, n)
		}
	}
}
