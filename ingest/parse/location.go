package parse

import (
	"strings"
)

// Place is a position in a source file as a tool writes it.
type Place struct {
	File         string
	Line, Column int // 0 means unknown
}

// PlaceAt reads a place at the start of text: "file:line:column: rest", "file:line: rest" or "file(line,column):
// rest". rest has no leading blanks. A file name must have an extension or a slash, or be a well-known name. The
// name must have no blanks at its ends.
func PlaceAt(text string) (p Place, rest string, ok bool) {
	start := 0
	if len(text) > 2 && text[1] == ':' && (text[2] == '\\' || text[2] == '/') { // C:\x.c
		start = 2
	}
	for i := start; i < len(text) && i < 500; i++ {
		switch text[i] {
		case ':':
			if p, rest, ok = colonPlace(text, i); ok {
				return p, rest, true
			}
			if i+1 < len(text) && text[i+1] == ' ' {
				return Place{}, text, false
			}
		case '(':
			if p, rest, ok = parenPlace(text, i); ok {
				return p, rest, true
			}
		}
	}
	return Place{}, text, false
}

func colonPlace(text string, i int) (Place, string, bool) {
	line, n := Number(text[i+1:])
	if n == 0 || !IsFileName(text[:i]) {
		return Place{}, text, false
	}
	p := Place{File: text[:i], Line: line}
	rest := text[i+1+n:]
	if strings.HasPrefix(rest, ":") {
		if col, n := Number(rest[1:]); n > 0 {
			p.Column = col
			rest = rest[1+n:]
		}
	}
	if rest == "" {
		return p, "", true
	}
	if rest[0] != ':' && rest[0] != ' ' && rest[0] != ',' {
		return Place{}, text, false
	}
	return p, strings.TrimLeft(rest[1:], " \t"), true
}

func parenPlace(text string, i int) (Place, string, bool) {
	line, n := Number(text[i+1:])
	if n == 0 || !IsFileName(text[:i]) {
		return Place{}, text, false
	}
	p := Place{File: text[:i], Line: line}
	rest := text[i+1+n:]
	if strings.HasPrefix(rest, ",") {
		col, n := Number(rest[1:])
		if n == 0 {
			return Place{}, text, false
		}
		p.Column = col
		rest = rest[1+n:]
		for strings.HasPrefix(rest, ",") { // MSBuild: (line,col,endLine,endCol)
			_, n := Number(rest[1:])
			if n == 0 {
				break
			}
			rest = rest[1+n:]
		}
	}
	if !strings.HasPrefix(rest, ")") {
		return Place{}, text, false
	}
	return p, strings.TrimLeft(strings.TrimPrefix(strings.TrimLeft(rest[1:], " "), ":"), " \t"), true
}

// rangeAt reads a range, which is a place that has an end, at the start of text: "file:3.5-9: rest", "file:3:5-9:
// rest" or "file:(3,5)-(4,9): rest". rest has no leading blanks. "file:3:5: rest" is not a range, because it has no
// end. "file:3.5: rest" is a range of one column.
func rangeAt(text string) (p Place, rest string, ok bool) {
	start := 0
	if len(text) > 2 && text[1] == ':' && (text[2] == '\\' || text[2] == '/') { // C:\x.c
		start = 2
	}
	i := strings.IndexByte(text[start:], ':') + start
	if i <= start || !IsFileName(text[:i]) {
		return Place{}, text, false
	}
	at, rest, ok := strings.Cut(text[i+1:], ": ")
	if !ok {
		at, ok = strings.CutSuffix(at, ":")
	}
	line, from := strings.TrimPrefix(at, "("), 0
	p = Place{File: text[:i]}
	p.Line, from = Number(line)
	if !ok || from == 0 || from == len(line) || strings.IndexByte(".:,", line[from]) < 0 {
		return Place{}, text, false
	}
	column := line[from+1:]
	var n int
	p.Column, n = Number(column)
	isRange := line[from] == '.' || strings.IndexByte(column, '-') >= 0
	if n == 0 || !isRange || strings.Trim(column[n:], "()-,.:0123456789") != "" {
		return Place{}, text, false
	}
	return p, strings.TrimLeft(rest, " \t"), true
}

// Number reads a decimal number at the start of s, up to its ninth digit. It also returns the number of digits that it
// read, which is 0 if there is no number.
func Number(s string) (value, length int) {
	for length < len(s) && length < 9 && IsDigit(s[length]) {
		value = value*10 + int(s[length]-'0')
		length++
	}
	return value, length
}

// IsFileName reports whether s can be a file name in a message. The name may contain ***, which replaces a secret.
func IsFileName(s string) bool {
	if strings.Contains(s, hidden) {
		s = unmasked(s)
	}
	if s == "" || s[0] == ' ' || s[len(s)-1] == ' ' || len(s) > 400 || hasByte(s, &notInNames) {
		return false
	}
	base := s[strings.LastIndexAny(s, `/\`)+1:]
	if base == "" {
		return false
	}
	if dot := strings.LastIndexByte(base, '.'); dot > 0 && dot+1 < len(base) && !AllDigits(base[dot+1:]) {
		return strings.IndexByte(s, ' ') < 0 || strings.ContainsAny(s, `/\`)
	}
	if strings.IndexByte(s, ' ') >= 0 || strings.Contains(s, "://") {
		return false
	}
	return strings.ContainsAny(s, `/\`) || strings.HasSuffix(base, "file") || strings.HasPrefix(base, "Dockerfile")
}

// hidden is the text that replaces secrets.
const hidden = "***"

// unmasked returns a name with an x in place of each mask. If a blank is next to the asterisks, they
// are not a mask, and unmasked returns the name unchanged.
func unmasked(s string) string {
	for part := range strings.SplitSeq(s, hidden) {
		if strings.HasPrefix(part, " ") || strings.HasSuffix(part, " ") {
			return s
		}
	}
	return strings.ReplaceAll(s, hidden, "x")
}

// notInNames are bytes that do not occur in file names of messages.
var notInNames = byteSet("\"'`<>|*?\t=")

func byteSet(bytes string) (set [256]bool) {
	for i := range len(bytes) {
		set[bytes[i]] = true
	}
	return set
}

func hasByte(s string, set *[256]bool) bool {
	for i := range len(s) {
		if set[s[i]] {
			return true
		}
	}
	return false
}

// AllDigits reports whether s consists only of digits, at most nine. It returns true for an empty s.
func AllDigits(s string) bool {
	_, n := Number(s)
	return n == len(s)
}

// IsDigit reports whether c is an ASCII digit.
func IsDigit(c byte) bool { return '0' <= c && c <= '9' }

// IsLower reports whether c is a lowercase ASCII letter.
func IsLower(c byte) bool { return 'a' <= c && c <= 'z' }
