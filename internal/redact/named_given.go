package redact

import (
	"bytes"
	"slices"
	"strings"
)

// readGiven reads a value after its name, in one of the forms that have no fixed separator. end is the end of the name,
// and rest is the text after the name. The result found reports whether there is such a form. undecided is true if
// further text is needed.
func (n *named) readGiven(end int, rest []byte) (found, undecided bool) {
	gap, undecided := n.givenAfter(rest)
	if gap == 0 || undecided {
		return false, undecided
	}
	n.style, n.quoted = styleGiven, false
	return true, n.readValue(end + gap)
}

// givenAfter returns the length of the text between the name and its value, or 0 if the text has no known form. The
// result more is true if further text is needed.
func (n *named) givenAfter(rest []byte) (gap int, more bool) {
	if gap, more = n.indexGap(rest); gap > 0 || more {
		return gap, more
	}
	if n.isServerKey() && hasHead(rest, "']\t") {
		return len("']\t"), false
	}
	if asked := " is:"; hasHead(rest, asked) {
		if next, more := n.below(rest[len(asked):]); next > 0 || more {
			return len(asked) + next, more
		}
	}
	if gap, more = n.validatedGap(rest); gap > 0 || more {
		return gap, more
	}
	quote := quoteLen(rest)
	inside := rest[quote:]
	left := bytes.TrimRight(n.left, "\"'")
	isQuoted := len(left) < len(n.left) && quote > 0
	switch {
	case isQuoted && hasHead(inside, ">> => <<"): // Erlang
		return quote + len(">> => <<"), false
	case hasHead(inside, ` . "`) && hasTail(left, "("): // Lisp
		return quote + len(" . "), false
	case hasTail(left, "$") && hasHead(rest, "[1]: |"): // set --show of fish
		return len("[1]: |"), false
	case hasHead(rest, " -> ") && contains(thisLine(n.left), "Map("): // Scala
		return len(" -> "), false
	case (hasHead(rest, ` string = "`) || hasHead(rest, " string = '")) && !isQuoted: // Go, Bicep
		return len(" string = "), false
	case isQuoted && hasHead(inside, " {") && hasTail(left, "variable "):
		return n.defaultGap(rest)
	case isQuoted && hasHead(inside, ",") && (hasTail(bytes.TrimRight(left, " "), "[") ||
		strings.HasPrefix(strings.ToLower(n.name), "x-")): // Node.js headers
		return n.pairGap(rest, trimLeft(inside[1:]))
	case isQuoted && hasTail(left, "(") && hasHead(inside, `) = "`): // the output of ltrace
		return quote + len(") = "), false
	case !n.quoted && n.arrowGap(rest) > 0:
		return n.arrowGap(rest), false
	case tupleGap(n.left, rest) > 0:
		return tupleGap(n.left, rest), false
	case serializedGap(rest, quote) > 0:
		return serializedGap(rest, quote), false
	case isQuoted && hasHead(inside, ` "`): // arguments of Redis
		return quote + 1, false
	case n.propertyGap(rest) > 0:
		return n.propertyGap(rest), false
	case hasHead(rest, " {"):
		return n.messageGap(rest)
	case n.isPreseeded():
		return blankLen(rest), false
	case n.name[0] == '-' && !isQuoted && (hasTail(left, "[") || hasTail(left, ", ")) && hasHead(rest, ", ") &&
		!hasHead(rest, ", -") && bytes.LastIndexByte(thisLine(left), '[') > bytes.LastIndexByte(thisLine(left), ']'):
		return len(", "), false // a list that Java prints: [--password, VALUE]
	case n.name[0] == '-' && hasTail(bytes.TrimRight(left, " "), "-"):
		return n.itemGap(inside, quote)
	}
	if gap = saidGap(rest); gap > 0 && !n.quoted {
		return gap, false
	}
	return n.markupGap(rest)
}

// indexGap returns the length of the text between the name and the value of a list element that R prints: $password,
// and [1] "VALUE" on the next line. It returns 0 for other text. undecided is true if further text is needed.
func (n *named) indexGap(rest []byte) (gap int, undecided bool) {
	const index = "\n[1] \""
	if !hasTail(bytes.TrimRight(n.left, "`"), "$") {
		return 0, false
	}
	text := bytes.TrimLeft(rest, "`\r")
	if !hasHead(text, index) {
		return 0, !n.final && len(text) < len(index) && strings.HasPrefix(index, string(text))
	}
	return len(rest) - len(text) + len(index) - 1, false
}

// arrowGap returns the length of the arrow between a name and its value: password -> VALUE. The value must be the
// last word of the line. arrowGap returns 0 for other text, and for a file that is copied or renamed: lib/token.py ->
// VALUE.
func (n *named) arrowGap(rest []byte) int {
	if last := n.name[strings.LastIndexByte(n.name, '.')+1:]; hasTail(n.left, "/") || !isSecretName([]byte(last)) {
		return 0
	}
	for _, arrow := range []string{" -> ", " → "} {
		line, _, _ := cutAt(rest[:min(len(rest), maxWord)], "\n")
		if hasHead(line, arrow) && len(bytes.Fields(line)) == 2 {
			return len(arrow)
		}
	}
	return 0
}

// pairGap returns the length of the text between a name and its value if both are in a list of two items, or in a list
// of headers: ["password", "VALUE"]. It returns 0 for other text. The parameter second is the text after the comma.
// undecided is true if further text is needed.
func (n *named) pairGap(rest, second []byte) (gap int, undecided bool) {
	quote := quoteLen(second)
	if quote == 0 {
		return 0, len(second) == 0 && !n.final
	}
	text := second[quote:min(len(second), maxWord)]
	end := bytes.IndexByte(text, second[quote-1])
	after := bytes.TrimLeft(text[end+1:], " ")
	if end < 0 || len(after) == 0 {
		return 0, !n.final && len(text)+quote < maxWord && bytes.IndexByte(text, '\n') < 0
	}
	header := strings.HasPrefix(strings.ToLower(n.name), "x-")
	if !header && after[0] != ']' { // these are field names
		return 0, false
	}
	return len(rest) - len(second), false
}

// defaultGap returns the length of the text between the name of a Terraform variable and its default,
// or 0 for none. undecided is true if further text is needed.
func (n *named) defaultGap(rest []byte) (gap int, undecided bool) {
	text := rest[:min(len(rest), maxWord)]
	block, _, closed := cutAt(text, "\n}")
	for _, open := range []string{"\n  default = ", "\n  default     = ", "\n  default"} {
		if i := bytes.Index(block, []byte(open)); i >= 0 {
			next := bytes.TrimLeft(block[i+len(open):], " =")
			if len(next) > 0 {
				return len(block) - len(next), false
			}
		}
	}
	return 0, !closed && !n.final && len(text) < maxWord
}

// itemGap returns the length of the text between an option and its value if both are items of a YAML
// list. It returns 0 for other text. undecided is true if further text is needed.
func (n *named) itemGap(inside []byte, quote int) (gap int, undecided bool) {
	next := bytes.TrimLeft(inside, " \r")
	if len(next) == 0 || next[0] != '\n' {
		return 0, len(next) == 0 && !n.final
	}
	item := bytes.TrimLeft(next, " \n")
	if len(item) < len(`- "x"`) && !n.final {
		return 0, true
	}
	if len(item) < len(`- "x"`) || !hasHead(item, "- ") || bytes.Count(next[:len(next)-len(item)], []byte("\n")) > 1 {
		return 0, false
	}
	item = item[len("- "):]
	if item[quoteLen(item)] == '-' { // another option
		return 0, false
	}
	return quote + len(inside) - len(item), false
}

// said are the words between a name and a value in sentences.
var said = []string{" is: ", " was: ", " created: ", " generated: ", " provided: ", " issued: ",
	" received: ", " used: "}

// saidGap returns the length of the text between a name and its value in a sentence, or 0 for none. The text between
// them is one of the words in said, or dots (see leaders).
func saidGap(rest []byte) int {
	for _, s := range said {
		if hasHead(rest, s) {
			return len(s)
		}
	}
	dots := bytes.TrimLeft(rest, ".")
	if hasHead(rest, " ...") {
		dots = bytes.TrimLeft(rest[1:], ".")
	}
	if len(rest)-len(dots) > 3 && hasHead(dots, " ") {
		return len(rest) - len(dots) + 1
	}
	if hasHead(rest, leaders) && len(dots) > 0 && (alnum[dots[0]] || quoteLen(dots) > 0) {
		return len(rest) - len(dots)
	}
	return 0
}

// leaders are dots between a name and its value, as HikariCP prints them.
const leaders = "........"

// validatedGap returns the length of the text between the name of a field and its value in a message
// of Pydantic. It returns 0 for other text. undecided is true if further text is needed.
func (n *named) validatedGap(rest []byte) (gap int, undecided bool) {
	const mark = ", input_value="
	if !hasHead(rest, "\n ") {
		return 0, false
	}
	text := rest[1:min(len(rest), maxWord)]
	line, _, whole := cutAt(text, "\n")
	if i := bytes.Index(line, []byte(mark)); i >= 0 {
		return 1 + i + len(mark), false
	}
	return 0, !whole && !n.final && len(rest) < maxWord
}

// messageFields are names of the field that contains the value in a message of protocol buffers. The name of the
// message shows whether its value is secret.
var messageFields = []string{"value", "data", "payload", "secret", "string_value", "bytes_value"}

// messageGap returns the length of the text between the name of a message and its value in the text
// format of protocol buffers: secret { value: "VALUE" }. It returns 0 for other text. The result more
// is true if further text is needed.
func (n *named) messageGap(rest []byte) (gap int, more bool) {
	text := rest[:min(len(rest), maxWord/4)]
	field := trimLeft(text[len(" {"):])
	name := nameLen(field)
	value := bytes.TrimLeft(field[name:], ": ")
	if len(value) == 0 {
		return 0, !n.final && len(text) < maxWord/4
	}
	if n.quoted || !slices.Contains(messageFields, string(field[:name])) || field[name] != ':' || quoteLen(value) == 0 {
		return 0, false
	}
	return len(text) - len(value), false
}

// cellTags are the HTML elements that may contain a value.
var cellTags = []string{"td", "dd", "code", "kbd", "samp", "tt", "pre", "span", "p", "b", "i", "strong", "em", "string"}

// markupGap returns the length of the markup between a name and a value: <td>password</td><td>VALUE,
// <b>password</b>: VALUE, **password**: `VALUE`, | **password** | VALUE. It returns 0 for other text.
// undecided is true if further text is needed.
func (n *named) markupGap(rest []byte) (gap int, undecided bool) {
	text := rest[:min(len(rest), maxWord/4)]
	cut := len(text) == len(rest) && !n.final
	next := text
	switch {
	case (hasTail(n.left, ">") || n.isServerKey()) && hasHead(bytes.TrimLeft(text, "'] "), "</"):
		next = bytes.TrimLeft(text, "'] ")
		for hasHead(next, "</") {
			end := bytes.IndexByte(next, '>')
			if end < 0 {
				return 0, cut
			}
			next = trimLeft(next[end+1:])
		}
	case hasTail(n.left, "**") && hasHead(text, "**"):
		next = bytes.TrimLeft(text[2:], " \t")
	case hasTail(n.left, "`") && hasHead(text, "`"):
		if next = bytes.TrimLeft(text[1:], " \t"); len(next) == 0 || next[0] != '|' {
			return 0, false
		}
	default:
		return 0, false
	}
	if len(next) == 0 {
		return 0, cut
	}
	marked := next[0] == ':' || next[0] == '|'
	if marked {
		next = bytes.TrimLeft(next[1:], " \t")
	}
	value, opened, undecided := openingTags(next, cut)
	if undecided || !marked && !opened || len(value) == 0 {
		return 0, undecided || len(value) == 0 && cut
	}
	return len(text) - len(value), false
}

// isServerKey reports whether the name is a key of PHP's $_ENV or $_SERVER.
func (n *named) isServerKey() bool {
	return hasTail(n.left, "$_ENV['") || hasTail(n.left, "$_SERVER['")
}

// openingTags removes opening tags of cellTags from the beginning of a text. opened is false if there are none.
// undecided is true if further text is needed.
func openingTags(text []byte, cut bool) (rest []byte, opened, undecided bool) {
	for len(text) > 0 && text[0] == '<' {
		end := bytes.IndexByte(text, '>')
		if end < 0 {
			return text, opened, cut
		}
		name, _, _ := cutAt(text[1:end], " ")
		if !slices.Contains(cellTags, strings.ToLower(string(name))) {
			break
		}
		text, opened = trimLeft(text[end+1:]), true
	}
	return text, opened, len(text) == 0 && cut
}

// readMarked reads a value that has a type or markup between it and the name: token: &str = "VALUE", **password:**
// VALUE. The result found reports whether there is such a value. undecided is true if further text is needed.
func (n *named) readMarked(at int) (found, undecided bool) {
	text := n.text[at:min(len(n.text), at+maxWord/4)]
	cut := at+len(text) == len(n.text) && !n.final
	next := text
	switch {
	case n.style == styleAssign && hasHead(text, "string: "):
		next = text[len("string: "):]
	case n.style == styleColon && hasHead(text, "**"):
		next = bytes.TrimLeft(text[2:], " \t")
	case n.style == styleColon && hasHead(text, "<"):
		next = bytes.TrimLeft(text, " \t")
		for hasHead(next, "</") {
			end := bytes.IndexByte(next, '>')
			if end < 0 {
				return false, cut
			}
			next = trimLeft(next[end+1:])
		}
		if next, _, undecided = openingTags(next, cut); undecided {
			return false, true
		}
	case n.style == styleColon:
		kind := typeLen(text)
		next = bytes.TrimLeft(text[kind:], " ")
		if kind > 0 && len(next) < len(`= "`) && cut {
			return false, true
		}
		if kind == 0 || len(next) < len(`= "`) || next[0] != '=' || quoteLen(bytes.TrimLeft(next[1:], " ")) == 0 {
			return false, false
		}
		next = bytes.TrimLeft(next[1:], " ")
	}
	if len(next) == 0 || len(next) == len(text) {
		return false, len(next) == 0 && cut && len(text) > 0
	}
	n.style, n.quoted = styleGiven, false
	return true, n.readValue(at + len(text) - len(next))
}

// typeLen returns the length of a type name at the beginning of a text: &'static str, Option<String>, string.
//
//go:noinline
func typeLen(text []byte) int {
	n := 0
	for n < len(text) && n < maxWord/8 && (alnum[text[n]] || strings.IndexByte("_&'.<>?", text[n]) >= 0 ||
		text[n] == ' ' && hasHead(text, "&'")) {
		n++
	}
	return len(bytes.TrimRight(text[:n], " "))
}

// isDuration reports whether a value is a number with at most two further bytes, as in 0.123s and 120ms.
func isDuration(v string) bool {
	unit := strings.TrimLeft(v, "0123456789.")
	return len(unit) < len(v) && len(unit) < 3
}
