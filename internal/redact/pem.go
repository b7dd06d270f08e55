package redact

import (
	"bytes"
)

const (
	longestKey   = 16 << 10 // max bytes of a key in PEM; one of 16,384 bits has 13 KB
	longestLabel = 100      // max bytes of its first line
	fullRun      = 40       // characters of base64 in a full line of a key
	maxShort     = 4        // max lines in a row that are shorter: headers, the last line, a checksum
)

// privateKey returns the shape of a private key in PEM or OpenPGP's armor, on many lines or on one
// with escaped line ends.
func privateKey() *shape {
	s := compileShape("private-key", "BEGIN ")
	s.custom = keyBody
	return s
}

// keyBody finds the text between the first and the last line of a private key. If the key is cut
// off, it takes the lines that look like a key's.
func keyBody(text []byte, final bool) match {
	from, more := keyLabel(text, final)
	if more || from == 0 {
		return match{more: more}
	}
	if len(text) >= longestKey {
		text, final = text[:longestKey], true
	}
	to, full := from, 0
	for short := 0; to < len(text) && short <= maxShort; {
		line, whole := text[to:], final
		if i := bytes.IndexByte(line, '\n'); i >= 0 {
			line, whole = line[:i+1], true
		}
		if end := bytes.Index(line, []byte("-----END")); end >= 0 {
			return match{from: from, to: to + end, ok: to+end > from}
		}
		if !whole {
			return match{more: true}
		}
		switch longestRun(line) {
		case runFull:
			full, short = full+1, 0
		case runShort:
			short++
		case runNone:
			return match{from: from, to: to, ok: full > 0}
		}
		to += len(line)
	}
	if to == len(text) && !final {
		return match{more: true}
	}
	return match{from: from, to: to, ok: full > 0}
}

// keyLabel returns the offset behind the first line of a private key, or 0 if text does not begin with one. It
// also reports whether it needs more text to tell.
func keyLabel(text []byte, final bool) (from int, more bool) {
	head := text[:min(len(text), longestLabel)]
	final = final || len(head) == longestLabel
	if line := bytes.IndexByte(head, '\n'); line >= 0 {
		head, final = head[:line], true
	}
	label := bytes.Index(head, []byte("PRIVATE KEY"))
	if label < 0 {
		return 0, !final && isLabel(head)
	}
	dashes := bytes.Index(head[label:], []byte("-----"))
	if dashes < 0 || !isLabel(head[:label]) {
		return 0, !final && dashes < 0
	}
	return label + dashes + len("-----"), false
}

func isLabel(text []byte) bool {
	for _, c := range text {
		if !(c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == ' ' || c == '_') {
			return false
		}
	}
	return true
}

// run says how much of a key a line holds.
type run int

const (
	runNone run = iota // not a line of a key
	runShort
	runFull
)

// longestRun returns the kind of a line. Blank lines and headers may be part of a key.
func longestRun(line []byte) run {
	words := bytes.Fields(line)
	if len(words) == 0 || bytes.Contains(line, []byte(": ")) && len(words) <= 4 {
		return runShort
	}
	n := 0
	for _, c := range line {
		if n++; !base64Bytes[c] {
			n = 0
		}
		if n >= fullRun {
			return runFull
		}
	}
	for _, c := range bytes.TrimRight(words[len(words)-1], "=") {
		if !base64Bytes[c] {
			return runNone
		}
	}
	if len(words) > 2 {
		return runNone
	}
	return runShort
}
