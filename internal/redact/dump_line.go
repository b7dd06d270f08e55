package redact

import (
	"bytes"
	"math/bits"
)

// isDumpLine reports whether a line may be followed by more of a dump.
func (s *scan) isDumpLine(line []byte) bool {
	if !endsInNumber(line) && !isOffset(line) && offsetMargin(line) == 0 {
		return false
	}
	d := &s.room().line
	d.read(line, true)
	for _, r := range d.best {
		if n := r.to - r.from; n > 0 && (d.offset || n == len(d.list) || n >= minDump && r.to == len(d.list)) {
			return true
		}
	}
	return len(d.list) == 0 && len(bytes.TrimSpace(line)) == 0
}

// endsInNumber reports whether the last word of a line may be a number. A line without words counts as well.
func endsInNumber(line []byte) bool {
	to := len(line)
	for to > 0 && !alnum[line[to-1]] {
		to--
	}
	for from := to; from > 0 && alnum[line[from-1]]; from-- {
		if c := line[from-1]; !numberByte[c] && c|0x20 != 'u' {
			return false
		}
	}
	return true
}

// lineTimes finds the times that lines begin with, as the logs of GitHub have them. Their numbers are no dump.
type lineTimes struct{ from, to int } // the one that was found last

// has reports whether the eight bytes at i are in a time.
func (t *lineTimes) has(text []byte, i int) bool {
	if i >= t.to {
		const form = len("2006-01-02T15:04:05")
		line := bytes.LastIndexByte(text[max(0, i-2*form):i], '\n') + 1 + max(0, i-2*form)
		if head := text[line:]; i-line > form || len(head) < 2*form || head[4] != '-' || head[10] != 'T' || head[13] != ':' {
			return false
		}
		t.from, t.to = line, line+form
		for t.to < len(text) && (text[t.to] == '.' || text[t.to] >= '0' && text[t.to] <= '9') {
			t.to++
		}
		if t.to == len(text) || text[t.to] != 'Z' {
			t.to = 0
		}
	}
	return i >= t.from && i+8 <= t.to
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
		for styles := n.styles; styles != 0; styles &= styles - 1 {
			style := bits.TrailingZeros8(styles)
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
	for m := range margins(line) {
		if m > 0 && isOffset(line[m:]) {
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
