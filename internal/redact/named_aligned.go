package redact

import (
	"bytes"
	"strings"
)

// readAligned reads the values in the column below a name. The name is in the head of a table whose columns are aligned
// with blanks, as kubectl and many other programs print it. The name ends before n.text[end]. readAligned reports
// whether it needs more text.
func (n *named) readAligned(end int) (more bool) {
	text := n.text[end:min(len(n.text), end+maxTable)]
	final := n.final || len(text) == maxTable
	if n.quoted || isPlural(n.name) || strings.Contains(n.name, ".") || !n.sure() {
		return false
	}
	left := n.left[bytes.LastIndexByte(n.left, '\n')+1:]
	line, _ := lineEnd(text)
	if line < 0 {
		return !final && len(text) < maxWord && isAlignedHead(left)
	}
	name := n.name
	if n.prefix != "" {
		name = n.prefix[:len(n.prefix)-1] + " " + name[len(n.prefix):]
	}
	title := append(append(bytes.Clone(left), name...), bytes.TrimRight(text[:line], "\r ")...)
	from := len(left)
	to := from + cellLen(title[from:])
	if from > 0 && !hasTail(title[:from], "  ") || bytes.Count(title[from:to], []byte(" ")) > 1 ||
		to == len(title) && len(bytes.TrimSpace(left)) == 0 || !isAlignedHead(title) {
		return false
	}
	at := line + 1
	for row := range bytes.Lines(text[at:]) {
		if row[len(row)-1] != '\n' && !final {
			return true
		}
		body := bytes.TrimRight(row, " \r\n")
		first, last, fits := alignedCell(body, from, to)
		if len(body) == 0 || !fits && !isRule(row) {
			return false
		}
		if v := string(body[first:last]); isGiven(v) && !isRule(row) && !strings.ContainsAny(v, "()[]{}<>,;`\"'") {
			n.cells = append(n.cells, span{end + at + first, end + at + first, end + at + last})
		}
		at += len(row)
	}
	return !final
}

// cellLen returns the length of the cell at the beginning of a text. A cell ends before two blanks.
func cellLen(text []byte) int {
	if i := indexOf(text, "  "); i >= 0 {
		return i
	}
	return len(text)
}

// isAlignedHead reports whether a text may be the head of an aligned table: cells with one or two words that are
// names.
func isAlignedHead(text []byte) bool {
	for cell := range bytes.SplitSeq(text, []byte("  ")) {
		cell = bytes.TrimSpace(cell)
		if bytes.Count(cell, []byte(" ")) > 1 || isGiven(string(cell)) && hasDigit(string(cell)) ||
			len(cell) > 0 && (cell[0] >= '0' && cell[0] <= '9' || cell[0] == '-' && !isRule(cell)) {
			return false
		}
		for _, c := range cell {
			if !nameBytes[c] && strings.IndexByte(" ()/#%", c) < 0 {
				return false
			}
		}
	}
	return true
}

// alignedCell returns the range of a word in a row of an aligned table. The title of the column is at [from:to] of the
// head, and the word must begin at row[from] or end before row[to]. If there is no such word, the range is empty, and
// fits reports whether row[from] is blank.
func alignedCell(row []byte, from, to int) (first, last int, fits bool) {
	isBlank := func(at int) bool { return at < 0 || at >= len(row) || row[at] == ' ' }
	switch {
	case !isBlank(from) && isBlank(from-1):
		for first, last = from, from; !isBlank(last); last++ {
		}
		return first, last, true
	case !isBlank(to-1) && isBlank(to):
		for first, last = to-1, to; !isBlank(first - 1); first-- {
		}
		return first, last, true
	}
	return 0, 0, isBlank(from)
}
