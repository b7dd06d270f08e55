package chunk

import (
	"bytes"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode/utf8"
)

// needle is a fixed text in a pattern. Every line that the pattern matches contains this text. Searching a whole
// chunk for it is much faster than trying the pattern at each line.
type needle struct {
	text  string // "" if there is no such text
	fold  bool   // the text is in lower case, and lines may have it in any case
	whole bool   // every line with the text matches
}

func needleOf(p *regexp.Regexp) needle {
	parsed, err := syntax.Parse(p.String(), syntax.Perl)
	if err != nil { // the pattern is not in Perl syntax
		return needle{}
	}
	n := required(parsed.Simplify())
	// No line contains a line end. In a pattern, RuneError also stands for a byte that is not UTF-8, so it is no
	// fixed text.
	if strings.ContainsAny(n.text, "\n"+string(utf8.RuneError)) {
		return needle{}
	}
	return n
}

// required returns the longest text that all matches of an expression contain.
func required(re *syntax.Regexp) needle {
	var n needle
	switch re.Op {
	case syntax.OpLiteral:
		if re.Flags&syntax.FoldCase != 0 {
			return folded(re.Rune)
		}
		return needle{text: string(re.Rune), whole: true}
	case syntax.OpCapture:
		return required(re.Sub[0])
	case syntax.OpPlus:
		n = required(re.Sub[0])
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			if part := required(sub); len(part.text) > len(n.text) {
				n = part
			}
		}
	}
	n.whole = false
	return n
}

// folded returns the longest part of a literal that can be found in a text in lower case. Only ASCII is converted to
// lower case. So the part has no other letters, and no K and S: the Kelvin sign and the long s match them, too.
func folded(literal []rune) needle {
	var n needle
	for _, part := range strings.FieldsFunc(string(literal), func(r rune) bool {
		return r >= utf8.RuneSelf || strings.ContainsRune("kKsS", r)
	}) {
		if len(part) > len(n.text) {
			n = needle{text: strings.ToLower(part), fold: true}
		}
	}
	return n
}

// prepare returns the text that skip searches. It has the same length and line ends as the given text, and is in lower
// case if the needle ignores case. It may use the memory of buf.
func (n needle) prepare(buf, text []byte) []byte {
	if !n.fold {
		return text
	}
	buf = append(buf[:0], text...)
	for i, c := range buf {
		if c >= 'A' && c <= 'Z' {
			buf[i] = c | 0x20
		}
	}
	return buf
}

// skip returns the size and the number of the lines before the first line with the needle. If no line has the needle,
// it counts all lines with a line end.
func (n needle) skip(text []byte) (size, lines int) {
	if n.text == "" {
		return 0, 0
	}
	at := bytes.Index(text, []byte(n.text))
	if at < 0 {
		at = len(text)
	}
	size = bytes.LastIndexByte(text[:at], '\n') + 1
	return size, bytes.Count(text[:size], []byte{'\n'})
}

// match reports whether a line matches a pattern. n is the needle of the pattern.
func (n needle) match(line []byte, p *regexp.Regexp) bool {
	if n.whole && n.text != "" {
		return bytes.Contains(line, []byte(n.text))
	}
	return p.Match(line)
}
