package redact

import (
	"bytes"
	"strconv"
	"unicode/utf8"
)

// Code may write characters separately: chr(104)+chr(117), 68h 75h, 104u8, <b>h</b><b>u</b>. Logs may have one
// character on each line after a prefix. The scan joins such characters, and searches the result.

// written is a form in which code or logs write single characters.
type written struct {
	triggers []string
	back     int // max bytes of the written character before its trigger
	// read reads the character at the beginning of text. n is 0 if there is none.
	read func(text []byte) (c []byte, n int)
	line bool // the character has its own line
}

const (
	maxWritten   = 8 << 10 // max bytes of characters that are searched together
	maxCharacter = 128     // max bytes of a character, with the text around it
)

// writtenGaps are the bytes that may be between two characters.
var writtenGaps = bytesOf(" \t\r\n,;+.|&(){}\"'\\")

// writtenShapes returns a shape for each form of written characters. The triggers of a shape are bytes within the first
// written character.
func writtenShapes() []*shape {
	var list []*shape
	for _, w := range []written{
		{triggers: []string{"chr(", "Chr(", "CHR(", "har(", "HAR(", "hrW(", "hr$("}, back: 12, read: readCall},
		{triggers: []string{"har)", "har]"}, back: 4, read: readCast},
		{triggers: []string{"u8, ", "_u8,"}, back: 4, read: readSuffixed},
		{triggers: assembled(), back: 4, read: readAssembled},
		{triggers: []string{"</b>", "</i>", "</u>", "</p>", "</td", "</th", "</li", "</em", "</sp", "</co", "</st"},
			back: 64, read: readElement},
		{triggers: prefixed(), back: maxCharacter, read: readPrefixed, line: true},
		{triggers: []string{"U+00"}, read: readCodePoint},
		{triggers: []string{"ord=", "ode=", "har="}, back: 4, read: readNamedNumber},
		{triggers: numbered(), read: readNumbered},
		{triggers: []string{"[0] ", "[0]="}, read: readIndexed},
	} {
		list = append(list, &shape{name: "written", triggers: w.triggers, written: &w})
	}
	return list
}

// assembled returns the possible bytes from the end of a number to the beginning of the next number in assembler code:
// "h 75" in 68h 75h.
func assembled() []string {
	var list []string
	for _, digit := range "01234567" {
		list = append(list, "h, "+string(digit), "H, "+string(digit))
		for _, next := range "0123456789abcdef" {
			list = append(list, "h "+string(digit)+string(next))
		}
		for _, next := range "ABCDEF" {
			list = append(list, "h "+string(digit)+string(next), "H "+string(digit)+string(next))
		}
	}
	return list
}

// prefixed returns the possible ends of a log's prefix, each with the character or the number that follows: "| h"
// and "| 10".
func prefixed() []string {
	var list []string
	for _, mark := range []string{"Z ", "| ", "] "} {
		for c := range alnum {
			if alnum[c] {
				list = append(list, mark+string(rune(c))+"\n")
			}
		}
		for _, c := range "123456789" {
			for _, d := range "0123456789" {
				list = append(list, mark+string(c)+string(d))
			}
		}
	}
	return list
}

// writtenAt searches the separately written characters that begin near text[i]. It reports whether it needs more text.
func (s *scan) writtenAt(i int, w *written) (more bool) {
	if i < s.wrote {
		return false
	}
	base := max(0, i-w.back)
	text := s.text[base:min(len(s.text), i+maxWritten)]
	if base == 0 && len(s.past) > 0 { // the beginning of the first character may be in the past text
		text = append(bytes.Clone(s.past[max(0, len(s.past)-w.back):]), text...)
		base -= len(text) - min(len(s.text), i+maxWritten)
	}
	open := base+len(text) == len(s.text) && !s.final
	from, ok := w.begin(text, i-base)
	if !ok {
		rest := text[i-base:]
		if open = open && len(rest) < maxCharacter && bytes.IndexByte(rest, '\n') < 0; open {
			s.begun = max(0, base) + 1
		}
		return open
	}
	v, at := w.all(text, from, base)
	if open && len(text)-at < maxCharacter && len(text) < maxWritten {
		s.begun = max(0, base+from) + 1
		return true
	}
	s.wrote = base + at
	if len(v.text) >= minDump {
		s.searchDump(&v, 0, true)
	}
	return false
}

// all reads consecutive written characters, from text[from] on. base is the index of text[0] in the scanned text.
// The result is a view of the characters, and the index in text after them.
func (w *written) all(text []byte, from, base int) (v view, at int) {
	gap := 0
	for at = from; at < len(text) && gap < maxGap; {
		c, n := w.read(text[at:])
		switch {
		case n > 0:
			v.addAll(c, max(0, base+at), max(0, base+at+n))
			at += n
			gap = 0
		case writtenGaps[text[at]]:
			at++
			gap++
		default:
			return v, at
		}
	}
	return v, at
}

// begin returns the index at which a written character begins. The trigger of the shape begins at text[i], within this
// character. ok is false if there is no such character.
func (w *written) begin(text []byte, i int) (from int, ok bool) {
	from = max(0, i-w.back)
	if w.line {
		end := bytes.IndexByte(text[i:min(len(text), i+maxCharacter)], '\n')
		if end < 0 || !endsAlone(lineText(text[:i+end])) {
			return 0, false
		}
		from = max(from, bytes.LastIndexByte(text[from:i], '\n')+from+1)
	}
	for ; from <= i; from++ {
		if from > 0 && alnum[text[from-1]] && alnum[text[from]] {
			continue // inside of a word
		}
		if _, n := w.read(text[from:]); n > i-from {
			return from, true
		}
	}
	return 0, false
}

// readNumber reads the code of a character: 104, 0x68 or &H68.
func readNumber(text []byte) (c []byte, n int) {
	base := 10
	if len(text) > 2 && (text[0] == '0' && text[1]|0x20 == 'x' || text[0] == '&' && text[1]|0x20 == 'h') {
		base, n = 16, 2
	}
	from := n
	for n < len(text) && n < from+4 && isHex(text[n]) && (base == 16 || text[n] <= '9') {
		n++
	}
	return character(text[from:n], base, n)
}

// character returns the character with the code in digits, and n, the length of its notation. For invalid digits, codes
// above 255, and control characters other than tabs and line ends, it returns nil and 0.
func character(digits []byte, base, n int) ([]byte, int) {
	r, err := strconv.ParseUint(string(digits), base, 16)
	if err != nil || r < ' ' && r != '\t' && r != '\n' && r != '\r' || r > 0xff {
		return nil, 0
	}
	return []byte{byte(r)}, n
}

// readCall reads a call that returns a character: chr(104). Like the other functions for written.read, it returns nil
// and 0 for other text.
func readCall(text []byte) ([]byte, int) {
	n := letterLen(text)
	if n > 0 && n < len(text) && text[n] == '$' { // Basic
		n++
	}
	if n == 0 || n == len(text) || text[n] != '(' {
		return nil, 0
	}
	c, k := readNumber(text[n+1:])
	n += 1 + k
	if k == 0 || n == len(text) || text[n] != ')' {
		return nil, 0
	}
	return c, n + 1
}

// readCast reads the code of a character after a type: (char)104 and [char]104.
func readCast(text []byte) ([]byte, int) {
	if len(text) == 0 || text[0] != '(' && text[0] != '[' {
		return nil, 0
	}
	n := 1 + letterLen(text[1:])
	if n == len(text) || text[n] != ')' && text[n] != ']' {
		return nil, 0
	}
	n++
	n += blankLen(text[n:])
	c, k := readNumber(text[n:])
	if k == 0 {
		return nil, 0
	}
	return c, n + k
}

func letterLen(text []byte) int {
	n := 0
	for n < len(text) && n < maxNumber && text[n]|0x20 >= 'a' && text[n]|0x20 <= 'z' {
		n++
	}
	return n
}

// readSuffixed reads the code of a character before a type: 104u8.
func readSuffixed(text []byte) ([]byte, int) {
	c, n := readNumber(text)
	rest := bytes.TrimPrefix(text[n:], []byte("_"))
	if n == 0 || !hasHead(rest, "u8") {
		return nil, 0
	}
	return c, len(text) - len(rest) + len("u8")
}

// readAssembled reads the code of a character in assembler code: 68h and 068h.
func readAssembled(text []byte) ([]byte, int) {
	n := 0
	for n < len(text) && n < len("068") && isHex(text[n]) {
		n++
	}
	if n < 2 || n == len(text) || text[n]|0x20 != 'h' {
		return nil, 0
	}
	return character(text[:n], 16, n+1)
}

// readElement reads a character in an HTML element: <b>h</b>.
func readElement(text []byte) ([]byte, int) {
	name := 0
	if len(text) > 0 && text[0] == '<' {
		name = letterLen(text[1:])
	}
	open := bytes.IndexByte(text[:min(len(text), maxCharacter)], '>') + 1
	if name == 0 || open == 0 || alnum[text[1+name]] || bytes.IndexByte(text[1:open-1], '<') >= 0 {
		return nil, 0
	}
	r, size := utf8.DecodeRune(text[open:])
	if size == 0 || r <= ' ' {
		return nil, 0
	}
	rest, ok := bytes.CutPrefix(text[open+size:], []byte("</"))
	if !ok || !bytes.HasPrefix(rest, text[1:1+name]) || len(rest) == name || rest[name] != '>' {
		return nil, 0
	}
	return text[open : open+size], len(text) - len(rest) + name + 1
}

// lineText returns a line without the separators at its end.
func lineText(line []byte) []byte { return bytes.TrimRight(line, " ,;\r") }

// endsAlone reports whether a line ends with a single character or its code, with or without quotes. A blank, a quote
// or a closing bracket must precede the character or the code.
func endsAlone(line []byte) bool {
	text := bytes.TrimRight(line, "\"'")
	const longest = len("0x0068")
	for from := max(1, len(text)-longest); from < len(text); from++ {
		switch text[from-1] {
		case ' ', '\t', '"', '\'', ']':
			if isCharacter(bytes.TrimLeft(text[from:], "\"'")) {
				return true
			}
		}
	}
	return false
}

// isCharacter reports whether a text is one visible character, or the code of a character.
func isCharacter(text []byte) bool {
	if _, n := readNumber(text); n > 1 && n == len(text) {
		return true
	}
	r, n := utf8.DecodeRune(text)
	return n > 0 && n == len(text) && r > ' '
}

// readPrefixed reads a line with a prefix and a single character or its code: "web-1  | h". It returns the character
// and the length of the line, or nil and 0 for another line.
func readPrefixed(text []byte) ([]byte, int) {
	end := bytes.IndexByte(text[:min(len(text), maxCharacter)], '\n')
	if end < 0 {
		return nil, 0
	}
	line := lineText(text[:end])
	if !endsAlone(line) {
		return nil, 0
	}
	for m := range margins(line) {
		if m == 0 {
			continue
		}
		rest := bytes.Trim(line[m:], "\"'")
		if !isCharacter(rest) {
			continue
		}
		if c, n := readNumber(rest); n == len(rest) && n > 1 {
			return c, end + 1
		}
		return rest, end + 1
	}
	return nil, 0
}

// numbered returns the possible beginnings of a numbered list of single letters and digits, such as "0: h".
func numbered() []string {
	var list []string
	for c := range alnum {
		if alnum[c] {
			list = append(list, "0: "+string(rune(c)))
		}
	}
	return list
}

// readNumbered reads a line of a numbered list of characters: 3: h.
func readNumbered(text []byte) ([]byte, int) {
	n := digits(text[:min(len(text), len("1000"))])
	if n == 0 || !hasHead(text[n:], ": ") {
		return nil, 0
	}
	from := n + len(": ")
	r, size := utf8.DecodeRune(text[from:])
	behind := bytes.TrimPrefix(text[from+size:], []byte("\r"))
	if r <= ' ' || size == 0 || len(behind) == 0 || behind[0] != '\n' {
		return nil, 0
	}
	return text[from : from+size], len(text) - len(behind) + 1
}

// readNamedNumber reads the code of a character after a name: ord=104.
func readNamedNumber(text []byte) ([]byte, int) {
	n := letterLen(text)
	if n == 0 || n == len(text) || text[n] != '=' {
		return nil, 0
	}
	c, k := readNumber(text[n+1:])
	end := n + 1 + k
	if k < 2 || end < len(text) && alnum[text[end]] {
		return nil, 0
	}
	return c, end
}

// readCodePoint reads the code point of a character: U+0068.
func readCodePoint(text []byte) ([]byte, int) {
	if len(text) < len("U+0068") || text[0] != 'U' || text[1] != '+' {
		return nil, 0
	}
	return character(text[2:6], 16, len("U+0068"))
}

// readIndexed reads an item of a list with its index: [0] = 104 and [0] => 'h'.
func readIndexed(text []byte) ([]byte, int) {
	if len(text) == 0 || text[0] != '[' {
		return nil, 0
	}
	n := 1
	for n < len(text) && n < 1+len("1000") && text[n] >= '0' && text[n] <= '9' {
		n++
	}
	if n == 1 || n == len(text) || text[n] != ']' {
		return nil, 0
	}
	rest := bytes.TrimLeft(text[n+1:], " =:>")
	if len(rest) == len(text[n+1:]) {
		return nil, 0
	}
	if c, k := readNumber(rest); k > 1 {
		return c, len(text) - len(rest) + k
	}
	quote := quoteLen(rest)
	r, size := utf8.DecodeRune(rest[quote:])
	if size == 0 || r <= ' ' {
		return nil, 0
	}
	return rest[quote : quote+size], len(text) - len(rest) + 2*quote + size
}
