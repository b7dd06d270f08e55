package markup

import (
	"bytes"
	"strings"
)

// blockTags are the elements that begin an HTML block of kind 6.
var blockTags = " address article aside base basefont blockquote body caption center col colgroup dd details dialog " +
	"dir div dl dt fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hr html " +
	"iframe legend li link main menu menuitem meta nav noframes ol optgroup option p param search section summary " +
	"table tbody td tfoot th thead title tr track ul "

// htmlStart returns the kind of HTML block that begins in a line, or 0 if there is none. The numbers are CommonMark's.
func htmlStart(line []byte) int {
	switch rest := line[1:]; {
	case bytes.HasPrefix(rest, []byte("!--")):
		return 2
	case bytes.HasPrefix(rest, []byte("?")):
		return 3
	case bytes.HasPrefix(rest, []byte("![CDATA[")):
		return 5
	case len(rest) > 1 && rest[0] == '!' && isLetter(rest[1]):
		return 4
	}
	name, rest := tagName(bytes.TrimPrefix(line[1:], []byte("/")))
	if name == "" {
		return 0
	}
	closing := line[1] == '/'
	after := byte(' ')
	if len(rest) > 0 {
		after = rest[0]
	}
	ends := after == ' ' || after == '\t' || after == '>'
	switch {
	case name == "script" || name == "pre" || name == "style" || name == "textarea":
		if closing || !ends {
			return 0
		}
		return 1
	case (ends || bytes.HasPrefix(rest, []byte("/>"))) && strings.Contains(blockTags, " "+name+" "):
		return 6
	case wholeTag(rest, closing):
		return 7
	}
	return 0
}

// htmlEnds reports whether an HTML block of the given kind ends in a line.
func htmlEnds(kind int, line []byte) bool {
	switch kind {
	case 1:
		lower := bytes.ToLower(line)
		for _, end := range []string{"</script>", "</pre>", "</style>", "</textarea>"} {
			if bytes.Contains(lower, []byte(end)) {
				return true
			}
		}
	case 2:
		return bytes.Contains(line, []byte("-->"))
	case 3:
		return bytes.Contains(line, []byte("?>"))
	case 4:
		return bytes.IndexByte(line, '>') >= 0
	case 5:
		return bytes.Contains(line, []byte("]]>"))
	}
	return false
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// tagName returns the tag name at the beginning of a text, in lower case, and the text after the name.
func tagName(text []byte) (string, []byte) {
	n := 0
	for n < len(text) && (isLetter(text[n]) || n > 0 && (text[n] >= '0' && text[n] <= '9' || text[n] == '-')) {
		n++
	}
	return strings.ToLower(string(text[:n])), text[n:]
}

// wholeTag reports whether a tag ends at the end of its line. The given text begins after the name of the tag.
func wholeTag(text []byte, closing bool) bool {
	n := 0
	if closing {
		n = blanks(text)
	} else {
		n = attributes(text)
		n += blanks(text[n:])
		if n < len(text) && text[n] == '/' {
			n++
		}
	}
	return n < len(text) && text[n] == '>' && blanks(text[n+1:]) == len(text)-n-1
}

// blanks returns the number of spaces and tabs at the beginning of a text.
func blanks(text []byte) int { return len(text) - len(bytes.TrimLeft(text, " \t")) }

// attributes returns the length of the attributes of a tag at the beginning of a text.
func attributes(text []byte) int {
	n := 0
	for {
		b := blanks(text[n:])
		name := attributeName(text[n+b:])
		if b == 0 || name == 0 {
			return n
		}
		n += b + name
		b = blanks(text[n:])
		if n+b == len(text) || text[n+b] != '=' {
			continue
		}
		at := n + b + 1
		at += blanks(text[at:])
		value := attributeValue(text[at:])
		if value == 0 {
			return n
		}
		n = at + value
	}
}

func attributeName(text []byte) int {
	n := 0
	for n < len(text) {
		c := text[n]
		if !isLetter(c) && c != '_' && c != ':' && (n == 0 || c != '.' && c != '-' && (c < '0' || c > '9')) {
			break
		}
		n++
	}
	return n
}

func attributeValue(text []byte) int {
	if len(text) == 0 {
		return 0
	}
	if c := text[0]; c == '"' || c == '\'' {
		end := bytes.IndexByte(text[1:], c)
		if end < 0 {
			return 0
		}
		return end + 2
	}
	if n := bytes.IndexAny(text, " \t\"'=<>`"); n >= 0 {
		return n
	}
	return len(text)
}
