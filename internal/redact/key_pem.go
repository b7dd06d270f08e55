package redact

import (
	"bytes"
	"unicode/utf8"
)

const (
	longestKey   = 16 << 10 // max bytes of a PEM key; a key of 16,384 bits has 13 KB
	longestLabel = 100      // max bytes of the first line
	fullRun      = 40       // base64 characters in a full line of a key
	maxShort     = 4        // max consecutive shorter lines: headers, the last line, a checksum
)

// privateKey returns the shape of a private key in PEM or OpenPGP armor. The key has many lines, or one line with
// escaped line ends.
func privateKey() *shape {
	s := compileShape("private-key", "BEGIN ")
	s.custom = keyBody
	return s
}

// keyBody finds the text between the first and the last line of a private key. If the last line is missing, keyBody
// finds all lines that look like a key.
func keyBody(text []byte, final bool) match {
	from, more := keyLabel(text, final)
	if more || from == 0 {
		return match{more: more}
	}
	if len(text) >= longestKey {
		text, final = text[:longestKey], true
	}
	if next := indexOf(text[from:], "BEGIN "); next >= 0 {
		text, final = text[:from+next], true // the next key ends this one
	}
	to, full, margin := from, 0, 0
	for short := 0; to < len(text) && short <= maxShort; {
		line, whole := text[to:], final
		if i := bytes.IndexByte(line, '\n'); i >= 0 {
			line, whole = line[:i+1], true
		}
		for _, last := range []string{"-----END", "---- END"} {
			if end := bytes.Index(line, []byte(last)); end >= 0 {
				isCode := contains(line[:end], " = ")
				return match{from: from, to: to + end, ok: !isCode && hasKeyWord(text[from:to+end])}
			}
		}
		if !whole {
			return match{more: true}
		}
		kind, end := longestRun(line)
		switch {
		case kind == runFull:
			full, short, margin = full+1, 0, runStart(line, end)
		case kind == runShort, full > 0 && isLastLine(line, margin):
			short++
		default:
			return match{from: from, to: to, ok: full > 0}
		}
		to += len(line)
	}
	if to == len(text) && !final {
		return match{more: true}
	}
	return match{from: from, to: to, ok: full > 0}
}

// hasKeyWord reports whether a text has a word that may be a part of a key: at least eight base64 characters with a
// digit. A sentence about the first and the last line of a key usually has no such word.
func hasKeyWord(text []byte) bool {
	const shortest = 8
	n, digits := 0, 0
	for _, c := range text {
		switch {
		case !base64Bytes[c] || c == '-':
			n, digits = 0, 0
			continue
		case c >= '0' && c <= '9':
			digits++
		}
		if n++; n >= shortest && digits > 0 {
			return true
		}
	}
	return false
}

// keyLabel returns the length of the first line of a private key. It returns 0 if the text does not begin with such
// a line. undecided is true if further text is needed.
func keyLabel(text []byte, final bool) (from int, undecided bool) {
	head := text[:min(len(text), longestLabel)]
	final = final || len(head) == longestLabel
	if line := bytes.IndexByte(head, '\n'); line >= 0 {
		head, final = head[:line], true
	}
	label := max(indexOf(head, "PRIVATE KEY"), indexOf(head, "PRIVATE+KEY"))
	if label < 0 {
		return 0, !final && isLabel(head)
	}
	const least = "----" // SSH2 has four dashes
	dashes := bytes.Index(head[label:], []byte(least))
	if dashes < 0 || !isLabel(head[:label]) {
		return 0, !final && dashes < 0
	}
	from = label + dashes + len(least)
	return from + min(1, len(head[from:])-len(bytes.TrimPrefix(head[from:], []byte("-")))), false
}

// isLabel reports whether a text may be the beginning of a first line. Forms have + in place of blanks.
func isLabel(text []byte) bool {
	for _, c := range text {
		if !(c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == ' ' || c == '_' || c == '+') {
			return false
		}
	}
	return true
}

// run is the kind of a line in a key: runFull for a line that is full of base64, runShort for another line that may
// belong to a key.
type run int

const (
	runNone run = iota // not a line of a key
	runShort
	runFull
)

// longestRun returns the kind of a line. For a line with a long run of base64 characters, it also returns an index in
// this run. Blank lines and headers may be part of a key, so they are runShort.
func longestRun(line []byte) (kind run, at int) {
	for i, n := 0, 0; i < len(line); i++ {
		if entity := entityLen(line[i:]); entity > 0 {
			i += entity - 1
		} else if !base64Bytes[line[i]] {
			n = 0
			continue
		}
		if n++; n >= fullRun {
			return runFull, i
		}
	}
	words := bytes.Fields(line)
	if len(words) == 0 || contains(line, ": ") && len(words) <= 4 {
		return runShort, 0
	}
	last := bytes.TrimRight(words[len(words)-1], "\"',;+)")
	last = bytes.TrimSuffix(bytes.TrimSuffix(last, []byte(`\n`)), []byte(`\r`))
	for _, c := range bytes.TrimLeft(bytes.TrimRight(last, "="), "\"'") {
		if !base64Bytes[c] && !(len(words) == 1 && isMark(last)) { // a mark before each line
			return runNone, 0
		}
	}
	if len(words) > 2 {
		return runNone, 0
	}
	return runShort, 0
}

// isMark reports whether a word is one character, such as the border of a box.
func isMark(word []byte) bool { return utf8.RuneCount(word) == 1 }

// entityLen returns the length of a character of base64 that is written as a reference of HTML, such as &#43; for +.
func entityLen(text []byte) int {
	for _, entity := range []string{"&#43;", "&#47;", "&#x2B;", "&#x2F;", "&#x2b;", "&#x2f;", "&plus;", "&sol;"} {
		if text[0] == '&' && hasHead(text, entity) {
			return len(entity)
		}
	}
	return 0
}

// runStart returns the beginning of the base64 around line[at].
func runStart(line []byte, at int) int {
	for at > 0 && (base64Bytes[line[at-1]] || line[at-1] == ';') {
		at--
	}
	return at
}

// isLastLine reports whether a short line belongs to a key whose lines have other text before the base64. The base64 of
// the line above begins at the index margin.
func isLastLine(line []byte, margin int) bool {
	if margin == 0 || len(line) <= margin {
		return false
	}
	words := bytes.Fields(line[margin:])
	if len(words) > 1 && isMark(words[len(words)-1]) {
		words = words[:len(words)-1]
	}
	return len(words) == 1 && keyLine(words[0]) > 0 && isKeyWord(words[0])
}

// keyTail returns the shape of the last line of a private key. The lines above it are secret even if the first line
// is missing.
func keyTail() *shape {
	return &shape{name: "private-key-tail", triggers: []string{"END "}, tail: true}
}

// tail records the lines of a private key above its last line, "-----END PRIVATE KEY-----". text[i:] begins with
// END. undecided is true if further text is needed.
func (s *scan) tail(i int) (undecided bool) {
	from, undecided := keyLabel(s.text[i+1:], s.final) // keyLabel accepts END in place of BEGIN
	if undecided || from == 0 || !hasTail(s.text[:i], "-----") {
		return undecided
	}
	end := bytes.LastIndexByte(s.text[:i], '\n') + 1
	if first := s.keyLines(end); first < end {
		s.spans = append(s.spans, span{first, first, end - 1})
	}
	return false
}

// keyLines returns the index of the first of the key lines at the end of text[:end], or end if there are none. Key
// lines are full lines of base64. A shorter line and a checksum may follow them.
func (s *scan) keyLines(end int) int {
	first, short := end, false
	for at := end; at > 0 && end-at < longestKey; {
		at = s.lineAt(at)
		line := s.text[at:first]
		if first == end && len(bytes.TrimSpace(line)) == len("=abcd") && line[0] == '=' {
			first = at
			continue
		}
		n := keyLine(line)
		if n == 0 || n < fullRun && (short || first < end && s.text[first] != '=' || !isKeyWord(line)) {
			break
		}
		first, short = at, true
	}
	return first
}

// isKeyWord reports whether a short line may belong to a key: it has at least 8 bytes, and a digit or a final "=". Most
// words of ordinary text have neither.
func isKeyWord(line []byte) bool {
	text := bytes.TrimSpace(line)
	_, digits, _ := count(string(text))
	return len(text) >= 8 && (digits > 0 || hasTail(text, "="))
}

// keyLine returns the number of base64 characters in a line of a key, or 0 for another line.
func keyLine(line []byte) int {
	_, n := keyText(line)
	return n
}

// keyText returns the index of the first base64 character in a line of a key, and the number of these characters. The
// number is 0 if the line is not a line of a key.
func keyText(line []byte) (from, length int) {
	line = bytes.TrimRight(line, "\r\n\"',\\ ")
	for at := range marginsOfDiff(line) {
		text := bytes.TrimRight(line[at:], "=")
		n := 0
		for n < len(text) && base64Bytes[text[n]] && text[n] != '-' && text[n] != '_' {
			n++
		}
		if n == len(text) && n >= gramSize {
			return at, n
		}
	}
	return 0, 0
}

// holdKey returns how many bytes need not be searched again, at most the parameter settled. Lines at the end of the
// text must be searched again if they may belong to a key.
func (s *scan) holdKey(settled int) int {
	if s.final || !s.shapes.all {
		return settled
	}
	end := bytes.LastIndexByte(s.text, '\n') + 1
	from := s.keyLines(end)
	if from == end || from == 0 && len(s.past) > 0 && s.past[len(s.past)-1] != '\n' ||
		!continuesKey(s.text[s.lineAt(end):end], s.text[end:]) {
		return settled
	}
	return min(settled, from)
}

// continuesKey reports whether the line that begins with head may belong to the same key as the previous line. It may
// be a further line of the key, or the last line, -----END PRIVATE KEY-----.
func continuesKey(previous, head []byte) bool {
	const last = "-----END "
	if len(head) >= longestLabel {
		return false
	}
	margin, _ := keyText(previous)
	if len(head) <= margin {
		return true
	}
	for at := range marginsOfDiff(head) {
		rest := head[at:]
		if hasHead(rest, last) || len(rest) < len(last) && hasHead([]byte(last), string(rest)) {
			return true
		}
		if rest = bytes.TrimRight(rest, "="); len(bytes.TrimLeftFunc(rest, isBase64)) == 0 {
			return true
		}
	}
	return false
}

func isBase64(r rune) bool { return r <= 'z' && base64Bytes[byte(r)] }
