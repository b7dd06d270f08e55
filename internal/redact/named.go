package redact

import (
	"bytes"
	"strings"
)

// maxWord is the max length in bytes of a value that has no known form. Other limits of searches are derived from it.
const maxWord = 512

// maxPrefix is the max length in bytes of the words that spacedName adds before a name.
const maxPrefix = 16

// spoken returns the shapes of secrets that are recognised by the text around them.
func spoken() []*shape {
	var short []string // pw=VALUE
	for c := byte('!'); c <= '~'; c++ {
		short = append(short, "pw="+string(rune(c)), "PW="+string(rune(c)))
	}
	return []*shape{
		{name: "short", within: namedValue, triggers: short},
		{name: "named", within: namedValue, triggers: []string{
			"pass", "PASS", "Pass", "secr", "SECR", "Secr", "toke", "TOKE", "Toke", "cred", "CRED", "Cred",
			"auth", "AUTH", "Auth",
			"_key", "_KEY", "-key", "-KEY", "-Key", "ikey", "iKey", "IKey", "HKey", ".key", "IKEY", "iKEY", "tKey",
			"yKey", "eKey", "sKey", "sKEY", "sskey", "redK", "redk", "rKey", "rkey", "nKey", "nkey", "hKey",
			"hkey", "gKey", "gkey", "-pat", "-PAT", "cvv=", "cvv:", "cvv\"", "CVV=", "CVV:", "_cvv", "_CVV",
			"pw: ", "PW: ", "pw =", "PW =", "pw  ", "pw\":", "pw':", "tpw ", "dpw ", "Pwd:", "PWD=", "Bear", "bear",
			"BEAR", "PSK ",
			"Cook", "cook", "COOK", "_PWD", "_pwd", "_PAT", "_pat", "_PIN", "-pin", "_pin", "_OTP", "_otp", "-otp", "PIN=",
			"PIN:", "OTP:", "otp:", "otp=", "pin:", "pin=",
			"OTP=", "PAT=", "PSK=", "psk=", "Pwd=", "pwd=",
			"pwd\"", "pwd'", "-pwd", "-Pwd",
			"pwd:", "pwd>", "Pwd>", "otPW",
		}},
		{name: "spaced", within: spacedName, triggers: []string{" key", " Key", " KEY"}},
		{name: "option", within: shortOption, may: beginsTool, triggers: optionTools()},
		{name: "piped", within: pipedValue, may: isPrinted, triggers: []string{"echo", "prin"}},
		{name: "kubernetes", within: kubernetesData, may: mayHaveFields, triggers: []string{"data", "Data"}},
		{name: "here", within: hereValue, triggers: []string{"<<< "}},
	}
}

// nameBytes are the characters in names of options, variables and fields.
var nameBytes = bytesOf("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-")

// named is a possible name of a secret, with its value: password=VALUE.
type named struct {
	position
	prefix   string // words before the name
	name     string
	left     []byte // text before the name
	style    style
	value    []byte
	from     int  // position of the value in the text
	quoted   bool // the value or the name is in quotes
	inQuotes bool // the value itself is in quotes
	tight    bool // no blank is between the separator and the value
	listed   bool // the value is the first item of a list
	scheme   bool // the value follows the scheme in an Authorization header
	behind   []byte
	cells    []span // values below the name in a table
}

// style is the form in which a name and its value are written.
type style int

const (
	styleNone     style = iota
	styleAssign         // NAME=VALUE
	styleSpaced         // NAME = VALUE, NAME := VALUE
	styleColon          // NAME: VALUE
	styleOption         // --name VALUE
	styleElement        // <name>VALUE</name>
	stylePair           // name: NAME, value: VALUE
	styleColumn         // NAME  VALUE, NAME | VALUE
	stylePhrase         // password is "VALUE"
	styleGiven          // other forms; these need a strong value
	styleSentence       // token VALUE is expired; the value must be random
)

// namedValue finds the value after a secret's name. p.text may begin inside of the name: with _key for the name
// api_key.
func namedValue(p position) match {
	if p.isVerdict() {
		return match{}
	}
	return (&named{position: p}).find()
}

// spacedName finds the value after a name of two words: api key: VALUE. p.text begins with the blank between the words.
func spacedName(p position) match {
	for _, w := range []string{"api", "secret", "access", "private", "license", "unseal", "recovery",
		"encryption", "master", "deploy", "signing"} {
		if from := len(p.before) - len(w); from >= 0 && strings.EqualFold(string(p.before[from:]), w) &&
			(from == 0 || !nameBytes[p.before[from-1]] || endsInEscape(p.before[:from])) {
			p.before, p.text = p.before[:from], p.text[1:]
			m := (&named{position: p, prefix: w + "_"}).find()
			m.from, m.to = m.from+1, m.to+1
			return m
		}
	}
	return match{}
}

func (n *named) find() match {
	if more := n.read(); more {
		return match{more: true}
	}
	if len(n.cells) > 0 {
		return match{from: n.cells[0].from, to: n.cells[0].to, ok: true, others: n.cells[1:]}
	}
	if n.style == styleNone || len(n.value) == 0 {
		return match{}
	}
	if !n.final && len(n.behind) < maxWord/4 && len(bytes.TrimLeft(n.behind, blankMarks)) == 0 {
		return match{more: true} // the following text decides
	}
	if arrow := bytes.TrimLeft(n.behind, blankMarks); !n.final && len(n.behind) < maxWord/4 &&
		hasHead(arrow, "-") && n.inQuotes && bytes.IndexByte(arrow, '\n') < 0 {
		return match{more: true} // the new value may follow
	}
	parts, more := n.adjoining()
	if more {
		return match{more: true}
	}
	if parts > 0 && n.secretJoined(parts) {
		return match{from: n.from, to: n.from + len(n.value) + parts, ok: true}
	}
	if !n.secret() && !n.becomesSecret() || n.learn && !n.sure() && !n.isHeader() {
		return match{}
	}
	return match{from: n.from, to: n.from + len(n.value) + n.changedTo(), ok: true}
}

// becomesSecret reports whether a new value is secret, in a change such as "OLD" -> "NEW". If the line shows such a
// change, becomesSecret replaces the value by the new value.
func (n *named) becomesSecret() bool {
	changed := n.changedTo()
	if changed == 0 {
		return false
	}
	whole := n.text[n.from : n.from+len(n.value)+changed]
	next := bytes.LastIndexByte(whole, '"') + 1
	n.value, n.behind, n.from = whole[next:], n.text[n.from+len(whole):], n.from+next
	return len(n.value) > 0 && n.secret()
}

// changedTo returns the length of the text from the end of the value to the end of the new value, as Terraform prints a
// change: "OLD" -> "NEW". It returns 0 for other text.
func (n *named) changedTo() int {
	text := bytes.TrimLeft(n.behind, `"`)
	arrow := bytes.TrimLeft(text, " ")
	if !n.quoted || len(text) == len(n.behind) || !hasHead(arrow, `-> "`) {
		return 0
	}
	text = arrow[len(`-> "`):]
	return len(n.behind) - len(text) + valueLen(text, []byte(`"`))
}

// read reads the name, the separator and the value. It reports whether it needs more text.
func (n *named) read() (more bool) {
	head, end := n.bounds()
	n.left = n.before[:head]
	var space [maxWord/2 + maxPrefix]byte
	name := append(append(append(space[:0], n.prefix...), n.before[head:]...), n.text[:end]...)
	if !n.hasSecretName(name) {
		return end == len(n.text) && !n.final
	}
	n.name = string(name)
	at := end
	if q := quoteLen(n.text[at:]); q > 0 {
		n.quoted = true
		at += q
	}
	if n.isCutKey(n.text[end:]) {
		return true
	}
	if gap := visibilityLen(n.left, n.text[end:]); gap > 0 {
		return n.readKey(end + gap)
	}
	at += remarkLen(n.text[at:])
	if mark := ") to"; hasTail(n.left, "Setting ") { // wget -d prints: Setting --password (password) to VALUE
		if i := indexOf(n.text[at:min(len(n.text), at+maxWord/8)], mark); i > 0 {
			at += i + len(mark)
		}
	}
	blanks := blankLen(n.text[at:])
	at += blanks
	if at+1 >= len(n.text) && !n.final {
		return true
	}
	if blanks == 1 && isNumbered(n.text[at:]) && (n.prefix == "unseal_" || n.prefix == "recovery_") {
		at++
	}
	at += n.separator(n.text[at:], blanks)
	if n.style == styleNone {
		return n.readAround(end)
	}
	blanks = blankLen(n.text[at:])
	at += blanks
	n.tight = blanks == 0
	if n.style == styleOption || n.style == styleAssign {
		next, more := continuation(n.text[at:])
		if more && !n.final {
			return true
		}
		at += next
	}
	if n.style == styleColon && n.isCookie() {
		return n.readCookie(at)
	}
	if n.isCookies() {
		return n.readCookieObjects(at)
	}
	if more := n.readSeveral(at); more || len(n.cells) > 0 {
		return more
	}
	if n.name == "rootpw" || n.style == styleOption && n.name[0] != '-' && n.isSet() {
		at += flagsLen(n.text[at:])
	}
	return n.readOne(at)
}

// bounds returns the beginning of the name in n.before, and the end of the name in n.text.
func (n *named) bounds() (head, end int) {
	head = len(n.before)
	for head > 0 && len(n.before)-head < maxWord/4 && nameBytes[n.before[head-1]] {
		head--
	}
	if head > 0 && strings.IndexByte(`\%[;`, n.before[head-1]) >= 0 {
		head += escapeLen(n.before, head)
	}
	if hasHead(n.before[head:], "-H") { // curl -HAuthorization:VALUE
		head += len("-H")
	}
	for end < len(n.text) && end < maxWord/4 && nameBytes[n.text[end]] {
		end++
	}
	if dots := bytes.Index(n.text[:end], []byte(leaders)); dots > 0 {
		end = dots
	}
	return head, end
}

// readSeveral reads several secrets after one name: the parameters of an Authorization header, or the passwords that
// cloud-init sets. It reports whether it needs more text.
func (n *named) readSeveral(at int) (more bool) {
	if n.style != styleColon {
		return false
	}
	if more := n.readCredentials(at); more || len(n.cells) > 0 {
		return more
	}
	return n.readAccounts(at)
}

// readOne reads a value, or the values of a list. It reports whether it needs more text.
func (n *named) readOne(at int) (more bool) {
	if more := n.readList(at); more || len(n.cells) > 0 {
		return more
	}
	if more := n.readHosts(at); more || len(n.cells) > 0 {
		return more
	}
	if n.style == styleColon {
		if found, more := n.readBlock(at); found || more {
			return more
		}
	}
	if found, more := n.readMarked(at); found || more {
		return more
	}
	if n.style != styleOption && n.style != styleElement {
		if next, more := n.below(n.text[at:]); next > 0 || more {
			at += next
			return more || n.readValue(at)
		}
	}
	return n.readValue(at)
}

// continuation returns the length of a backslash at the end of a line, the line end, and the blanks at the start of the
// next line. It returns 0 for other text. undecided is true if further text is needed.
func continuation(text []byte) (n int, undecided bool) {
	for _, end := range []string{"\\\n", "\\\r\n"} {
		if hasHead(text, end) {
			n = len(end) + blankLen(text[len(end):])
			return n, n == len(text)
		}
		if len(text) < len(end) && bytes.HasPrefix([]byte(end), text) {
			undecided = true
		}
	}
	return 0, undecided
}

// separator sets the style, and returns the length of the separator.
func (n *named) separator(text []byte, blanks int) int {
	switch {
	case hasHead(text, "=>"), hasHead(text, ":="),
		hasHead(text, "?="), hasHead(text, "+="):
		n.style = styleSpaced
		return 2
	case hasHead(text, "==> "):
		n.style = styleSpaced
		return 3
	case hasHead(text, "::") && hasTail(n.left, " name="): // ::set-output name=x::VALUE
		n.style = styleAssign
		return 2
	case hasHead(text, ":: ") && isPassword(n.name) && !n.quoted: // base64 in LDIF
		n.style = styleColon
		return 2
	case hasHead(text, `<- "`), hasHead(text, "<- '"): // R
		n.style = styleSpaced
		return 2
	case hasHead(text, "]") && contains(thisLine(n.left), "task.setvariable "):
		n.style = styleAssign
		return 1
	case hasHead(text, "=="), hasHead(text, "::"):
	case hasHead(text, "="):
		n.style = styleAssign
		if len(text) > 1 && (text[1] == ' ' || text[1] == '\t') {
			n.style = styleSpaced
		} else if blanks > 0 {
			n.style = styleSpaced
		}
		return 1
	case hasHead(text, ":"):
		n.style = styleColon
		return 1
	case blanks > 0 && !n.quoted && (n.name[0] == '-' || n.isNetrc() || n.isSet()):
		n.style = styleOption
	}
	return 0
}

// isNetrc reports whether the name is a keyword of a netrc file, or of the settings of Redis, LDAP or a router.
func (n *named) isNetrc() bool {
	if n.name == "requirepass" || n.name == "masterauth" || n.name == "bindpw" || n.name == "rootpw" ||
		n.name == "secret" && hasTail(n.left, "enable ") {
		return true
	}
	if n.name != "password" {
		return false
	}
	words := lastWords(n.left, 4)
	before := func(i int) string {
		if i > len(words) {
			return ""
		}
		return string(words[len(words)-i])
	}
	return before(2) == "login" || before(2) == "account" && before(4) == "login" || before(2) == "neighbor"
}

// isSet reports whether the name follows a command that takes a name and a value: setx NAME VALUE.
func (n *named) isSet() bool {
	left := lastText(n.left[bytes.LastIndexByte(n.left, '\n')+1:], 3) // a command has two words at most
	for _, c := range []string{"setx", "SETX", "ENV", "variable set", "env:set", "configure set", "npm set",
		"wifi connect", "config set", "etcdctl put", "Set-Item", "setenv",
		"set -gx", "set -x", "set -Ux", "set -xg"} {
		if bytes.Contains(left, []byte(c)) && len(bytes.Fields(left[bytes.LastIndex(left, []byte(c))+len(c):])) < 2 {
			return true
		}
	}
	return false
}
