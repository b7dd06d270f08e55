package redact

import (
	"bytes"
	"strings"
)

// isVariable reports whether a value is a placeholder for another value: $X, ${X}, $(cmd), <token>, {{ x }}, %s, ***.
func isVariable(v string) bool {
	next := byte(0)
	if len(v) > 1 {
		next = v[1]
	}
	switch v[0] {
	case '$':
		return next == '{' || next == '(' || next == '_' || next >= 'A' && next <= 'Z' || next >= 'a' && next <= 'z' &&
			len(v) < 40
	case '<', '[', '(', '*':
		return true
	case '{':
		return next == '{' || next == '}' || strings.HasSuffix(v, "}")
	case '%':
		return len(v) < 4 || strings.HasSuffix(v, "%")
	}
	return strings.HasPrefix(v, "...") || strings.Contains(v, "${") || strings.Contains(v, "$(") ||
		strings.Contains(v, Mask)
}

// isName reports whether a value may be the name of a program or a file. Such a name has only letters and marks such as
// dots, dashes and slashes, and at least one mark.
//
//go:noinline
func isName(v string) bool {
	hasMark := false
	for i := range len(v) {
		c := v[i]
		switch {
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z':
		case c == '_' || c == '.' || c == '-' || c == ':' || c == '/':
			hasMark = true
		default:
			return false
		}
	}
	return hasMark
}

// isPath reports whether a value is a path of a file.
//
//go:noinline
func isPath(v string) bool {
	return strings.HasPrefix(v, "/") || strings.HasPrefix(v, "./") || strings.HasPrefix(v, "../") ||
		strings.HasPrefix(v, "~/") || strings.HasPrefix(v, "@")
}

//go:noinline
func count(v string) (letters, digits, others int) {
	for i := range len(v) {
		switch c := v[i]; {
		case c >= '0' && c <= '9':
			digits++
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z':
			letters++
		default:
			others++
		}
	}
	return letters, digits, others
}

// minConsonants is the least number of consecutive characters other than vowels that makes a value look random. Words
// and names rarely have so many.
const minConsonants = 6

// isRandom reports whether a value of at least ten bytes looks random. A random value has upper-case and lower-case
// letters, and at least minConsonants consecutive characters that are not vowels.
func isRandom(v string) bool {
	if len(v) < 10 || v == strings.ToUpper(v) || v == strings.ToLower(v) {
		return false
	}
	run := 0
	for i := range len(v) {
		if strings.IndexByte("aeiouyAEIOUY", v[i]) >= 0 {
			run = 0
		} else if run++; run >= minConsonants {
			return true
		}
	}
	return false
}

// valueLen returns the length of the value at the beginning of a text. If the argument quote is not empty, the value
// ends before the same quote. If the line has no such quote, the value ends like an unquoted value, or with the line.
func valueLen(b, quote []byte) int {
	b = b[:min(len(b), maxWord)]
	if len(quote) > 0 {
		line := b
		if end := bytes.IndexByte(b, '\n'); end >= 0 {
			line = b[:end]
		}
		if end := quotedLen(line, quote); end >= 0 {
			return end
		}
		b = line
	}
	end := 0
	for end < len(b) && !endsValue(b, end) {
		end++
	}
	for end > 0 && end < len(b) && strings.IndexByte(",)]}\\", b[end-1]) >= 0 {
		end--
	}
	return end
}

// quotedLen returns the length of the text up to its closing quote, or -1 if there is none.
func quotedLen(b, quote []byte) int {
	end := bytes.Index(b, quote)
	// A doubled quote continues the value in YAML and SQL, but not in a shell.
	for end > 0 && string(quote) == "'" && hasHead(b[end:], "''") {
		next := bytes.IndexByte(b[end+2:], '\'')
		if next < 0 {
			return end
		}
		end += 2 + next
	}
	for at := end; quote[0] == '"' && at > 0 && b[at-1] == '\\'; { // an escaped quote, if another quote follows
		next := bytes.IndexByte(b[at+1:], '"')
		if next < 0 {
			return end
		}
		if at += 1 + next; b[at-1] != '\\' {
			return at
		}
	}
	return end
}

// endsValue reports whether an unquoted value ends before b[i]. A shell operator such as & may also be part of a value.
// It ends the value only before a blank, the same operator, a quote, another name with a value, or a tag, or as the
// beginning of &amp;.
func endsValue(b []byte, i int) bool {
	c := b[i]
	switch {
	case c == ' ':
		return i == 0 || b[i-1] != '\\'
	case c < ' ' || c == '"' || c == '\'' || c == '`':
		return true
	case c == ')' || c == ']' || c == '}': // an escaped line end may follow the bracket
		return hasHead(b[i+1:], `\n`) || hasHead(b[i+1:], `\r\n`)
	case strings.IndexByte(";|&<>", c) < 0 || i+1 == len(b):
		return false
	}
	rest := b[i+1:]
	return rest[0] <= ' ' || rest[0] == c || rest[0] == '"' || rest[0] == '\'' || isAssigned(rest) ||
		c == '<' && (rest[0] == '/' || wordBytes[rest[0]]) || c == '>' && rest[0] == '<' ||
		c == '&' && hasHead(rest, "amp;")
}

// isAssigned reports whether a text begins with a name and =.
func isAssigned(text []byte) bool {
	n := 0
	for n < len(text) && n < 64 && (wordBytes[text[n]] || text[n] == '-' || text[n] == '.') {
		n++
	}
	return n > 0 && n < len(text) && text[n] == '='
}
