package markup

import "bytes"

// find looks for the first byte at or after the cursor that is not a space or tab.
func (s *blockScanner) find() {
	column, i := s.column, s.offset
	for ; i < len(s.line); i++ {
		if s.line[i] == ' ' {
			column++
		} else if s.line[i] == '\t' {
			column += 4 - column%4
		} else {
			break
		}
	}
	s.text, s.indent, s.blank = i, column-s.column, i == len(s.line)
}

// skipBlanks moves the cursor to the byte that find has found.
func (s *blockScanner) skipBlanks() {
	s.offset, s.column = s.text, s.column+s.indent
}

// advance moves the cursor over a number of columns. The cursor may stop inside of a tab.
func (s *blockScanner) advance(columns int) {
	for columns > 0 && s.offset < len(s.line) {
		if s.line[s.offset] != '\t' {
			s.offset, s.column, columns = s.offset+1, s.column+1, columns-1
			continue
		}
		tab := 4 - s.column%4
		step := min(tab, columns)
		s.column, columns = s.column+step, columns-step
		if step == tab {
			s.offset++
		}
	}
}

// quoteMarker moves the cursor over the > of a block quote. It reports whether there is such a marker.
func (s *blockScanner) quoteMarker() bool {
	if s.blank || s.indented() || s.line[s.text] != '>' {
		return false
	}
	s.skipBlanks()
	s.advance(1)
	if s.offset < len(s.line) && (s.line[s.offset] == ' ' || s.line[s.offset] == '\t') {
		s.advance(1)
	}
	return true
}

// atxHeading reads a heading that begins with number signs. ok reports whether there is such a heading.
func atxHeading(line []byte) (level int, text []byte, ok bool) {
	for level < len(line) && line[level] == '#' {
		level++
	}
	if level > 6 || level < len(line) && line[level] != ' ' && line[level] != '\t' {
		return 0, nil, false
	}
	text = bytes.Trim(line[level:], " \t")
	closed := bytes.TrimRight(text, "#")
	if len(closed) == 0 {
		return level, nil, true
	}
	if last := closed[len(closed)-1]; len(closed) < len(text) && (last == ' ' || last == '\t') {
		text = bytes.TrimRight(closed, " \t")
	}
	return level, text, true
}

// fenceLength returns the length of the fence at the beginning of a line, or 0 if the line begins no fenced code. The
// line must begin with ` or ~.
func fenceLength(line []byte) int {
	n := 0
	for n < len(line) && line[n] == line[0] {
		n++
	}
	if n < 3 || line[0] == '`' && bytes.IndexByte(line[n:], '`') >= 0 {
		return 0
	}
	return n
}

func closesFence(line []byte, fence byte, length int) bool {
	n := 0
	for n < len(line) && line[n] == fence {
		n++
	}
	return n >= length && len(bytes.Trim(line[n:], " \t")) == 0
}

func isThematicBreak(line []byte) bool {
	c, n := line[0], 0
	if c != '*' && c != '-' && c != '_' {
		return false
	}
	for _, b := range line {
		if b == c {
			n++
		} else if b != ' ' && b != '\t' {
			return false
		}
	}
	return n >= 3
}

// itemMarker returns the length of a list item's marker, or 0 if there is none.
func itemMarker(line []byte, inParagraph bool) int {
	n := 1
	switch {
	case line[0] == '*' || line[0] == '+' || line[0] == '-':
	case line[0] >= '0' && line[0] <= '9':
		for n < len(line) && line[n] >= '0' && line[n] <= '9' {
			n++
		}
		if n > 9 || n == len(line) || line[n] != '.' && line[n] != ')' || inParagraph && string(line[:n]) != "1" {
			return 0
		}
		n++
	default:
		return 0
	}
	if n < len(line) && line[n] != ' ' && line[n] != '\t' {
		return 0
	}
	if inParagraph && len(bytes.Trim(line[n:], " \t")) == 0 {
		return 0
	}
	return n
}
