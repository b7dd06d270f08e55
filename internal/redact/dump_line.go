package redact

import (
	"bytes"
	"math/bits"
)

// isDumpLine reports whether a line may belong to a dump of several lines.
func (s *scan) isDumpLine(line []byte) bool {
	if !endsInNumber(line) && !isOffset(line) && offsetMargin(line) == 0 {
		return false
	}
	d := &s.room().line
	d.read(line, true)
	for _, r := range d.best {
		if n := r.to - r.from; n > 0 && (d.offset || n == d.words || n >= minDump && d.list[r.to-1].word == d.words-1) {
			return true
		}
	}
	return d.words == 0 && len(bytes.TrimSpace(line)) == 0
}

// endsInNumber reports whether the last word of a line may be a number. It returns true for a line without words,
// too.
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

// lineTimes finds the times at the beginning of lines in GitHub's logs. The numbers of such a time are not a dump.
type lineTimes struct {
	from, to int // the time in the last examined line, if the line has one
	next     int // beginning of the next line
}

// has reports whether text[i:i+8] is part of a time. In successive calls, i must increase.
func (t *lineTimes) has(text []byte, i int) bool {
	for i >= t.next {
		t.from, t.to = t.next, t.next+timeLen(text[t.next:])
		end := bytes.IndexByte(text[t.next:], '\n')
		if t.next += end + 1; end < 0 {
			t.next = len(text)
		}
	}
	return i >= t.from && i+8 <= t.to
}

// timeLen returns the length of the time at the beginning of a line, without its Z, or 0 for none.
func timeLen(line []byte) int {
	const form = len("2006-01-02T15:04:05")
	if len(line) < 2*form || line[4] != '-' || line[10] != 'T' || line[13] != ':' {
		return 0
	}
	n := form
	for n < len(line) && (line[n] == '.' || line[n] >= '0' && line[n] <= '9') {
		n++
	}
	if n == len(line) || line[n] != 'Z' {
		return 0
	}
	return n
}

// numberRun is a range in dumpLine.list: numbers that are adjacent in the line.
type numberRun struct{ from, to int }

// dumpLine is one line of a dump.
type dumpLine struct {
	list   []number              // words that may be numbers
	words  int                   // number of words
	best   [dumpStyles]numberRun // the longest run in each style
	offset bool                  // the line begins with an offset; characters may follow the numbers
}

// read reads a line. begins is false if the beginning of the line is missing.
func (d *dumpLine) read(line []byte, begins bool) {
	d.list, d.words, d.best, d.offset = d.list[:0], 0, [dumpStyles]numberRun{}, false
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
		gap = gap && !(d.offset && bytes.ContainsAny(line[at:n.from], "|>")) // characters follow the numbers
		at = n.to
		if n.skip {
			continue
		}
		n.word = d.words
		if d.words++; n.styles == 0 {
			continue
		}
		i := len(d.list)
		gap = gap && i > 0 && d.list[i-1].word == n.word-1
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

// offsetMargin returns the length of a log's prefix before the offset of a dump line. In "web-1  | 00000010: 6b65", the
// prefix is "web-1  | ". It returns 0 if there is no such prefix or offset.
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

// isOffset reports whether a line begins with an offset of a dump. An offset has four or more hex digits. It is
// followed by a colon and a blank, by a word of another length, or by nothing but blanks and the end of the line.
func isOffset(line []byte) bool {
	n := 0
	for n < len(line) && (isHex(line[n]) || n == 1 && line[n] == 'x') {
		n++
	}
	if n < 4 || n == len(line) {
		return false
	}
	if hasHead(line[n:], ": ") || string(line[n:]) == ":" {
		return true
	}
	next := bytes.TrimLeft(line[n:], " ")
	end := 0
	for end < len(next) && alnum[next[end]] {
		end++
	}
	if end >= 6 && len(bytes.Trim(next[:end], "01")) == 0 { // binary numbers without leading zeros
		return false
	}
	return line[n] == ' ' && end > 0 && end != n && line[1] != 'x' || len(bytes.TrimSpace(next)) == 0
}
