package redact

import (
	"bytes"
)

const (
	longestKey   = 16 << 10 // in PEM; one of 16,384 bits has 13 KB
	longestLabel = 100      // of its first line
	fullRun      = 40       // characters of base64 that make a line one of a key
	mostShort    = 4        // lines with fewer in a row: headers, the last, a checksum
)

// privateKey is a private key in PEM or OpenPGP's armor, on many lines or with
// its line ends escaped on one.
func privateKey() *shape {
	s := compileShape("private-key", "BEGIN ")
	s.custom = keyBody
	return s
}

// keyBody finds what stands between the first and the last line of a private
// key. Of one that is cut off it takes the lines that look like a key's.
func keyBody(text []byte, final bool) match {
	from, more := keyLabel(text, final)
	if more || from == 0 {
		return match{more: more}
	}
	if len(text) >= longestKey {
		text, final = text[:longestKey], true
	}
	to, full := from, 0
	for short := 0; to < len(text) && short <= mostShort; {
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

// keyLabel returns what is behind the first line's dashes, 0 for no private key.
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

// run says how much a line of a key holds.
type run int

const (
	runNone run = iota // it is none of a key
	runShort
	runFull
)

// longestRun says how a line looks. Blank lines and headers may stand in a key.
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
