package redact

import (
	"bytes"
	"strings"
)

// maxBlock is the max length in bytes of a YAML block of text.
const maxBlock = 8 << 10

// readBlock reads a YAML value on the lines below its name: a block after | or >, or a single word. The
// result found reports whether there is such a value. undecided is true if further text is needed.
func (n *named) readBlock(at int) (found, undecided bool) {
	text := n.text[at:min(len(n.text), at+maxBlock)]
	final := n.final || len(text) == maxBlock
	head, isBlock := blockHead(text)
	if head == len(text) {
		return false, !final
	}
	if head == 0 {
		return false, false
	}
	margin := blankLen(thisLine(n.left))
	from, to := 0, head
	for line := range bytes.Lines(text[head:]) {
		indent := blankLen(line)
		blank := len(bytes.TrimSpace(line)) == 0
		if !blank && indent <= margin {
			break
		}
		if line[len(line)-1] != '\n' && !final {
			return false, true
		}
		if from == 0 && !blank {
			from, margin = to+indent, indent-1
		}
		to += len(line)
		if !isBlock && !blank {
			break
		}
	}
	if to == len(text) && (isBlock || from == 0) && !final {
		return false, true
	}
	value := bytes.TrimRight(text[from:to], " \t\r\n")
	if from == 0 || !isBlock && !isWord(value) {
		return false, false
	}
	n.from, n.value, n.behind = at+from, value, text[from+len(value):]
	n.quoted, n.tight = true, false
	return true, false
}

// explicitGap returns the length of the text between a name and its value if both have a line of their own in YAML:
// "? password" and ": VALUE". It returns 0 for other text. rest is the text after the name. undecided is true if
// further text is needed.
func explicitGap(left, rest []byte) (gap int, undecided bool) {
	if !hasTail(bytes.TrimRight(left, `"'`), "? ") {
		return 0, false
	}
	rest = rest[:min(len(rest), maxWord/4)]
	next := trimLeft(rest)
	gap = len(rest) - len(next)
	if bytes.Count(rest[:gap], []byte("\n")) != 1 || !hasHead(next, ": ") {
		return 0, len(rest) < maxWord/4 && (len(next) == 0 || string(next) == ":")
	}
	return gap + len(": "), false
}

// blockHead returns the length of the text between a name's colon and the lines of its value, including the line
// end. It returns len(text) if the text ends before these lines, and 0 for a value on the same line. isBlock is true
// if | or > marks the lines as a block.
func blockHead(text []byte) (n int, isBlock bool) {
	if len(text) > 0 && (text[0] == '|' || text[0] == '>') {
		isBlock = true
		for n = 1; n < len(text) && n < 3 && (text[n] == '-' || text[n] == '+' || text[n] >= '1' && text[n] <= '9'); {
			n++
		}
	}
	n += blankLen(text[n:])
	if isBlock && n < len(text) && text[n] == '#' {
		if end := bytes.IndexByte(text[n:], '\n'); end >= 0 {
			n += end
		}
	}
	if n < len(text) && text[n] == '\r' {
		n++
	}
	switch {
	case n == len(text):
		return n, isBlock
	case text[n] == '\n':
		return n + 1, isBlock
	}
	return 0, false
}

// isWord reports whether a line is a single word that may be a secret. It returns false for a list item, for a line
// with a name, and for a call in source code.
func isWord(line []byte) bool {
	word := bytes.Trim(line, "\"'")
	if len(bytes.Fields(word)) != 1 || hasTail(word, ":") || word[0] == '-' || isVariable(string(word)) ||
		isCall(string(line)) || hasTail(line, ",") || hasTail(line, "(") {
		return false
	}
	letters, digits, others := count(string(word))
	return len(word) >= shortestSecret && letters > 0 && digits+others > 0 && !isName(string(word))
}

// readLines reads a value of several lines: between three quotes, as in Python and TOML, or after <<EOT, as in
// Terraform. The result found reports whether there is such a value. undecided is true if further text is needed.
func (n *named) readLines(at int) (found, undecided bool) {
	text := n.text[at:min(len(n.text), at+maxBlock)]
	final := n.final || len(text) == maxBlock
	var end []byte
	if !final && len(text) < 3 && (string(text) == "<" || len(text) > 0 && len(bytes.Trim(text, `"'`)) == 0) {
		return false, true
	}
	switch {
	case hasHead(text, `"""`), hasHead(text, "'''"):
		end = text[:3]
		line := text[3:]
		if n := bytes.IndexByte(line, '\n'); n >= 0 {
			line = line[:n]
		} else if !final && len(line) < maxWord {
			return false, true
		}
		if stop := bytes.Index(line, end); stop > 0 && bytes.IndexByte(line[:stop], ' ') < 0 {
			n.from, n.value, n.behind = at+3, line[:stop], text[3+stop+3:]
			n.quoted, n.inQuotes = true, true
			return true, false
		}
	case hasHead(text, "<<") && n.style == styleSpaced:
		word := bytes.TrimLeft(text[len("<<"):], "-~")
		stop := bytes.IndexByte(word, '\n')
		if stop < 0 {
			return false, !final && len(word) < maxWord/4
		}
		end = bytes.TrimRight(word[:stop], "\r")
	default:
		return false, false
	}
	line := bytes.IndexByte(text, '\n') + 1
	if line == 0 {
		return false, !final && len(text) < maxWord && len(bytes.TrimSpace(text)) == len(end)
	}
	if len(end) == 0 || len(bytes.TrimSpace(text[:line])) > len(end)+len("<<-") {
		return false, false
	}
	stop := bytes.Index(text[line:], end)
	if stop < 0 {
		return false, !final
	}
	value := bytes.TrimSpace(text[line : line+stop])
	if len(value) == 0 || bytes.IndexByte(value, ' ') >= 0 {
		return false, false // the value is a sentence
	}
	n.from = at + line + bytes.Index(text[line:], value)
	n.value, n.behind = value, text[n.from-at+len(value):]
	n.quoted, n.inQuotes = true, true
	return true, false
}

// maxBelow is the max number of line ends between a name and a value below it.
const maxBelow = 3

// below returns the index of a value that has a line of its own below its name, or 0 for none. The text begins after
// the separator. A value without quotes must not be a mere word. undecided is true if further text is needed.
func (n *named) below(text []byte) (at int, undecided bool) {
	text = text[:min(len(text), maxWord)]
	open := !n.final && len(text) < maxWord
	value := trimLeft(text)
	at = len(text) - len(value)
	lines := bytes.Count(text[:at], []byte("\n"))
	if lines > maxBelow || len(value) > 0 && lines == 0 {
		return 0, false
	}
	line, _, whole := cutAt(value, "\n")
	if !whole && open {
		return 0, len(value) == 0 || bytes.IndexByte(line, ' ') < 0 || quoteLen(value) > 0
	}
	line = bytes.TrimRight(line, " \t\r;,)")
	if quote := quoteLen(line); quote > 0 {
		end := quotedLen(line[quote:], line[:quote])
		if n.style == styleColon && !n.quoted || end < 0 || end+2*quote < len(line) {
			return 0, false
		}
		return at, false
	}
	v := string(line)
	_, digits, _ := count(v)
	if len(v) < minDocumented || digits == 0 || !isGiven(v) || isAssigned(line) && !strings.HasSuffix(v, "=") ||
		strings.ContainsAny(v, ":/[]{}<>,;`\"'|") || isVersion(v) || isFileName(v) || strings.Count(v, ".") > 1 {
		return 0, false
	}
	return at, false
}
