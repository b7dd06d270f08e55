package redact

import (
	"bytes"
	"iter"
	"strings"
)

// Terminals, mail programs and editors break long lines, and log viewers put times and names before each line. So
// the scan also finds secrets that continue on the next line.

// maxPieces is the max number of lines into which a wrapped value is broken.
const maxPieces = 64

// lineMark has the bytes that may follow a piece of a wrapped value: blanks, continuation marks, the bars of tables,
// and line ends.
var lineMark = bytesOf(lineMarks)

const lineMarks = "\r\n\\=^` \t|│┃║"

// tableBars are the bars at the beginning and the end of a line in a table.
const tableBars = "|│┃║"

// wrapped records a needle that begins at text[i] and continues on the next lines. The group has the needles of the
// index that begin with the gram at text[i:]. wrapped reports whether it needs more text.
func (s *scan) wrapped(i int, x *index, g group) (more bool) {
	if len(s.text) > i+gramSize && !lineMark[s.text[i+gramSize]] &&
		!x.continues(g, s.text[i:i+gramSize+1]) {
		return false
	}
	var joined []byte
	var pieces []span
	for at := i; len(pieces) < maxPieces; {
		rest := s.text[at:min(len(s.text), at+longestNeedle+gramSize)]
		end := bytes.IndexByte(rest, '\n')
		if end < 0 {
			return !s.final && at+len(rest) == len(s.text) && x.mayBreak(g, joined, rest)
		}
		piece, ok := x.piece(g, joined, rest[:end])
		if !ok {
			return false
		}
		joined = append(joined, piece...)
		pieces = append(pieces, span{i, at, at + len(piece)})
		next, unknown := s.below(at+end+1, x, g, joined)
		if next < 0 {
			return unknown && !s.final
		}
		at = next
		rest = s.text[at:min(len(s.text), at+longestNeedle+gramSize-len(joined))]
		whole, longer := x.at(append(joined[:len(joined):len(joined)], rest...), g)
		if longer && !s.final {
			return true
		}
		if whole >= 0 && x.needles[whole].head == "" && len(x.needles[whole].text) > len(joined) {
			s.spans = append(append(s.spans, pieces...), span{i, at, at + len(x.needles[whole].text) - len(joined)})
			return false
		}
	}
	return false
}

// piece returns the piece of a wrapped needle in a line. The argument joined has the pieces in the earlier lines.
// The piece is the whole line, or the line without blanks, continuation marks or table bars at its end. The second
// result is false if the line does not continue a needle.
func (x *index) piece(g group, joined, line []byte) ([]byte, bool) {
	line = bytes.TrimSuffix(line, []byte("\r"))
	marked := bytes.TrimRight(line, "\\=^`")
	if end := bytes.TrimRight(line, " \t"); len(marked) == len(line) {
		marked = bytes.TrimRight(end, tableBars)
		if len(marked) == len(end) {
			marked = line
		}
	}
	for _, piece := range [][]byte{line, marked, bytes.TrimRight(marked, " \t")} {
		if len(piece) > 0 && x.continues(g, append(joined[:len(joined):len(joined)], piece...)) {
			return piece, true
		}
	}
	return nil, false
}

// maxCell is the max number of bytes between the end of a piece of a wrapped value and the end of the line.
const maxCell = 120

// mayBreak reports whether an unfinished line may end with a piece of a wrapped needle and bytes of lineMarks. The
// argument joined has the pieces in the earlier lines.
func (x *index) mayBreak(g group, joined, text []byte) bool {
	piece := bytes.TrimRight(text, lineMarks)
	return len(piece) > 0 && len(piece) < len(text) && len(text)-len(piece) <= maxCell &&
		x.continues(g, append(joined[:len(joined):len(joined)], piece...))
}

// below returns the index at which a wrapped needle continues in the line that begins at text[from], or -1 for none.
// The argument joined has the pieces in the earlier lines. unknown is true if the line is too short for the decision.
func (s *scan) below(from int, x *index, g group, joined []byte) (at int, unknown bool) {
	line := s.text[from:min(len(s.text), from+maxPast)]
	whole := s.final || len(line) == maxPast
	if end := bytes.IndexByte(line, '\n'); end >= 0 {
		line, whole = line[:end], true
	}
	above := s.before(from)
	above = above[bytes.LastIndexByte(above[:max(0, len(above)-1)], '\n')+1:]
	for n := range marginsBelow(above, line) {
		next := line[n:]
		next = next[:min(len(next), gramSize)]
		if len(next) == 0 && !whole {
			return -1, true
		}
		for k := len(next); k > 0; k-- { // the value may end within the next bytes
			if x.begun(g, joined, next[:k], k == len(next)) {
				return from + n, false
			}
		}
	}
	return -1, !whole
}

// begun reports whether joined and next together are a needle of a group. If isPrefix is set, they may also be the
// beginning of a longer needle.
func (x *index) begun(g group, joined, next []byte, isPrefix bool) bool {
	text := append(joined[:len(joined):len(joined)], next...)
	if isPrefix && x.continues(g, text) {
		return true
	}
	n, _ := x.at(text, g)
	return n >= 0 && len(x.needles[n].text) == len(text)
}

// headless reports whether the needle n at text[i:] is the end of a broken value. Then the line before ends with
// n.head, and text[i:] begins its line, apart from a prefix of the log (see margins).
func (s *scan) headless(i int, n *needle) bool {
	before := s.before(i)
	if bytes.IndexByte(before, '\x1b') >= 0 { // colours, or a command to erase the rest of the line
		var seen view
		seen.strip(before, false, true)
		before = seen.text
	}
	line := bytes.LastIndexByte(before, '\n')
	if line < 0 || !bytes.HasSuffix(bytes.TrimRight(before[:line], "\r\t \\="+tableBars), []byte(n.head)) {
		return false
	}
	margin := len(before) - line - 1
	above := before[bytes.LastIndexByte(before[:line], '\n')+1 : line]
	for m := range marginsBelow(above, append(before[line+1:len(before):len(before)], n.text...)) {
		if m == margin {
			return true
		}
	}
	return false
}

// margins returns the possible indexes at which the message of a line begins: 0, and the ends of the blanks and
// prefixes that CI systems, containers and people put before it, such as 2 for "> hello".
func margins(line []byte) iter.Seq[int] {
	return func(yield func(int) bool) {
		at := 0
		for range maxMargins {
			if !yield(at) {
				return
			}
			n := margin(line[at:])
			if n == 0 {
				return
			}
			at += n
		}
		yield(at)
	}
}

// marginsOfDiff returns the indexes that margins returns. For a line of a diff, such as +VALUE, it also returns the
// indexes that margins finds after the + or -.
func marginsOfDiff(line []byte) iter.Seq[int] {
	return func(yield func(int) bool) {
		for n := range margins(line) {
			if !yield(n) {
				return
			}
		}
		if len(line) == 0 || line[0] != '+' && line[0] != '-' {
			return
		}
		for n := range margins(line[1:]) {
			if !yield(n + 1) {
				return
			}
		}
	}
}

// marginsBelow returns the indexes that marginsOfDiff returns. It also returns the end of the prefix that the line
// shares with the previous line, such as a time, a host and the name of a program. The digits in the two prefixes may
// differ.
func marginsBelow(previous, line []byte) iter.Seq[int] {
	return func(yield func(int) bool) {
		for n := range marginsOfDiff(line) {
			if !yield(n) {
				return
			}
		}
		isNumber := func(c byte) bool { return c >= '0' && c <= '9' || c == '.' }
		shared := 0
		for i := range min(len(previous), len(line)) {
			if previous[i] != line[i] && !(isNumber(previous[i]) && isNumber(line[i])) {
				break
			}
			if line[i] == ' ' || line[i] == '\t' {
				shared = i + 1
			}
		}
		if shared > 0 {
			yield(shared)
		}
	}
}

// maxMargins is the max number of prefixes before the message of a line.
const maxMargins = 4

// margin returns the length of the first prefix before the message of a line, or 0 for none.
func margin(line []byte) int {
	blank := len(line) - len(bytes.TrimLeft(line, " \t"))
	if blank > 0 || len(line) == 0 {
		return blank
	}
	word := bytes.IndexAny(line, " \t")
	if word < 0 {
		word = len(line)
	}
	head := line[:word]
	behind := word + len(line[word:]) - len(bytes.TrimLeft(line[word:], " \t"))
	switch c := head[0]; {
	case len(head) == 1 && strings.IndexByte("|><+#*-:$E;!?%", c) >= 0, bytes.Equal(head, []byte("//")),
		bytes.Equal(head, []byte("++")), bytes.Equal(head, []byte("--")), isTableBar(head):
		return behind
	case c == '#' && digits(head[1:]) == len(head)-1: // BuildKit: #12 3.456
		rest := line[behind:]
		n := digits(rest)
		if n > 0 && n < len(rest) && rest[n] == ' ' && bytes.IndexByte(rest[:n], '.') > 0 {
			return behind + n + 1
		}
		return behind
	case len(head) >= 20 && head[4] == '-' && head[10] == 'T' && head[13] == ':': // a time
		return behind
	case len(head) >= 8 && head[2] == ':' && head[5] == ':' && digits(head[:2]) == 2:
		return behind
	case c == '[' && bytes.IndexByte(line, ']') > 0:
		end := bytes.IndexByte(line, ']') + 1
		return end + len(line[end:]) - len(bytes.TrimLeft(line[end:], " \t"))
	case c == '"' || c == '\'':
		return 1
	case hasTail(head, "|"): // nodejs|
		return behind
	}
	if rest := line[behind:]; len(rest) > 1 && rest[0] == '|' && rest[1] == ' ' { // docker-compose: web-1  |
		return behind + 2
	}
	return 0
}

// isTableBar reports whether a word is a bar of a table.
func isTableBar(word []byte) bool {
	return len(word) == len("│") && len(bytes.Trim(word, tableBars)) == 0
}

// digits returns the number of digits and dots at the beginning of b.
//
//go:noinline
func digits(b []byte) int {
	n := 0
	for n < len(b) && (b[n] >= '0' && b[n] <= '9' || b[n] == '.') {
		n++
	}
	return n
}
