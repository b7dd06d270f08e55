package redact

import (
	"bytes"
	"strings"
)

// readPair reads the value in a pair of fields: name: DB_PASSWORD, value: VALUE. text[end] is the end of the name.
// readPair reports whether it needs more text.
func (n *named) readPair(end int) (more bool) {
	text := n.text[end:min(len(n.text), end+maxWord/4)]
	if part := bytes.TrimLeft(text, `"`); contains(thisLine(n.left), "form-data;") {
		for _, open := range []string{"\n\n", "\r\n\r\n"} {
			if hasHead(part, open) {
				n.style, n.quoted = stylePair, false
				return n.readValue(end + len(text) - len(part) + len(open))
			}
		}
		return len(part) < len("\r\n\r\n") && !n.final
	}
	word := afterPairGap(text, thisLine(n.left))
	stop := 0
	for stop < len(word) && (word[stop]|0x20 >= 'a' && word[stop]|0x20 <= 'z' || word[stop] == '_') {
		stop++
	}
	after := bytes.TrimLeft(word[stop:], " \t\"'\\")
	if len(after) == 0 {
		return !n.final && len(text) < maxWord/4
	}
	if dot := bytes.IndexByte(word, '.'); dot > 0 && hasHead(word, "env[") && dot < maxNumber { // env[0].value
		word, stop = word[dot+1:], letterCount(word[dot+1:])
		after = word[stop:]
	}
	field := bytes.ToLower(word[:stop])
	if !hasTail(field, "value") && string(field) != "content" || after[0] != ':' && after[0] != '=' {
		first, next, _ := cutAt(text, "\n")
		inPrefix := len(next) > 0 && len(next) <= len(n.left) && bytes.HasPrefix(thisLine(n.left), next)
		return !n.final && inPrefix && len(text) < maxWord/4 && len(bytes.Trim(first, " \t\r\"',")) == 0
	}
	at := end + len(text) - len(after) + 1
	at += blankLen(n.text[at:])
	if n.isCookie() {
		n.style = styleColon
		return n.readCookie(at)
	}
	n.style, n.quoted = stylePair, false
	if more := n.readValue(at); more {
		return true
	}
	scheme, rest, ok := cutAt(n.value, " ")
	if ok && n.inQuotes && schemes[strings.ToLower(string(scheme))] {
		n.from, n.value = n.from+len(scheme)+1, rest // a header: Basic VALUE
	}
	return false
}

// afterPairGap returns the text after the end of a field's value, which begins with the name of the next field. The
// line end between the two fields may be escaped, and both lines may begin with the same text of a log. The argument
// line is the beginning of the first line.
func afterPairGap(text, line []byte) []byte {
	for {
		rest := bytes.TrimLeft(text, " \t\r\"',-")
		switch {
		case hasHead(rest, "\n"):
			rest = rest[1:]
			rest = rest[commonLen(rest, line):]
		case hasHead(rest, `\n`), hasHead(rest, `\r`), hasHead(rest, `\t`):
			rest = rest[2:]
		case hasHead(rest, `\`):
			rest = rest[1:]
		}
		if len(rest) == len(text) {
			return rest
		}
		text = rest
	}
}

// commonLen returns the number of bytes with which two texts begin in common, up to the last byte that is no letter.
func commonLen(a, b []byte) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	for n > 0 && wordBytes[a[n-1]] {
		n--
	}
	return n
}
