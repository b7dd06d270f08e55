package redact

import (
	"bytes"
	"math/bits"
	"unicode/utf8"
)

// A secret may be spelled, which means that a separator is between its characters: h u n t e r, "h","u","n", or one
// character on each line. The scan removes the separators, and searches the result.

const (
	maxSpelled = 5       // max bytes between two characters
	maxCells   = 4 << 10 // max characters of a spelled text that are searched together
)

// spelledAround returns the spelled text around text[i:i+8]. The spelled text has at least four characters, and most of
// its bytes are counted by letters. ok is false if there is no such text. The parameter singles is the result of the
// function singles for these eight bytes.
func (s *scan) spelledAround(i int, singles uint64) (spelled view, ok bool) {
	for ; singles != 0; singles &= singles - 1 {
		k := i + bits.TrailingZeros64(singles)>>3
		if s.hasFellow(k) {
			if v := s.spelledAt(k, minDump); letters(v.text)*2 > len(v.text) {
				return v, true
			}
		}
	}
	return view{}, false
}

// spelledAtEnd returns the spelled text at the end of the scanned text. It may have only one character so far, and
// may continue in later text. ok is false if there is none.
func (s *scan) spelledAtEnd() (spelled view, ok bool) {
	k := s.columnEnd() - 1
	for least := k - maxGap; k >= 0 && k > least && !alnum[s.text[k]]; {
		k--
	}
	if k < 0 || !s.isSingle(k) {
		return view{}, false
	}
	for n := 1; n <= maxSpelled && k-1-n >= 0; n++ {
		if v := s.spelledAt(k-1-n, 2); letters(v.text) > 1 && v.behind() > k && v.isBetter(&spelled) {
			spelled = v
		}
	}
	if len(spelled.text) == 0 {
		spelled.add(s.text[k], k, k+1)
	}
	return spelled, true
}

// hasFellow reports whether another single letter or digit follows text[k] after at most maxSpelled bytes. Then both
// may be characters of a spelled text. A single character has no letter or digit next to it.
func (s *scan) hasFellow(k int) bool {
	for i := k + 2; i <= k+1+maxSpelled && i < len(s.text); i++ {
		if alnum[s.text[i]] {
			return s.isSingle(i)
		}
	}
	return false
}

// columnEnd returns the length of the text. If the text ends within an offset, which od -c prints at the beginning of
// each line, it returns the beginning of this offset, which is not part of the spelled text.
func (s *scan) columnEnd() int {
	end := len(bytes.TrimRight(s.text[max(0, len(s.text)-maxSpelled):], " ")) + max(0, len(s.text)-maxSpelled)
	from := end
	for from > 0 && end-from < maxNumber && isHex(s.text[from-1]) {
		from--
	}
	if from == 0 || s.text[from-1] != '\n' || !isOffset(s.text[s.lineAt(from):]) {
		return len(s.text)
	}
	return from
}

// isSpelledLine reports whether a line has only one byte, besides quotes, commas and blanks around the byte.
func isSpelledLine(line []byte) bool { return len(bytes.Trim(line, "\"', \t\r\n")) == 1 }

// goesOn reports whether the spelled text of a view may continue after the end of the scanned text.
func (s *scan) goesOn(v *view) bool {
	end := v.behind()
	rest := s.text[end:]
	if s.final || len(rest) > maxGap {
		return false
	}
	if bytes.IndexByte(rest, '\n') < 0 {
		return true
	}
	last, _ := v.position(len(v.text) - 1)
	_, size := utf8.DecodeLastRune(v.text)
	if size == len(v.text) {
		return true
	}
	_, before := v.position(len(v.text) - size - 1) // end of the character before
	if bytes.IndexByte(s.text[before:last], '\n') >= 0 {
		return true
	}
	if quote := s.text[before]; (quote == '"' || quote == '\'') && rest[0] == quote {
		return len(bytes.Trim(rest[1:], ", \t\r\n")) == 0
	}
	return isOffset(s.text[s.lineAt(end):])
}

// isSingle reports whether text[k] is a letter or digit that has no letter or digit next to it.
func (s *scan) isSingle(k int) bool {
	return alnum[s.text[k]] && (k == 0 || !alnum[s.text[k-1]]) && (k+1 == len(s.text) || !alnum[s.text[k+1]])
}

// spelledAt returns the spelled text that contains text[k]. It tries the possible separators, and returns the text
// with the most letters. The parameter least is the min number of characters.
func (s *scan) spelledAt(k, least int) view {
	var best view
	for n := 1; n <= maxSpelled && k+1+n < len(s.text) && !alnum[s.text[k+n]]; n++ {
		gap := s.text[k+1 : k+1+n]
		if !s.hasCells(k, gap, least) {
			continue
		}
		if v := s.spelledWith(k, gap); v.isBetter(&best) {
			best = v
		}
	}
	return best
}

// isBetter reports whether a spelled text has more letters and digits than another. If both have the same number of
// letters and digits, the shorter text is better.
func (v *view) isBetter(other *view) bool {
	n, m := letters(v.text), letters(other.text)
	return n > m || n == m && len(v.text) < len(other.text)
}

// hasCells reports whether at least the given number of characters around text[k] are separated by gap. It also
// reports true if one of these characters is beyond ASCII.
func (s *scan) hasCells(k int, gap []byte, least int) bool {
	cell := len(gap) + 1
	for at := k; least > 1 && at+cell < len(s.text) && bytes.Equal(s.text[at+1:at+cell], gap) &&
		s.text[at+cell] >= ' '; at += cell {
		least--
		if s.text[at+cell] >= utf8.RuneSelf {
			return true // a character beyond ASCII is unclear, so assume that the text continues
		}
	}
	for at := k; least > 1 && at >= cell && bytes.Equal(s.text[at-len(gap):at], gap) &&
		s.text[at-cell] >= ' '; at -= cell {
		least--
		if s.text[at-cell] >= utf8.RuneSelf {
			return true
		}
	}
	return least <= 1
}

// spelledWith returns the text around text[k] whose characters are separated by gap.
func (s *scan) spelledWith(k int, gap []byte) (v view) {
	from := k
	for range maxCells / 2 { // half of the cells are left for the text after k
		n := lastCell(s.text[:from], gap)
		if n == 0 {
			break
		}
		from -= n
	}
	for at := from; len(v.text) < maxCells; {
		r, n := utf8.DecodeRune(s.text[at:])
		if n == 0 || r < ' ' || r == utf8.RuneError && n == 1 {
			break
		}
		v.addAll(s.text[at:at+n], at, at+n)
		at += n
		n = gapLen(s.text[at:], gap)
		if n == 0 {
			break
		}
		at += n
	}
	return v
}

// gapLen returns the length of the separator at the beginning of a text, or 0 for none. The separator is usually the
// same as gap. If the characters are in quotes, other commas, blanks and line ends may be between two quotes. In the
// output of od -c, a line break and an offset may come before gap.
func gapLen(text, gap []byte) int {
	if bytes.HasPrefix(text, gap) {
		return len(gap)
	}
	if quote := gap[0]; len(gap) > 1 && (quote == '"' || quote == '\'') && len(text) > 0 && text[0] == quote {
		rest := bytes.TrimLeft(text[1:min(len(text), maxGap)], ", \t\r\n")
		if len(rest) > 0 && rest[0] == quote {
			return min(len(text), maxGap) - len(rest) + 1
		}
	}
	return columnBreak(text, gap)
}

// lastCell returns the length of the last character of a text, together with the separator after it. It returns 0 if
// the text does not end with a separator, or if the character before the separator is not printable.
func lastCell(text, gap []byte) int {
	n := len(gap)
	if !bytes.HasSuffix(text, gap) {
		quote := gap[0]
		rest := bytes.TrimRight(text[max(0, len(text)-maxGap):max(0, len(text)-1)], ", \t\r\n")
		if len(gap) == 1 || quote != '"' && quote != '\'' || !bytes.HasSuffix(text, gap[:1]) ||
			!bytes.HasSuffix(rest, gap[:1]) {
			return 0
		}
		n = min(len(text), maxGap) - len(rest) + 1
	}
	r, size := utf8.DecodeLastRune(text[:len(text)-n])
	if size == 0 || r < ' ' || r == utf8.RuneError && size == 1 {
		return 0
	}
	return size + n
}

// columnBreak returns the length of a line break within the output of od -c, or 0 for none. Such a line break
// consists of the line end, an offset, and the separator gap.
func columnBreak(text, gap []byte) int {
	if len(bytes.TrimLeft(gap, " ")) > 0 {
		return 0
	}
	at := blankLen(text)
	if at == len(text) || text[at] != '\n' {
		return 0
	}
	offset := at + 1
	line := text[offset:]
	if end := bytes.IndexByte(line[:min(len(line), maxCharacter)], '\n'); end >= 0 {
		line = line[:end]
	}
	offset += offsetMargin(line)
	for at = offset; at < len(text) && at < offset+maxNumber && isHex(text[at]); {
		at++
	}
	if at < offset+4 || !bytes.HasPrefix(text[at:], gap) {
		return 0
	}
	return at + len(gap)
}

// letters returns the number of letters, digits and bytes beyond ASCII in a text.
//
//go:noinline
func letters(text []byte) int {
	n := 0
	for _, c := range text {
		if alnum[c] || c >= utf8.RuneSelf {
			n++
		}
	}
	return n
}
