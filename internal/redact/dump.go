package redact

import (
	"bytes"
	"encoding/binary"
)

// Programs dump bytes as numbers: 68 75 6e, [104, 117, 110], 0150 0165. Some dumps also have columns with offsets
// and with the characters. The scan decodes the numbers, and searches the result.

// dumps searches the parts of the text that may be dumps of bytes. It returns how many bytes need not be searched
// again, at most the parameter settled.
func (s *scan) dumps(settled int) int {
	numbers, spelled := 0, 0 // ends of the ranges that were searched
	var times lineTimes
	for _, hint := range s.hints.dumps {
		i := int(hint &^ (hintNumbers | hintMarks))
		if hint&hintMarks != 0 && i >= spelled {
			if single := singles(s.text[i : i+8]); single != 0 {
				if v, ok := s.spelledAround(i, single); ok {
					spelled = v.behind() - 8
					settled = min(settled, s.searchDump(&v, 0, !s.goesOn(&v)))
				}
			}
		}
		if hint&hintNumbers == 0 || i < numbers || times.has(s.text, i) || !s.mayDump(i) {
			continue
		}
		ok, end := s.isDump(i)
		if ok {
			end = s.dumpEnd(i)
			settled = min(settled, s.dump(s.dumpStart(i), end))
		}
		numbers = max(numbers, end)
	}
	if s.final {
		return settled
	}
	return s.dumpBegins(settled)
}

// dumpBegins returns how many bytes of the text need not be searched again, at most the parameter settled. A dump that
// begins at the end of the text may still be too short to be recognised. The bytes of such a dump are searched again. A
// complete last line is searched again only if it looks like a line of a dump.
func (s *scan) dumpBegins(settled int) int {
	from := s.lineAt(len(s.text))
	line := s.text[from:]
	if hasTail(line, "\n") {
		if from == 0 && len(s.past) > 0 && s.past[len(s.past)-1] != '\n' ||
			!isSpelledLine(line) && !s.isDumpLine(line) && !isOffset(line) {
			return settled
		}
	}
	if v, ok := s.spelledAtEnd(); ok {
		settled = min(settled, s.searchDump(&v, 0, !s.goesOn(&v)))
	}
	end := len(s.text)
	for end > 0 && end > len(s.text)-maxGap && gapByte[s.text[end-1]] {
		end--
	}
	word := end
	for word > 0 && end-word <= maxNumber && numberByte[s.text[word-1]] {
		word--
	}
	if end == word || word > 0 && alnum[s.text[word-1]] || end-word > maxNumber {
		return settled
	}
	settled = min(settled, s.dump(s.dumpStart(end-1), len(s.text)))
	if end == len(s.text) {
		return min(settled, word) // the number may continue
	}
	return settled
}

// lineAt returns the beginning of the line that ends at the given position.
func (s *scan) lineAt(i int) int {
	return bytes.LastIndexByte(bytes.TrimSuffix(s.text[:i], []byte("\n")), '\n') + 1
}

const (
	maxNumber = 18       // max bytes of a number: 0x and sixteen digits
	maxGap    = 24       // max bytes between two numbers
	maxDump   = 16 << 10 // max bytes that are searched as one dump
	minDump   = 4        // min number of bytes in a dump, after decoding
)

// dumpGaps are the bytes that may be between numbers.
const dumpGaps = " \t\r\n,;:-\"'`[](){}\\=.&#%<>|/_+$*"

var (
	alnum      = bytesOf("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")
	gapByte    = bytesOf(dumpGaps)
	numberByte = bytesOf("0123456789abcdefABCDEFxXoO")
	dumpByte   = bytesOf("0123456789abcdefABCDEFxXoO" + dumpGaps)
	dumpSide   = bytesOf("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789" + dumpGaps)
)

// A word of a dump is a run of letters and digits. The bits below are properties of a byte.
const (
	wordPart   = 1 << iota // a letter or a digit
	wordNumber             // may be part of a number
	wordGap                // may be between numbers
	wordKey                // may follow the name of a field
)

// wordKinds has the properties of each byte value, as a sum of bits.
var wordKinds = func() (kinds [256]uint8) {
	for c := range kinds {
		if alnum[c] {
			kinds[c] |= wordPart
		}
		if numberByte[c] {
			kinds[c] |= wordNumber
		}
		if gapByte[c] {
			kinds[c] |= wordGap
		}
		if c == '"' || c == '\'' || c == ']' {
			kinds[c] |= wordKey
		}
	}
	return kinds
}()

// mayDump reports whether text[i:i+8] may be part of a dump. The five bytes before or after these bytes must look like
// a dump, too, except at the end of the text.
func (s *scan) mayDump(i int) bool {
	const sides = 5
	return !hasControl(binary.LittleEndian.Uint64(s.text[i:i+8])) &&
		(i+8+sides > len(s.text) || areNumbers(s.text[i+8:i+8+sides]) || areNumbers(s.text[max(0, i-sides):i]))
}

// hasControl reports whether the eight bytes in v contain the code of a control character, as a number of two
// digits. Dates often contain such numbers, but dumps of text rarely do.
func hasControl(v uint64) bool {
	mark, _, _ := masks(v)
	odd := (v | ones) ^ '1'*ones // a byte is 0 if its digit is 0 or 1
	first := ^((odd&^high + 0x7f*ones) | odd) & high
	word := high &^ mark &^ v
	return first&(word>>8)&((high&^word)<<8)&((high&^word)>>16) != 0
}

// areNumbers reports whether a text may be part of a dump: it has only bytes of numbers, and bytes between numbers.
func areNumbers(text []byte) bool {
	for _, c := range text {
		if !dumpByte[c] {
			return false
		}
	}
	return true
}

// mayHoldBytes reports whether the words from text[from] on may be a dump: successive numbers with at least minDump
// bytes in total. The search ends at the first word after text[last] that is not a number. If ok is false, there is no
// dump before text[end].
func mayHoldBytes(text []byte, from, last int) (ok bool, end int) {
	size := 0
	for at := from; ; {
		gap := uint8(wordGap)
		for from = at; from < len(text) && wordKinds[text[from]]&wordPart == 0; from++ {
			gap &= wordKinds[text[from]]
		}
		if from == len(text) {
			return false, 0
		}
		number := uint8(wordNumber)
		for at = from; at < len(text) && wordKinds[text[at]]&wordPart != 0; at++ {
			number &= wordKinds[text[at]]
		}
		n := at - from
		if n == 1 && text[from] == '0' || at < len(text) && wordKinds[text[at]]&wordKey != 0 && isKeyEnd(text, at) {
			continue
		}
		if gap == 0 {
			size = 0
		}
		if n == 1 || n > maxNumber || number == 0 && text[from]|0x20 != 'u' || areControls(text[from:at]) {
			if size = 0; at > last {
				return false, at - 8
			}
			continue
		}
		if size += n / 2; size >= minDump {
			return true, 0
		}
	}
}

// areControls reports whether a word of two or four hex digits contains the code of a control character (see
// isControl). Such a word is not part of a dump of text. areControls returns false for 10 and 13, which may be decimal,
// and for four digits that begin with 0, which may be octal.
func areControls(word []byte) bool {
	switch len(word) {
	case 2:
		return isControl(word[0], word[1]) && (word[0] != '1' || word[1] != '0' && word[1] != '3')
	case 4:
		return word[0] != '0' && (isControl(word[0], word[1]) || isControl(word[2], word[3]))
	}
	return false
}

// isControl reports whether two hex digits are the code of a control character other than NUL, tab, newline and
// carriage return.
func isControl(high, low byte) bool {
	return high == '1' && isHex(low) ||
		high == '0' && isHex(low) && low != '0' && low != '9' && low|0x20 != 'a' && low|0x20 != 'd'
}

// isDump reports whether there is a dump around text[i]: at least four bytes that are written as numbers, at least
// three of them printable. If ok is false and end is not 0, there is no dump between text[i] and text[end] either.
func (s *scan) isDump(i int) (ok bool, end int) {
	from := i
	for from > 0 && i-from < maxGap && dumpSide[s.text[from-1]] {
		from--
	}
	text := s.text[:min(len(s.text), i+3*maxGap)]
	if ok, end := mayHoldBytes(text, from, i+8); !ok {
		return false, end
	}
	var size, ascii [dumpStyles]int
	var n number
	for at := from; at < len(text); {
		gap, more := n.next(text, at)
		if !more {
			return false, 0
		}
		at = n.to
		if n.skip {
			continue
		}
		if n.styles == 0 || !gap {
			size, ascii = [dumpStyles]int{}, [dumpStyles]int{}
		}
		for style := range dumpStyles {
			if n.styles>>style&1 == 0 {
				size[style], ascii[style] = 0, 0
				continue
			}
			size[style] += int(n.size[style])
			for v, k := n.value[style], n.size[style]; k > 0; v, k = v>>8, k-1 {
				if b := byte(v); b >= ' ' && b < 0x7f {
					ascii[style]++
				}
			}
			if size[style] >= minDump && ascii[style] >= minDump-1 {
				return true, 0
			}
		}
		if n.styles == 0 && at > i+8 {
			return false, at - 8
		}
	}
	return false, 0
}

// maxBack is the number of bytes after which dumpStart stops searching backwards for the start of a dump.
const maxBack = 4 << 10

// dumpStart returns the start of the line before a dump that contains text[i]. If the dump begins more than maxBack
// bytes before text[i], it returns the start of a line near there.
func (s *scan) dumpStart(i int) int {
	at := s.lineAt(i)
	if i < len(s.text) && s.text[max(0, i-1)] == '\n' {
		at = i
	}
	for at > 0 && i-at < maxBack {
		from := s.lineAt(at)
		if !s.isDumpLine(s.text[from:at]) {
			return from
		}
		at = from
	}
	return at
}

// dumpEnd returns the end of the line after the dump that contains text[i]. It searches at most maxDump bytes.
func (s *scan) dumpEnd(i int) int {
	text := s.text[:min(len(s.text), i+maxDump)]
	for at := i; ; {
		n := bytes.IndexByte(text[at:], '\n')
		if n < 0 {
			return len(text)
		}
		at += n + 1
		line := text[at:]
		if n := bytes.IndexByte(line, '\n'); n >= 0 {
			line = line[:n+1]
		}
		if !s.isDumpLine(line) {
			return at + len(line)
		}
	}
}

// dump searches the dump text[from:to]. It returns how many bytes of the text need not be searched again.
func (s *scan) dump(from, to int) int {
	views := &s.room().dumps
	for style := range views {
		views[style].reset()
	}
	var columns []span // lines with offsets; they may end with a column of characters
	d := &s.room().line
	for at := from; at < to; {
		line := s.text[at:to]
		if n := bytes.IndexByte(line, '\n'); n >= 0 {
			line = line[:n+1]
		}
		d.read(line, at > 0 || len(s.past) == 0 || s.past[len(s.past)-1] == '\n')
		for style := range dumpStyles {
			for _, n := range d.list[d.best[style].from:d.best[style].to] {
				if at+n.to == len(s.text) && !s.final {
					break // the number may continue
				}
				for v, k := n.value[style], n.size[style]; k > 0; v, k = v>>8, k-1 {
					if b := byte(v); b != 0 {
						views[style].add(b, at-from+n.from, at-from+n.to)
					}
				}
			}
		}
		if d.offset {
			columns = append(columns, span{at, at, at + len(line)})
		}
		at += len(line)
	}
	open := to == len(s.text) && !s.final && (s.text[to-1] != '\n' || s.isDumpLine(s.text[s.lineAt(to):]))
	settled := len(s.text)
	known := len(s.spans)
	for style := range views {
		v := &views[style]
		if len(v.text) < minDump && !open || len(v.text) == 0 ||
			dumpStyle(style) == dumpSwapped && bytes.Equal(v.text, views[dumpHex].text) {
			continue
		}
		settled = min(settled, s.searchDump(v, from, !open))
	}
	s.hideColumns(known, columns)
	if last := len(columns) - 1; open && last >= 0 && columns[last].to == to && s.text[to-1] != '\n' {
		settled = min(settled, columns[last].from) // characters may follow in this line
		for _, p := range s.spans[known:] {
			if p.to > columns[last].from {
				settled = min(settled, p.from)
			}
		}
	}
	return s.lineOf(settled)
}

// maxLineOfDump is the max number of bytes that lineOf goes back to the beginning of a line.
const maxLineOfDump = 256

// lineOf returns the index of the line that contains text[settled]. If the line is long, it returns settled -
// maxLineOfDump. The line is searched again from its beginning, which shows how to read its numbers.
func (s *scan) lineOf(settled int) int {
	if settled >= len(s.text) {
		return settled
	}
	line := bytes.LastIndexByte(s.text[:settled], '\n') + 1
	return max(line, settled-maxLineOfDump)
}

// searchDump searches a view of text[base:]. It returns how many bytes of the text need not be searched again.
// Values that are too short for an index are ignored.
func (s *scan) searchDump(v *view, base int, final bool) int {
	if !s.mayBegin(v.text) {
		settled := len(v.text)
		if !final {
			settled = s.behind(v.text)
		}
		return base + v.first(settled, len(s.text)-base)
	}
	sub := scan{set: s.set, text: v.text, past: s.before(base), final: final, deaf: true, inDump: true, label: true,
		scratch: s.scratch, depth: s.depth + 1}
	return base + s.searchWith(&sub, v, base)
}

// hideColumns hides secrets in the character columns of dumps: 00000010: 6b65 79  "key". The lines of the dump are in
// columns, and the found secrets are s.spans[start:]. For each line of a secret, hideColumns adds a span from the
// beginning of the secret in this line to the end of the line.
func (s *scan) hideColumns(start int, columns []span) {
	for _, p := range s.spans[start:] {
		for _, c := range columns {
			if p.from < c.to && p.to > c.from {
				s.spans = append(s.spans, span{p.origin, max(p.from, c.from), c.to})
			}
		}
	}
}
