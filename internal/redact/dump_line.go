package redact

import (
	"bytes"
)

// isDumpLine reports whether a line may be followed by more of a dump.
func isDumpLine(line []byte) bool {
	var d dumpLine
	d.read(line, true)
	for _, r := range d.best {
		if n := r.to - r.from; n > 0 && (d.offset || n == len(d.list) || n >= minDump && r.to == len(d.list)) {
			return true
		}
	}
	return len(d.list) == 0 && len(bytes.TrimSpace(line)) == 0
}

// numberRun is a range of numbers in a line.
type numberRun struct{ from, to int }

// dumpLine is one line of a dump.
type dumpLine struct {
	list   []number
	best   [dumpStyles]numberRun // the longest run in each style
	offset bool                  // the line begins with an offset; characters may follow the numbers
}

// read reads a line. begins says that its beginning is known.
func (d *dumpLine) read(line []byte, begins bool) {
	d.list, d.best, d.offset = d.list[:0], [dumpStyles]numberRun{}, false
	var run [dumpStyles]numberRun
	var n number
	margin := 0
	if begins {
		margin = offsetMargin(line)
	}
	for at := margin; ; {
		gap, ok := n.next(line, at)
		if !ok {
			return
		}
		if at == margin {
			d.offset = begins && isOffset(line[n.from:])
			n.skip = n.skip || d.offset
		}
		gap = gap && !(d.offset && bytes.ContainsAny(line[at:n.from], "|>")) // characters follow
		at = n.to
		if n.skip {
			continue
		}
		i := len(d.list)
		d.list = append(d.list, n)
		for style := range dumpStyles {
			if n.styles>>style&1 == 0 {
				continue
			}
			if run[style].to != i || !gap {
				run[style].from = i
			}
			run[style].to = i + 1
			if run[style].to-run[style].from > d.best[style].to-d.best[style].from {
				d.best[style] = run[style]
			}
		}
	}
}

// offsetMargin returns the length of what stands before the offset of a line, as logs put it before each line, 0 where
// there is no offset behind it.
func offsetMargin(line []byte) int {
	if len(line) == 0 || isOffset(line) {
		return 0
	}
	for _, m := range margins(line)[1:] {
		if isOffset(line[m:]) {
			return m
		}
	}
	return 0
}

// isOffset reports whether a line begins with an offset: four or more digits, and then a colon and a blank, or numbers
// of another length.
func isOffset(line []byte) bool {
	n := 0
	for n < len(line) && (isHex(line[n]) || n == 1 && line[n] == 'x') {
		n++
	}
	if n < 4 || n == len(line) {
		return false
	}
	if bytes.HasPrefix(line[n:], []byte(": ")) {
		return true
	}
	next := bytes.TrimLeft(line[n:], " ")
	end := 0
	for end < len(next) && alnum[next[end]] {
		end++
	}
	if end >= 6 && len(bytes.Trim(next[:end], "01")) == 0 { // bits without leading zeros
		return false
	}
	return line[n] == ' ' && end > 0 && end != n && line[1] != 'x' || len(bytes.TrimSpace(next)) == 0
}
