package lexical

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

// kind is the origin of a term.
type kind int

const (
	word     kind = iota // letters and digits, with its own position
	variant              // another spelling of a word
	part                 // a part of a word in camel case
	compound             // an identifier, path or flag of several words and signs
	stemmed              // the stem of a word, after stemMark
)

// tokenizer cuts text into terms.
type tokenizer struct {
	emit     func(term []byte, position int, k kind)
	position int // position of the next word

	text   []byte
	buf    []byte
	pair   []byte
	stem   []byte
	chunk  []byte // the current run without blanks, folded to lower case
	bounds []int  // pairs: the offset of a word in chunk, and the position of the word
	dense  []byte // the previous character, if its script has no blanks
}

// signs are the bytes that may be in an identifier, besides letters and digits.
const signs = "_-+$@%.#/:"

// splitting are the signs at which identifiers are split: first the signs of paths, then the dot.
var splitting = []string{"/:#", "."}

// maxChunk is the max number of bytes that are searched for identifiers.
const maxChunk = 1000

func isWordByte(c byte) bool {
	return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9'
}

// run emits the terms of a text.
func (t *tokenizer) run(text []byte) {
	t.text = text
	for at := 0; at < len(text); {
		c := text[at]
		switch {
		case isWordByte(c) || c >= utf8.RuneSelf:
			at = t.word(at)
		case strings.IndexByte(signs, c) >= 0:
			t.dense = t.dense[:0]
			if t.chunk = append(t.chunk, c); len(t.chunk) > maxChunk {
				t.endChunk()
			}
			at++
		default:
			t.dense = t.dense[:0]
			t.endChunk()
			at++
		}
	}
	t.dense = t.dense[:0]
	t.endChunk()
}

// word reads a word, or a single rune that is not part of a word. It returns the offset of the next unread byte.
func (t *tokenizer) word(at int) int {
	t.buf, t.pair = t.buf[:0], t.pair[:0]
	start, ascii := at, true
	for at < len(t.text) {
		c := t.text[at]
		if isWordByte(c) {
			if c >= 'A' && c <= 'Z' {
				c |= 0x20
			}
			t.letter(c)
			at++
			continue
		}
		if c < utf8.RuneSelf {
			break
		}
		r, size := utf8.DecodeRune(t.text[at:])
		if isDense(r) {
			if at == start {
				t.denseRune(t.text[at : at+size])
				return at + size
			}
			break
		}
		ascii = false
		if isMark(r) {
			t.mark(r)
		} else if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			break
		} else {
			t.foldRune(r)
		}
		at += size
	}
	if len(t.buf) == 0 { // the rune is not a letter
		_, size := utf8.DecodeRune(t.text[at:])
		t.endChunk()
		return max(at, start+size)
	}
	t.dense = t.dense[:0]
	t.endWord(t.text[start:at], ascii)
	return at
}

func (t *tokenizer) letter(c byte) {
	if len(t.buf) > maxTerm {
		return // the word is too long to be indexed
	}
	t.buf = append(t.buf, c)
	if len(t.pair) > 0 {
		t.pair = append(t.pair, c)
	}
}

func (t *tokenizer) foldRune(r rune) {
	if len(t.buf) > maxTerm {
		return
	}
	plain, pair := fold(r)
	if pair != "" && pair != plain && len(t.pair) == 0 {
		t.pair = append(t.pair, t.buf...)
	}
	t.buf = append(t.buf, plain...)
	if len(t.pair) > 0 || pair != "" && pair != plain {
		if pair == "" {
			pair = plain
		}
		t.pair = append(t.pair, pair...)
	}
}

// mark reads a combining mark, which belongs to the previous letter. Only a, o and u with a diaeresis have a second
// spelling: ae, oe and ue.
func (t *tokenizer) mark(r rune) {
	if n := len(t.buf); r == diaeresis && n > 0 && n <= maxTerm && bytes.IndexByte([]byte("aou"), t.buf[n-1]) >= 0 {
		if len(t.pair) == 0 {
			t.pair = append(t.pair, t.buf...)
		}
		t.pair = append(t.pair, 'e')
	}
}

// endWord emits a word and its parts.
func (t *tokenizer) endWord(raw []byte, ascii bool) {
	t.bounds = append(t.bounds, len(t.chunk), t.position)
	t.chunk = append(t.chunk, t.buf...)
	if len(t.buf) <= maxTerm {
		t.emit(t.buf, t.position, word)
		if len(t.pair) > 0 && len(t.pair) <= maxTerm {
			t.emit(t.pair, t.position, variant)
		}
		if ascii {
			t.camel(raw)
			if s := stem(t.buf); len(s) != len(t.buf) || !bytes.Equal(s, t.buf) {
				t.stem = append(append(t.stem[:0], stemMark), s...)
				t.emit(t.stem, t.position, stemmed)
			}
		}
	}
	t.position++
}

// camel emits the parts of a word in camel case: HTTPServer has http and server.
func (t *tokenizer) camel(raw []byte) {
	start := 0
	for i := 1; i < len(raw); i++ {
		if !isUpper(raw[i]) {
			continue
		}
		if !isUpper(raw[i-1]) || i+1 < len(raw) && raw[i+1] >= 'a' && raw[i+1] <= 'z' && raw[i+1] != 's' {
			t.part(start, i)
			start = i
		}
	}
	if start > 0 {
		t.part(start, len(raw))
	}
}

func isUpper(c byte) bool { return c >= 'A' && c <= 'Z' }

func (t *tokenizer) part(from, to int) {
	if to-from > 1 {
		t.emit(t.buf[from:to], t.position, part)
	}
}

// denseRune emits a character of a script without blanks. If the previous character is also of such a script, denseRune
// emits the pair of both, too.
func (t *tokenizer) denseRune(raw []byte) {
	t.endChunk()
	if n := len(t.dense); n > 0 {
		t.dense = append(t.dense, raw...)
		t.emit(t.dense, t.position-1, compound)
		t.dense = t.dense[n:]
	} else {
		t.dense = append(t.dense, raw...)
	}
	t.emit(raw, t.position, word)
	t.position++
}

// endChunk emits the identifiers of a run without spaces: the whole run, and its parts between splitting signs. A
// part is emitted only if it has several words, or if a sign at one of its ends is part of a name, as in --flag.
func (t *tokenizer) endChunk() {
	if len(t.chunk) > 0 {
		if len(t.bounds) > 0 && (len(t.bounds) > 2 || t.bounds[0] > 0 || !isWordByte(t.chunk[len(t.chunk)-1])) {
			t.identifiers(0, len(t.chunk), false, splitting)
		}
		t.chunk, t.bounds = t.chunk[:0], t.bounds[:0]
	}
}

// identifiers emits chunk[from:to]. If the range has several words, identifiers splits it at the signs in splitting[0],
// and does the same with the parts and the other elements of splitting. If stopped is true, the range has several words
// and has already been emitted.
func (t *tokenizer) identifiers(from, to int, stopped bool, splitting []string) {
	if !stopped && !t.identifier(from, to) || len(splitting) == 0 {
		return
	}
	for at := from; at <= to; {
		end := at
		for end < to && strings.IndexByte(splitting[0], t.chunk[end]) < 0 {
			end++
		}
		t.identifiers(at, end, end-at == to-from, splitting[1:])
		at = end + 1
	}
}

// identifier emits chunk[from:to] without meaningless signs at both ends. It emits nothing for a single word without
// signs, or if the text is longer than maxTerm. It reports whether the range has several words.
func (t *tokenizer) identifier(from, to int) bool {
	for from < to && isSign(t.chunk[from]) && !t.keepsBefore(from, to) {
		from++
	}
	for to > from && isSign(t.chunk[to-1]) && !t.keepsAfter(from, to) {
		to--
	}
	position, words := -1, 0
	for i := 0; i < len(t.bounds); i += 2 {
		if t.bounds[i] >= from && t.bounds[i] < to {
			if words++; position < 0 {
				position = t.bounds[i+1]
			}
		}
	}
	if words == 0 || words == 1 && !isSign(t.chunk[from]) && !isSign(t.chunk[to-1]) {
		return false
	}
	if to-from <= maxTerm {
		t.emit(t.chunk[from:to], position, compound)
		if bare := t.bare(from, to); bare > from && words > 1 {
			t.emit(t.chunk[bare:to], position, compound)
		}
	}
	return words > 1
}

func isSign(c byte) bool { return c < utf8.RuneSelf && !isWordByte(c) }

// keepsBefore reports whether a sign before a word is part of a name: --flag, #include, @scope, $HOME, .env, _name.
func (t *tokenizer) keepsBefore(from, to int) bool {
	next := byte(' ')
	if from+1 < to {
		next = t.chunk[from+1]
	}
	switch t.chunk[from] {
	case '-':
		return !isSign(next) || next == '-' && from+2 < to && !isSign(t.chunk[from+2])
	case '#', '@', '$', '.', '_':
		return !isSign(next) || next == '_'
	}
	return false
}

// keepsAfter reports whether a sign after a word is part of a name: c++, c#, name_.
func (t *tokenizer) keepsAfter(from, to int) bool {
	switch t.chunk[to-1] {
	case '+':
		return to-from > 2 && t.chunk[to-2] == '+' && to-from < 8
	case '#':
		return to-from == 2
	case '_':
		return true
	}
	return false
}

// bare returns the offset of the first word of an identifier.
func (t *tokenizer) bare(from, to int) int {
	for from < to && isSign(t.chunk[from]) {
		from++
	}
	return from
}
