package parse

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
)

// narrower decodes lines in UTF-16 for the formats. PowerShell 5 writes such lines into files. The numbers of lines
// do not change. Lines that are not UTF-16 do not change, either.
type narrower struct {
	rest   []byte // unfinished line that may be UTF-16
	passed int    // number of bytes of the unfinished line that were already returned undecoded
	after  bool   // the line before was UTF-16
}

// text returns the next bytes of a log, with lines in UTF-16 decoded. If there are no such lines, it returns b itself.
func (w *narrower) text(b []byte) []byte {
	if len(w.rest) == 0 && !mayBeUTF16(b) {
		end := bytes.LastIndexByte(b, '\n')
		if end >= 0 {
			w.passed, w.after = 0, false
		}
		w.passed += len(b) - end - 1
		return b
	}
	out := make([]byte, 0, max(blockSize, len(w.rest)+len(b)))
	for {
		end := bytes.IndexByte(b, '\n')
		if end < 0 {
			return w.keep(out, b)
		}
		line := b[:end]
		if len(w.rest) > 0 {
			w.rest = append(w.rest, line...)
			line = w.rest
		}
		out = append(w.append(out, line), '\n')
		w.rest, w.passed, b = w.rest[:0], 0, b[end+1:]
	}
}

// keep stores the beginning of a line if the line may be UTF-16. Otherwise it appends the beginning to the output.
func (w *narrower) keep(out, b []byte) []byte {
	if len(w.rest) == 0 && (w.isText() || !mayBeUTF16(b)) {
		w.passed += len(b)
		return append(out, b...)
	}
	if w.rest = append(w.rest, b...); len(w.rest) > MaxLine {
		out, w.rest = w.append(out, w.rest), w.rest[:0]
	}
	return out
}

// isText reports whether the line is certainly not UTF-16, because it has several bytes without zeros between them.
// A single byte without a zero is not enough, because a read may end inside the first character of a line in
// UTF-16.
func (w *narrower) isText() bool { return w.passed > 1 }

// mayBeUTF16 reports whether a text may contain UTF-16. Such a text contains a zero byte or a byte order mark, or ends
// inside a byte order mark.
func mayBeUTF16(b []byte) bool {
	return bytes.IndexByte(b, 0) >= 0 ||
		bytes.IndexByte(b, markLow[0]) >= 0 && bytes.IndexByte(b, markLow[1]) >= 0 ||
		bytes.HasSuffix(b, []byte(markLow[:1])) || bytes.HasSuffix(b, []byte(markHigh[:1]))
}

// markLow is the byte order mark of UTF-16 text in which the low byte of a character comes first. markHigh is the
// mark of text in which the high byte comes first.
const markLow, markHigh = "\xff\xfe", "\xfe\xff"

// append appends a line. The line counts as UTF-16 and is decoded if it has at least two zero bytes, and if about a
// third of its bytes or more are zeros. Lines are split behind the byte \n. In little-endian UTF-16, the next line then
// begins with the zero byte of the line end. append drops it.
func (w *narrower) append(out, line []byte) []byte {
	const third = 3
	zeros := bytes.Count(line, []byte{0})
	text := bytes.TrimPrefix(line, []byte{0})
	after := w.after
	w.after = !w.isText() && zeros > 1 && zeros*third >= len(line)-len(markLow)
	if !w.after {
		if after && zeros == 1 {
			return append(out, text...)
		}
		return append(out, line...)
	}
	text = bytes.TrimPrefix(bytes.TrimPrefix(text, []byte(markLow)), []byte(markHigh))
	for len(text) > 0 {
		r, n := narrow(text)
		if r != 0 {
			out = utf8.AppendRune(out, r)
		}
		text = text[n:]
	}
	return out
}

// narrow decodes the first character of a text in UTF-16. n is the number of its bytes. A single zero byte is the
// rest of the character before it. The mask *** that replaces a secret has one byte for each asterisk, even in
// UTF-16.
func narrow(text []byte) (r rune, n int) {
	switch {
	case text[0] == 0 || len(text) == 1 || text[1] != 0 && bytes.HasPrefix(text, []byte("**")):
		return rune(text[0]), 1
	case text[0] == '*' && text[1] != 0 && len(text) > 2 && text[2] == 0: // the last * of a mask
		return rune(text[0]), 1
	}
	unit := func(at int) rune { return rune(text[at]) | rune(text[at+1])<<8 }
	if r = unit(0); utf16.IsSurrogate(r) && len(text) > 3 {
		if pair := utf16.DecodeRune(r, unit(2)); pair != utf8.RuneError {
			return pair, 4
		}
	}
	return r, 2
}
