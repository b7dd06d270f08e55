package redact

import (
	"bytes"
	"slices"
	"strings"
)

// maxWord is the max length in bytes of a name or a value that is known by what stands before it.
const maxWord = 512

// maxCookie is the max length in bytes of the part of a header that is read for cookies.
const maxCookie = 4 << 10

// spoken returns the shapes of secrets that have no form of their own: the words before them tell.
func spoken() []*shape {
	return []*shape{
		{name: "named", within: namedValue, triggers: []string{
			"pass", "PASS", "Pass", "secr", "SECR", "Secr", "toke", "TOKE", "Toke", "cred", "CRED", "Cred",
			"auth", "AUTH", "Auth",
			"_key", "_KEY", "-key", "-KEY", "-Key", "ikey", "iKey", "IKEY", "iKEY", "tKey", "yKey", "eKey",
			"sKey", "sKEY", "sskey",
			"Cook", "cook", "COOK", "_PWD", "_pwd", "_PAT", "_pat", "_PIN", "-pin", "_pin", "_OTP", "_otp", "-otp", "PIN=",
			"OTP=", "PAT=", "PSK=",
		}},
		{name: "option", within: shortOption, triggers: optionTools()},
		{name: "piped", within: pipedValue, triggers: []string{"echo"}},
	}
}

// nameBytes are the characters of names of options, variables and fields.
var nameBytes = bytesOf("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-")

// named is a name and how its value is given.
type named struct {
	place
	name   string
	left   []byte // what stands before the name
	style  style
	value  []byte
	from   int  // place of the value in the text
	quoted bool // the value or the name is in quotes
	tight  bool // nothing stands between the separator and the value
	scheme bool // the value follows the scheme of an Authorization header
	behind []byte
}

// style is how a value is given.
type style int

const (
	styleNone   style = iota
	styleAssign       // NAME=VALUE
	styleSpaced       // NAME = VALUE, NAME := VALUE
	styleColon        // NAME: VALUE
	styleOption       // --name VALUE
)

// namedValue finds the value of a secret's name. The text begins within the name.
func namedValue(p place) match {
	n := named{place: p}
	if more := n.read(); more {
		return match{more: true}
	}
	if n.style == styleNone || len(n.value) == 0 {
		return match{}
	}
	if !n.final && len(n.behind) < maxWord/4 && len(bytes.TrimLeft(n.behind, blankMarks)) == 0 {
		return match{more: true} // what follows tells
	}
	if !n.secret() {
		return match{}
	}
	return match{from: n.from, to: n.from + len(n.value), ok: true}
}

// read reads the name, the separator and the value.
func (n *named) read() (more bool) {
	head := len(n.before)
	for head > 0 && len(n.before)-head < maxWord/4 && nameBytes[n.before[head-1]] {
		head--
	}
	end := 0
	for end < len(n.text) && end < maxWord/4 && nameBytes[n.text[end]] {
		end++
	}
	n.left = n.before[:head]
	n.name = string(n.before[head:]) + string(n.text[:end])
	if !n.hasSecretName() {
		return end == len(n.text) && !n.final
	}
	at := end
	if q := quoteLen(n.text[at:]); q > 0 {
		n.quoted = true
		at += q
	}
	blanks := blankLen(n.text[at:])
	at += blanks
	if at+1 >= len(n.text) && !n.final {
		return true
	}
	at += n.separator(n.text[at:], blanks)
	if n.style == styleNone {
		return false
	}
	blanks = blankLen(n.text[at:])
	at += blanks
	n.tight = blanks == 0
	if n.style == styleColon && n.isCookie() {
		return n.readCookie(at)
	}
	return n.readValue(at)
}

// separator sets the style and returns the length of the separator.
func (n *named) separator(text []byte, blanks int) int {
	switch {
	case bytes.HasPrefix(text, []byte("=>")), bytes.HasPrefix(text, []byte(":=")):
		n.style = styleSpaced
		return 2
	case bytes.HasPrefix(text, []byte("==")), bytes.HasPrefix(text, []byte("::")):
	case bytes.HasPrefix(text, []byte("=")):
		n.style = styleAssign
		if len(text) > 1 && (text[1] == ' ' || text[1] == '\t') {
			n.style = styleSpaced
		} else if blanks > 0 {
			n.style = styleSpaced
		}
		return 1
	case bytes.HasPrefix(text, []byte(":")):
		n.style = styleColon
		return 1
	case blanks > 0 && !n.quoted && (n.name[0] == '-' || n.isNetrc()):
		n.style = styleOption
	}
	return 0
}

// isNetrc reports whether the name is that of a line of a netrc file.
func (n *named) isNetrc() bool {
	words := bytes.Fields(n.left)
	return n.name == "password" && len(words) > 1 && string(words[len(words)-2]) == "login"
}

// schemes are the words before the credentials of an Authorization header.
var schemes = wordSet("bearer basic token digest apikey bot key negotiate")

func (n *named) readValue(at int) (more bool) {
	text := n.text[at:]
	quote := quoteLen(text)
	n.quoted = n.quoted || quote > 0
	n.from = at + quote
	text = text[quote:]
	end := valueLen(text, n.text[at:at+quote])
	if end == len(text) && !n.final && end < maxWord {
		return true
	}
	n.value, n.behind = text[:end], text[end:]
	if n.style == styleColon || n.style == styleAssign {
		if word, rest, ok := bytes.Cut(text, []byte(" ")); ok && schemes[strings.ToLower(string(word))] &&
			bytes.Contains(bytes.ToLower([]byte(n.name)), []byte("auth")) {
			end := valueLen(rest, nil)
			if end == len(rest) && !n.final && end < maxWord {
				return true
			}
			n.from += len(word) + 1
			n.value, n.behind, n.scheme = rest[:end], rest[end:], true
		} else if schemes[strings.ToLower(string(n.value))] && len(n.behind) == 0 && !n.final {
			return true
		}
	}
	return false
}

// isCookie reports whether the name is that of a header with cookies.
func (n *named) isCookie() bool {
	return strings.EqualFold(n.name, "Cookie") || strings.EqualFold(n.name, "Set-Cookie")
}

// readCookie reads the value of the first cookie of a header that sets one, and of all cookies of a
// header that sends them: id=1; theme=dark.
func (n *named) readCookie(at int) (more bool) {
	text := n.text[at:]
	text = text[:min(len(text), maxCookie)]
	end := bytes.IndexAny(text, "\r\n\"'`")
	if end < 0 && len(text) < maxCookie && !n.final {
		return true
	}
	if end < 0 {
		end = len(text)
	}
	text = text[:end]
	equal := bytes.IndexByte(text, '=')
	if equal <= 0 || bytes.IndexByte(text[:equal], ' ') >= 0 {
		n.style = styleNone
		return false
	}
	if stop := bytes.IndexByte(text, ';'); stop > 0 && len(n.name) > len("Cookie") {
		end = stop
	}
	n.from = at + equal + 1
	n.value, n.behind = text[equal+1:end], n.text[at+end:]
	return false
}

// quoteLen returns the length of the quote that b begins with.
func quoteLen(b []byte) int {
	n := 0
	for n < len(b) && n < 3 && b[n] == '\\' {
		n++
	}
	if n < len(b) && (b[n] == '"' || b[n] == '\'' || b[n] == '`') {
		return n + 1
	}
	return 0
}

func blankLen(b []byte) int {
	n := 0
	for n < len(b) && n < 16 && (b[n] == ' ' || b[n] == '\t') {
		n++
	}
	return n
}

// valueLen returns the length of the value that b begins with. quote is the quote before it.
func valueLen(b, quote []byte) int {
	b = b[:min(len(b), maxWord)]
	if len(quote) > 0 {
		if line := bytes.IndexByte(b, '\n'); line >= 0 {
			b = b[:line]
		}
		if end := bytes.Index(b, quote); end >= 0 {
			return end
		}
	}
	end := 0
	for end < len(b) && b[end] > ' ' && bytes.IndexByte([]byte("\"'`;|&<>"), b[end]) < 0 {
		end++
	}
	for end > 0 && end < len(b) && bytes.IndexByte([]byte(",)]}\\"), b[end-1]) >= 0 {
		end--
	}
	return end
}

func (n *named) hasSecretName() bool {
	return isSecretName(n.name) || n.name[0] == '-' && strings.HasSuffix(strings.ToUpper(n.name), "PASS") || n.isOpenSSL()
}

// isOpenSSL reports whether the name is pass of pass:VALUE.
func (n *named) isOpenSSL() bool {
	return n.name == "pass" && bytes.HasPrefix(n.text, []byte("pass:")) &&
		bytes.Contains(thisLine(n.before), []byte("openssl"))
}

// secret reports whether the value is one.
func (n *named) secret() bool {
	v := string(n.value)
	if isVariable(v) || strings.Contains(v, "://") || v[0] == '-' && n.style == styleOption || isMonotone(v) &&
		(len(v) > 3 || len(v) < 2) {
		return false
	}
	command := n.command || isCommand(n.left)
	if isPlaceholder(v) && !(command && n.style == styleOption && len(v) > 5 && !placeholders()[strings.ToLower(v)]) {
		return false
	}
	if n.isCookie() && n.style == styleColon {
		return len(v) >= 4
	}
	letters, digits, others := count(v)
	strong := digits > 0 && letters > 0 && len(v) >= 6 || others > 0 && letters > 0 && len(v) >= 6 && !isName(v)
	switch {
	case n.isOpenSSL():
		return true
	case strings.EqualFold(n.name, "pass") && n.style == styleColon && !n.quoted:
		return false // a verdict
	case n.style == styleColon && n.tight && !n.quoted && !n.command &&
		(strings.Contains(n.name, ".") || strings.ContainsAny(v, ":/") || digits == 0 || len(v) < 8):
		return false // coordinates of a package
	case isName(v) && strings.Contains(v, "/"):
		return false // a file
	case isPath(v) && !(strong && len(v) >= 20 && strings.Count(v, "/") < 3):
		return false
	case letters == 0 && others == 0 && (len(v) < 4 || len(v) < 6 && !n.isPIN()):
		return false
	case command || n.isHeader():
		return len(v) >= 3 && (n.sure() || len(v) >= 6)
	case strings.ContainsAny(v, "()[]{}") && !n.quoted:
		return false // code
	}
	upper := n.name == strings.ToUpper(n.name)
	if n.scheme || n.name[0] == '_' && bytes.HasSuffix(n.left, []byte(":")) || n.name == "_auth" { // a header, .npmrc
		return strong || len(v) >= 4 && n.isLast()
	}
	switch n.style {
	case styleOption:
		return strong || len(v) >= 4 && (n.quoted || n.isLast() || n.name[0] != '-')
	case styleAssign:
		if n.name[0] == '-' || upper && (n.sure() || strings.ContainsAny(n.name, "_-")) {
			return len(v) >= 4
		}
		return n.sure() && (strong && !isName(v) || len(v) >= 4 && !isName(v) && isPassword(n.name) && n.isLast() ||
			digits == len(v) && len(v) >= 8 && !isPlural(n.name) && n.isLast())
	case styleColon:
		return n.sure() &&
			(strong && !isName(v) || len(v) >= 4 && (n.quoted || upper && strings.ContainsAny(n.name, "_-") && n.isLast()))
	}
	return n.sure() && (strong && !isName(v) && len(v) >= 8 || n.quoted && len(v) >= 4 && isPassword(n.name))
}

// sure reports whether the name is one of secrets alone: not key, auth, pat, or cookie.
func (n *named) sure() bool {
	list := words(n.name)
	for i, w := range list {
		if slices.ContainsFunc(secretEndings, func(end string) bool { return strings.HasSuffix(w, end) }) ||
			slices.Contains([]string{"PASS", "PIN", "OTP", "PWD", "CREDS"}, w) {
			return true
		}
		if w == "KEY" && i > 0 && slices.Contains(
			[]string{"API", "ACCESS", "SECRET", "PRIVATE", "SIGNING", "ENCRYPTION", "DEPLOY", "ACCOUNT", "LICENSE"}, list[i-1]) {
			return true
		}
	}
	return strings.HasSuffix(strings.ToUpper(n.name), "PASS")
}

// isHeader reports whether the name is that of a header on a command line.
func (n *named) isHeader() bool {
	left := bytes.TrimRight(n.left, "\"'\\ =")
	return n.style == styleColon && (bytes.HasSuffix(left, []byte("-H")) || bytes.HasSuffix(left, []byte("header")))
}

// blankMarks are blanks, and marks that may follow a value at the end of a line.
const blankMarks = " \t\"'`\\"

// isLast reports whether the value ends the line or is followed by another option.
func (n *named) isLast() bool {
	behind := bytes.TrimLeft(n.behind, blankMarks)
	return len(behind) == 0 || bytes.IndexByte([]byte("\r\n-|>&;/"), behind[0]) >= 0
}

// isPIN reports whether the name is that of a secret that may be a few digits.
func (n *named) isPIN() bool {
	return isPassword(n.name) ||
		slices.ContainsFunc(words(n.name), func(w string) bool { return w == "PIN" || w == "OTP" || w == "PASSCODE" })
}

// isPlural reports whether a name may be that of a count: tokens, secrets.
func isPlural(name string) bool { return strings.HasSuffix(strings.ToUpper(name), "S") }

func isPassword(name string) bool {
	name = strings.TrimRight(strings.ToUpper(name), "0123456789")
	return strings.HasSuffix(name, "PASSWORD") || strings.HasSuffix(name, "PASSWD") ||
		strings.HasSuffix(name, "PASSPHRASE") || strings.HasSuffix(name, "PWD") || strings.HasSuffix(name, "PASS")
}

// isVariable reports whether a value stands for another: $X, ${X}, $(cmd), <token>, {{ x }}, %s, ***.
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
		strings.Contains(v, mask)
}

// isName reports whether a value may be a name of a program or a file: words with dots, dashes and
// underscores between, and no digit but at the end of a word.
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
func isPath(v string) bool {
	return strings.HasPrefix(v, "/") || strings.HasPrefix(v, "./") || strings.HasPrefix(v, "../") ||
		strings.HasPrefix(v, "~/") || strings.HasPrefix(v, "@")
}

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

// thisLine returns the end of text that is on its last line, with the lines that it continues.
func thisLine(text []byte) []byte {
	for i := len(text) - 1; i >= 0; i-- {
		if text[i] == '\n' && !bytes.HasSuffix(bytes.TrimRight(text[:i], "\r"), []byte(`\`)) {
			return text[i+1:]
		}
	}
	return text
}

// prompts are what command lines in a log begin with.
var prompts = []string{"+ ", "++ ", "+++ ", "$ ", "[command]", "##[command]", "Run ", "RUN ", "ENV ", "ARG ", "export ",
	"curl ", "docker ", "env ", "sudo "}

// isCommand reports whether the line that text ends with is a command line.
func isCommand(text []byte) bool {
	line := thisLine(text)
	if bytes.IndexByte(line, '\x1b') >= 0 {
		v, _ := strip(line, false, true)
		line = v.text
	}
	list := margins(line)
	for i := len(list) - 1; i >= 0; i-- {
		for _, p := range prompts {
			if bytes.HasPrefix(line[list[i]:], []byte(p)) {
				return true
			}
		}
	}
	return false
}
