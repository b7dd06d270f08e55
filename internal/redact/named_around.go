package redact

import (
	"bytes"
	"slices"
	"strings"
)

// readAround reads a value if tags, quotes, words or other text are between the name and the value, instead of a
// separator. text[end] is the end of the name. readAround reports whether it needs more text.
func (n *named) readAround(end int) (more bool) {
	rest := n.text[end:]
	if !n.final && len(rest) < maxWord/4 && bytes.IndexByte(rest, '\n') < 0 {
		return true // the following text of the line decides
	}
	inside := rest[quoteLen(rest):]
	if gap, more := explicitGap(n.left, inside); gap > 0 {
		n.style = styleColon
		return n.readOne(len(n.text) - len(inside) + gap)
	} else if more && !n.final {
		return true
	}
	if value := ` value=`; hasTail(n.left, "<") && len(rest) > len(value) &&
		bytes.EqualFold(rest[:len(value)], []byte(value)) {
		n.style, n.quoted = stylePair, false // <password value="x">
		return n.readValue(end + len(value))
	}
	if element, more := n.elementGap(rest); element > 0 || more {
		return more || n.readElement(end+element)
	}
	if n.isField() {
		return n.readPair(end)
	}
	if n.isKey() && hasHead(inside, "]") && !hasHead(inside, "]\t") && !hasHead(inside, "]<") {
		return n.readKey(len(n.text) - len(inside) + 1)
	}
	if gap, ok := argumentGap(n.name, n.left, inside); ok {
		n.style, n.quoted = stylePair, false
		return n.readValue(len(n.text) - len(inside) + gap)
	}
	if found, more := n.readGiven(end, rest); found || more {
		return more
	}
	if more := n.readTable(end); more || len(n.cells) > 0 {
		return more
	}
	if more := n.readKeys(end); more || len(n.cells) > 0 {
		return more
	}
	if more := n.readAligned(end); more || len(n.cells) > 0 {
		return more
	}
	if gap, ok := columnGap(rest); ok && n.beginsColumn() {
		n.style = styleColumn
		if kind := []byte("REG_SZ"); hasHead(rest[gap:], string(kind)) { // the Windows registry
			gap += len(kind) + blankLen(rest[gap+len(kind):])
		}
		return n.readValue(end + gap)
	}
	if isPassword(n.name) {
		if gap, ok := generatedGap(n.left, rest); ok {
			n.style = stylePhrase
			return n.readValue(end + gap)
		}
	}
	if gap, ok := phraseGap(rest); ok && !n.quoted && (isPassword(n.name) || n.name == "PSK" || isWrapper(n.name) ||
		hasHead(rest, " is ")) {
		n.style = stylePhrase
		return n.readValue(end + gap)
	}
	if gap, ok := givenGap(n.left, rest); ok && !n.quoted && (isPassword(n.name) || strings.EqualFold(n.name, "token") ||
		n.name == "secret") {
		n.style = stylePhrase
		return n.readValue(end + gap)
	}
	return n.readSentence(end, rest)
}

// elementGap returns the length of the text between a name and the text x of an XML element: <password>x, <entry
// key="password">x, <name>password</name><value>x. gap is 0 for other text. undecided is true if further text is
// needed.
func (n *named) elementGap(rest []byte) (gap int, undecided bool) {
	left := n.left
	if open := bytes.LastIndexByte(left, '<'); open >= 0 && hasTail(left, ":") {
		left = left[:open+1] // the name has a namespace
	}
	head := rest[:min(len(rest), maxWord/4)]
	cut := len(head) == len(rest) && !n.final
	begins := hasTail(left, "<")
	switch {
	case begins && hasHead(head, ">"), hasHead(head, `">`) && n.isField():
		gap = bytes.IndexByte(head, '>') + 1
		if len(head) < gap+len("<value>") && cut {
			return 0, true
		}
		if hasHead(head[gap:], "<value>") {
			gap += len("<value>")
		}
		return gap, false
	case begins && hasHead(head, " "),
		hasHead(head, `" `) && n.isField() && bytes.IndexByte(thisLine(left), '<') >= 0 &&
			!contains(bytes.ToLower(head), "value=") && !contains(head, "content="):
		end := bytes.IndexAny(head, ">\n")
		if end < 0 || head[end] != '>' || head[end-1] == '/' {
			return 0, end < 0 && cut
		}
		return end + 1, false
	case hasTail(left, ">") && hasHead(head, "</"):
		end := bytes.IndexByte(head, '>')
		if end < 0 {
			return 0, cut
		}
		next := bytes.TrimLeft(head[end+1:], " \t\r\n")
		for _, open := range []string{"<value>", "<string>"} {
			if hasHead(next, open) {
				return len(head) - len(next) + len(open), false
			}
		}
		return 0, len(next) < len("<string>") && cut
	}
	return 0, false
}

func (n *named) readElement(from int) (more bool) {
	indent := bytes.TrimLeft(n.text[from:], " \t\r\n")
	if len(indent) == 0 {
		return !n.final && len(n.text)-from < maxWord
	}
	if value := []byte("<value>"); len(indent) < len(value) && bytes.HasPrefix(value, indent) && !n.final {
		return true
	}
	indent = bytes.TrimPrefix(bytes.TrimPrefix(indent, []byte("<value>")), []byte("<![CDATA["))
	from = len(n.text) - len(indent)
	text := indent[:min(len(indent), maxWord)]
	end := bytes.IndexAny(text, "<\n")
	if data := indexOf(text, "]]>"); data >= 0 && (end < 0 || data < end) {
		end = data
	}
	if end < 0 {
		return !n.final && len(text) < maxWord
	}
	if text[end] != '\n' || len(bytes.TrimSpace(text[:end])) > 0 {
		n.style, n.from, n.behind = styleElement, from, text[end:]
		n.value = bytes.TrimRight(text[:end], "\r")
	}
	return false
}

// isField reports whether the name is the value of a field such as name, key or type, as in name: DB_PASSWORD.
func (n *named) isField() bool {
	left := bytes.TrimRight(n.left, " \t\"'\\")
	if len(left) == len(n.left) && !hasTail(left, "=") || !hasTail(left, ":") &&
		!hasTail(left, "=") {
		return false
	}
	left = bytes.ToLower(bytes.TrimRight(left, ":= \t\"'\\"))
	return hasTail(left, "name") || hasTail(left, "key") ||
		hasTail(left, "type") || hasTail(left, "property") || hasTail(left, "variable")
}

// argumentGap returns the length of the text between two quoted arguments: define('NAME', 'VALUE'), ['--name', 'x'].
// ok is false for other text.
func argumentGap(name string, left, rest []byte) (gap int, ok bool) {
	if hasTail(left, "{") && hasHead(rest, ",") { // an Erlang tuple
		gap = 1 + blankLen(rest[1:])
		if hasHead(rest[gap:], "<<") {
			gap += len("<<")
		}
		return gap, quoteLen(rest[gap:]) > 0
	}
	open := bytes.TrimRight(left, "\"'")
	called := len(open) < len(left) && hasTail(open, "(")
	option := len(open) < len(left) && strings.HasPrefix(name, "--") // ['docker', '--password', 'x']
	if !called && !option || !hasHead(rest, ",") {
		return 0, false
	}
	gap = 1 + blankLen(rest[1:])
	quote := quoteLen(rest[gap:])
	return gap, quote > 0 && !(option && hasHead(rest[gap+quote:], "-"))
}

// beginsColumn reports whether the name is the first word of a column.
func (n *named) beginsColumn() bool {
	return len(n.left) == 0 || n.left[len(n.left)-1] <= ' ' || n.left[len(n.left)-1] == '|' || hasTail(n.left, "Env:")
}

// isKey reports whether the name is in brackets: ["password"].
func (n *named) isKey() bool {
	return hasTail(bytes.TrimRight(n.left, "\"'\\:"), "[")
}

// readKey reads the value after a key: ["password"] => VALUE in a printed PHP array, or ["password"] = "VALUE" in code.
// n.text[at:] is the text after the bracket. readKey reports whether it needs more text.
func (n *named) readKey(at int) (more bool) {
	rest := bytes.TrimLeft(n.text[at:], " ")
	if len(rest) < 2 {
		return !n.final
	}
	switch {
	case hasHead(rest, "=>"):
		rest, n.style = rest[2:], styleAssign
	case rest[0] == '=' && rest[1] != '=':
		rest, n.style, n.quoted = rest[1:], stylePair, false
	case !n.quoted && strings.IndexByte(n.name, '.') > 0 && hasHead(n.text[at:], " ") && n.isAlone(rest):
		n.style = styleGiven // [http-basic.example.com.password] VALUE, as Composer prints it
	default:
		return false
	}
	value := bytes.TrimLeft(rest, " \t\r\n")
	if len(value) == 0 {
		return !n.final && len(rest) < maxWord
	}
	if n.style == stylePair && quoteLen(value) == 0 {
		n.style = styleNone // the text is code
		return false
	}
	return n.readValue(len(n.text) - len(value))
}

// isAlone reports whether the name in brackets and one word are the whole line. The parameter rest is the text after
// the brackets.
func (n *named) isAlone(rest []byte) bool {
	line, _, _ := cutAt(rest[:min(len(rest), maxWord)], "\n")
	return len(bytes.TrimSpace(thisLine(n.left))) == 1 && len(bytes.Fields(line)) == 1
}

// columnGap returns the length of the gap between two columns of a table: a tab, two or more blanks, or a bar with
// blanks around it. ok is false for other text.
func columnGap(rest []byte) (gap int, ok bool) {
	gap = blankLen(rest)
	ok = gap > 1 || gap == 1 && rest[0] == '\t'
	for _, bar := range bars {
		if hasHead(rest[gap:], bar) {
			gap += len(bar)
			return gap + blankLen(rest[gap:]), true
		}
	}
	return gap, ok
}

// phraseGap returns the length of the text between a name and a value in a sentence or a call, such as password is "x",
// IDENTIFIED WITH PASSWORD 'x' or setPassword("x"). ok is false for other text.
func phraseGap(rest []byte) (gap int, ok bool) {
	if hasHead(rest, "(") {
		return 1, quoteLen(bytes.TrimPrefix(rest[1:], []byte("b"))) > 0 // setPassword("x"), SecretBytes(b"x")
	}
	gap = blankLen(rest)
	if gap != 1 {
		return 0, false
	}
	for _, word := range []string{"is ", "was ", "of ", "set to ", "changed to ", "reset to ", "has been set to "} {
		if hasHead(rest[gap:], word) {
			return gap + len(word), true
		}
	}
	if hasHead(rest, " for ") { // Password for user bob: VALUE
		line, _, _ := cutAt(rest[:min(len(rest), maxWord/4)], "\n")
		for _, end := range []string{" is ", ": "} {
			if i := bytes.Index(line, []byte(end)); i > 0 && bytes.Count(line[:i], []byte(" ")) < 5 {
				return i + len(end), true
			}
		}
	}
	return gap, quoteLen(rest[gap:]) > 0
}

// givenGap returns the length of the text between a name and a value in the style of a command: "with password VALUE",
// "set password VALUE", or "username bob password 7 VALUE". ok is false for other text.
func givenGap(left, rest []byte) (gap int, ok bool) {
	if blankLen(rest) != 1 {
		return 0, false
	}
	words := lastWords(thisLine(left), 2)
	if len(words) == 0 {
		return 0, false
	}
	gap = 1
	last := strings.ToLower(string(words[len(words)-1]))
	if hasHead(rest, " to ") && (last == "changed" || last == "set" || last == "reset") {
		return len(" to "), true
	}
	if len(rest) > 3 && rest[1] >= '0' && rest[1] <= '9' && rest[2] == ' ' {
		gap = 3
	}
	given := []string{"with", "set", "using", "use", "got", "want"}
	return gap, slices.Contains(given, last) || // user bob created, password VALUE
		strings.HasSuffix(last, ",") && contains(bytes.ToLower(thisLine(left)), "user") ||
		len(words) > 1 && string(words[len(words)-2]) == "username"
}

// isNumbered reports whether a text begins with a digit and a colon.
func isNumbered(text []byte) bool {
	return len(text) > 1 && text[0] >= '0' && text[0] <= '9' && text[1] == ':'
}

// tagLen returns the length of a YAML tag and anchor, or 0 if there is neither.
func tagLen(text []byte) int {
	n := 0
	for n+1 < len(text) && (text[n] == '&' || text[n] == '!' && (text[n+1] == '!' || text[n+1]|0x20 >= 'a' &&
		text[n+1]|0x20 <= 'z')) {
		word := bytes.IndexByte(text[n:min(len(text), n+maxWord/4)], ' ')
		if word < 0 || bytes.IndexByte(text[n:n+word], '\n') >= 0 {
			return n
		}
		n += word + 1
	}
	return n
}

// generatedGap returns the length of the text between a name and a generated value: temporary password for
// root@localhost: VALUE. ok is false for other text.
func generatedGap(left, rest []byte) (gap int, ok bool) {
	line, _, _ := cutAt(rest[:min(len(rest), maxWord/4)], "\n")
	gap = bytes.LastIndex(line, []byte(": ")) + len(": ")
	if end := bytes.TrimRight(line, " \r"); hasTail(end, ":") && len(line) < len(rest) {
		gap = len(rest) - len(bytes.TrimLeft(rest[len(line):], " \r\n")) // the value is on the next line
		line = rest[:gap]
	}
	if gap < len(": ") || line[0] != ' ' {
		return 0, false
	}
	said := bytes.ToLower(append(slices.Clone(thisLine(left)), line[:gap]...))
	return gap, slices.ContainsFunc([]string{"generated", "temporary", "initial", "new ", "root ", "following"},
		func(word string) bool { return bytes.Contains(said, []byte(word)) }) &&
		!slices.ContainsFunc([]string{"invalid", "wrong", "fail", "error", "reset", "incorrect"},
			func(word string) bool { return bytes.Contains(said, []byte(word)) })
}

// secretAround reports whether a value that readAround has read is secret. The parameter strong is the result of
// isStrong for the value.
func (n *named) secretAround(v string, strong bool) bool {
	password := isPassword(n.name)
	switch {
	case !n.sure() || strings.ContainsAny(v, " \t()"):
		return false
	case n.name == "pass" && n.style == stylePhrase && !n.isNoun():
		return false
	case n.style == styleSentence:
		return n.isRandomWord(v)
	case n.style == styleGiven:
		return strong && !isName(v) && !isPath(v) && !isDuration(v)
	case n.style == styleElement:
		return strong && !isName(v) || password && len(v) >= 4
	case n.style == stylePair:
		return strong && !isName(v) || len(v) >= 4 && (password || n.name == strings.ToUpper(n.name))
	case n.style == styleColumn:
		return strong && !isName(v) && !isPath(v) && (n.isLast() || len(v) >= 20 ||
			slices.ContainsFunc([]string{"│", "┃"}, func(bar string) bool {
				return hasHead(bytes.TrimLeft(n.behind, " \t"), bar)
			}))
	case !password && n.style == stylePhrase && !n.quoted && !hasTail(n.text[:n.from], "is "):
		return strong && len(v) >= 12 && !isName(v) && n.isLast() || n.isRandomWord(v)
	case n.quoted && (hasTail(bytes.ToUpper(n.left), "WITH ") || n.name == "PASSWORD" ||
		contains(thisLine(n.left), "user '")):
		return len(v) >= 4
	}
	return strong && !isName(v) && (n.quoted || n.isLast() || hasHead(n.behind, ",") || quoteLen(n.behind) > 0) ||
		n.style == stylePhrase && n.isRandomWord(v)
}
