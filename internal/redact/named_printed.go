package redact

import (
	"bytes"
	"strings"
	"sync"
)

// Many languages print more than the name and the value of an object's field. These functions skip the type, the
// length or the visibility that is between a name and its value.

// visibilityLen returns the length of the text from the end of a name in brackets to the closing bracket, if PHP prints
// the visibility there: [password:protected], ["password":"Config":private]. It returns 0 for other text.
func visibilityLen(left, rest []byte) int {
	if !hasTail(bytes.TrimRight(left, `"`), "[") {
		return 0
	}
	text := rest[:min(len(rest), maxWord/4)]
	end := bytes.IndexByte(text, ']')
	if end < 0 || bytes.IndexByte(text[:end], ':') != quoteLen(text) || bytes.ContainsAny(text[:end], " =\n") {
		return 0
	}
	if inside := text[:end]; !hasTail(inside, ":protected") && !hasTail(inside, ":private") {
		return 0
	}
	return end + 1
}

// isCutKey reports whether the closing bracket of a name in brackets may be missing because the text ends.
func (n *named) isCutKey(rest []byte) bool {
	return !n.final && hasTail(bytes.TrimRight(n.left, `"`), "[") && len(rest) < maxWord/4 &&
		hasHead(rest[quoteLen(rest):], ":") && !bytes.ContainsAny(rest, "]\n")
}

// castLen returns the length of the prefix that spew prints before a string. The prefix has the type and the length
// of the string: (string) (len=8) "VALUE", (*string)(0xc000014250)((len=8) "VALUE"). castLen returns 0 for other
// text.
func castLen(text []byte) int {
	head := text[:min(len(text), maxWord/8)]
	size := indexOf(head, "(len=")
	if size <= 0 || bytes.ContainsAny(head[:size], "\"'\n") {
		return 0
	}
	end := bytes.IndexByte(head[size:], ')')
	if end < 0 {
		return 0
	}
	n := size + end + 1
	return n + blankLen(text[n:])
}

// mayBeCast reports whether a text may be the beginning of a type before a quoted string.
func mayBeCast(text []byte) bool {
	return (hasHead(text, "(") || hasHead(text, "string(")) && len(text) < maxWord/8 &&
		!bytes.ContainsAny(text, "\"'\r\n")
}

// typedFields are names of types. In some formats, a value is in an object that has the name of the value's type as its
// only key: {"S": "VALUE"} in DynamoDB, {"string": "VALUE"} in Avro, {"stringValue": "VALUE"} in Firestore.
var typedFields = sync.OnceValue(func() map[string]bool {
	return wordSet("S B string bytes stringValue bytesValue string_value value")
})

// typedLen returns the length of the text before the value in an object such as {"S": "VALUE"}, which has the type
// of the value as its only key. It returns 0 for other text. undecided is true if further text is needed.
func typedLen(text []byte, final bool) (n int, undecided bool) {
	if !hasHead(text, "{") {
		return 0, false
	}
	text = text[:min(len(text), maxWord/4)]
	cut := !final && len(text) < maxWord/4
	field := trimLeft(text[1:])
	quote := quoteLen(field)
	name := field[quote:]
	name = name[:nameLen(name)]
	rest := field[quote+len(name):]
	if len(rest) == 0 || quote > 0 && len(rest) < quote {
		return 0, cut
	}
	if quote == 0 || quoteLen(rest) == 0 || !typedFields()[string(name)] {
		return 0, false
	}
	rest = bytes.TrimLeft(rest[quoteLen(rest):], " ")
	if len(rest) == 0 {
		return 0, cut
	}
	if rest[0] != ':' {
		return 0, false
	}
	rest = bytes.TrimLeft(rest[1:], " ")
	if len(rest) == 0 {
		return 0, cut
	}
	return len(text) - len(rest), false
}

// serializedGap returns the length of the text between a name and its value in PHP's serialized form:
// s:8:"password";s:6:"VALUE". It returns 0 for other text.
func serializedGap(rest []byte, quote int) int {
	inside := rest[quote:]
	if quote == 0 || !hasHead(inside, ";s:") {
		return 0
	}
	size := digits(inside[len(";s:"):])
	at := len(";s:") + size
	if size == 0 || at+1 >= len(inside) || inside[at] != ':' || quoteLen(inside[at+1:]) == 0 {
		return 0
	}
	return quote + at + 1
}

// tupleGap returns the length of the text between two strings of a tuple: {"password", "VALUE"} in Elixir and C++,
// {:password, "VALUE"}, {<<"password">>,<<"VALUE">>}. It returns 0 for other text.
func tupleGap(left, rest []byte) int {
	if !hasTail(bytes.TrimRight(left, "\"'<:"), "{") {
		return 0
	}
	next := bytes.TrimLeft(rest, "\"'>")
	if !hasHead(next, ",") {
		return 0
	}
	next = bytes.TrimPrefix(bytes.TrimLeft(next[1:], " "), []byte("<<"))
	if quoteLen(next) == 0 {
		return 0
	}
	return len(rest) - len(next)
}

// propertyGap returns the length of the blanks between a name and its value if the line has nothing else: db.password
// VALUE. The name must contain a dot, or be the word password. propertyGap returns 0 for other text.
func (n *named) propertyGap(rest []byte) int {
	if n.quoted || !strings.Contains(n.name, ".") && n.name != "password" ||
		len(bytes.TrimSpace(thisLine(n.left))) > 0 || len(rest) == 0 || rest[0] != ' ' && rest[0] != '\t' {
		return 0
	}
	line, _, _ := cutAt(rest[:min(len(rest), maxWord)], "\n")
	if len(bytes.Fields(line)) != 1 {
		return 0
	}
	return blankLen(rest)
}

// isPreseeded reports whether the name is the type of an answer to the Debian installer: d-i passwd/root-password
// password VALUE.
func (n *named) isPreseeded() bool {
	if n.name != "password" {
		return false
	}
	words := lastWords(thisLine(n.left), 2)
	if len(words) < 2 {
		return false
	}
	question := words[1]
	return bytes.IndexByte(question, '/') > 0 && contains(question, "password")
}

// isProperty reports whether a line has only the name and a value that may be a secret. A version is not a secret.
func (n *named) isProperty() bool {
	v := string(n.value)
	line, _, _ := cutAt(n.behind[:min(len(n.behind), maxWord)], "\n")
	return len(bytes.TrimSpace(thisLine(n.left))) == 0 && len(bytes.TrimSpace(line)) == 0 && isGiven(v) && !isVersion(v)
}

// flagsLen returns the length of the options before the argument of a command: --plaintext VALUE. It returns 0 if
// there are no options.
func flagsLen(text []byte) int {
	n := 0
	for hasHead(text[n:], "--") {
		word := bytes.IndexByte(text[n:min(len(text), n+maxWord/4)], ' ')
		if word < 0 {
			return n
		}
		n += word + blankLen(text[n+word:])
	}
	return n
}

// wrappers are texts that may come right before a quoted value: types, brackets and prefixes of string literals.
var wrappers = []string{"$", "[]string{", "[String: ", "[", "(", "Some(Secret(", "Some(", "Optional(", "Optional[",
	"<<", "chr ", "string ", "Just ",
	"b", "f", "u", "r", "B", "U", "N", "@", "SecretStr(", "SecretString(", "Secret(", "String("}

// wrapperLen returns the length of the text between a separator and a quoted value: 5 for Some("x"), 1 for b'x', 10
// for string(7) "x". It returns 0 if there is no such text. undecided is true if further text is needed.
func (n *named) wrapperLen(text []byte) (size int, undecided bool) {
	if typed, more := typedLen(text, n.final); n.quoted && n.style == styleColon && (typed > 0 || more) {
		n.style = stylePair
		return typed, more
	}
	for _, option := range []string{"Some(", "Optional(", "Just("} {
		inside := text[min(len(text), len(option)):]
		if !hasHead(text, option) || !hasHead(inside, "\n") {
			continue
		}
		value := trimLeft(inside)
		if len(value) == 0 {
			return 0, !n.final && len(text) < maxWord/4
		}
		return (len(text) - len(value)) * min(1, quoteLen(value)), false
	}
	if hasHead(text, "[]string{") && (!n.quoted || isPlural(n.name)) { // the name is not a header
		return 0, false
	}
	size = wrapperLen(text)
	return size, size == 0 && !n.final && mayBeCast(text)
}

// isWrapper reports whether a name is a type whose only argument is a secret: SecretStr("VALUE").
func isWrapper(name string) bool {
	return name == "SecretStr" || name == "SecretBytes" || name == "SecretString"
}

// wrapperLen returns the length of the wrapper, type or pointer at the beginning of a text. It returns 0 if there is
// none, or if no value follows. Only [ may come before a value without quotes.
func wrapperLen(text []byte) int {
	n := castLen(text)
	if rest, ok := bytes.CutPrefix(text, []byte("string(")); ok {
		digits := bytes.TrimLeft(rest, "0123456789")
		if hasHead(digits, ") ") {
			n = len(text) - len(digits) + len(") ")
		}
	}
	if hasHead(text, "0x") { // a debugger prints a pointer before its text
		digits := bytes.TrimLeft(text[2:], "0123456789abcdefABCDEF")
		if hasHead(digits, ` "`) {
			n = len(text) - len(digits) + 1
		}
	}
	for _, w := range wrappers {
		if n == 0 && hasHead(text, w) {
			n = len(w)
		}
	}
	quote := quoteLen(text[n:])
	if quote == 0 {
		if n == 1 && (text[0] == '[' || text[0] == '(') { // password=[x], password=(x)
			closing := byte(']')
			if text[0] == '(' {
				closing = ')'
			}
			end := bytes.IndexAny(text[:min(len(text), maxWord)], "]), \"'\n")
			if end > 1 && text[end] == closing &&
				(end+1 == len(text) || strings.IndexByte(" ,;)\r\n", text[end+1]) >= 0) {
				return 1
			}
		}
		return 0
	}
	value := text[n+quote:]
	value = value[:valueLen(value, text[n:n+quote])]
	if hasHead(text, "[]string{") && bytes.IndexByte(value, ' ') >= 0 {
		return 0
	}
	if n == 1 && text[0] == 'f' && quoteLen(text[n+quote:]) == 0 && bytes.IndexByte(value, '{') >= 0 {
		return 0 // the text is an expression
	}
	return n
}
