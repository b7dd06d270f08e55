package redact

import (
	"bytes"
	"slices"
	"strings"
	"sync"
)

func (n *named) hasSecretName(name []byte) bool {
	if isSecretName(name) {
		return true
	}
	switch string(name) {
	case "requirepass", "masterauth":
		return true
	case "PWD": // in a connection string, PWD is no directory
		return hasTail(n.left, ";") || hasTail(n.left, "&")
	case "github-oauth":
		return true
	case "SecretStr", "SecretBytes":
		return hasHead(n.text, "Secr") && bytes.IndexByte(n.text[:min(len(n.text), len("SecretBytes("))], '(') > 0
	case "private_Keys":
		return hasHead(n.text[len("Keys"):], "\n") || hasHead(n.text[len("Keys"):], "\r\n")
	case "pass":
		return n.isOpenSSL()
	}
	if n.isCookies() {
		return true
	}
	return name[0] == '-' && len(name) > len("pass") && bytes.EqualFold(name[len(name)-len("pass"):], []byte("pass")) &&
		!hasTail(name, "onepass") && !hasTail(name, "multipass") && !hasTail(name, "bypass")
}

// isOpenSSL reports whether the name is pass in the form of OpenSSL's options: -passin pass:VALUE.
func (n *named) isOpenSSL() bool {
	return hasHead(n.text, "pass:") &&
		contains(thisLine(n.before), "openssl")
}

// secret reports whether the value is a secret.
func (n *named) secret() bool {
	v := sentenceEnd(string(n.value))
	if v == "" {
		return false
	}
	if n.style == styleOption && strings.HasSuffix(n.name, "secret-string") && strings.HasPrefix(v, `{"`) {
		return true
	}
	if isVariable(v) || strings.Contains(v, "://") || v[0] == '-' && n.style == styleOption || isMonotone(v) &&
		(len(v) > 3 || len(v) < 2) || n.isPlain(v) {
		return false
	}
	command := n.command || isCommand(n.left)
	if isPlaceholder(v) && !(command && n.style == styleOption && len(v) > 5 && !placeholders()[strings.ToLower(v)]) {
		return false
	}
	if n.isCookie() && n.style == styleColon {
		return len(v) >= 4
	}
	if n.isInConnection() {
		return true
	}
	if !command && n.isCode(v) {
		return false
	}
	letters, digits, others := count(v)
	strong := isStrong(v)
	switch {
	case n.listed && (!strong || strings.Contains(v, " ")): // the list has messages about the field, not its values
		return false
	case n.name == "pass" && n.isOpenSSL():
		return true
	case strings.EqualFold(n.name, "pwd"): // a password in a connection string, a directory elsewhere
		return n.inQuotes && n.style == styleColon && !isPath(v) && !strings.Contains(v, `:\`) ||
			hasTail(bytes.TrimRight(n.left, " "), ";") || hasTail(n.left, "&") ||
			hasTail(n.left, "?") && isGiven(v) ||
			n.style == styleElement && n.secretAround(v, strong) || hasHead(n.behind, ";") ||
			strong && !isPath(v) && n.besideUser() || n.style == styleOption && n.name[0] == '-' && isGiven(v) ||
			n.style == styleColon && isKey(v) && !strings.ContainsAny(v, `/\:`)
	case n.isNumericCode(v), n.isKeyHeader(v):
		return true
	case n.style >= styleElement:
		return n.secretAround(v, strong)
	case n.name == "auth" && n.style == styleColon && hasPassword(v):
		return true
	case strings.EqualFold(n.name, "pass") && n.style == styleColon && (!n.quoted || n.isQuotedVerdict(v)):
		return strong && !isName(v) && !isPath(v) && n.besideUser() // otherwise the text is a test verdict
	case n.style == styleColon && n.tight && strong && isPassword(n.name) && !strings.ContainsAny(v, ".:/"):
		return true // a Go struct: {User:bob Password:x1}
	case n.style == styleColon && n.tight && !n.quoted && !n.command &&
		(strings.Contains(n.name, ".") && !n.isProperty() || strings.ContainsAny(v, ":/") || digits == 0 || len(v) < 8):
		return false // the value names a package
	case isName(v) && strings.Contains(v, "/"):
		return false // the value is the name of a file
	case isPath(v) && !(strong && len(v) >= 20 && strings.Count(v, "/") < 3):
		return false
	case letters == 0 && others == 0 && (len(v) < 4 || len(v) < 6 && !n.isPIN()):
		return false
	case command || n.isHeader():
		return len(v) >= 3 && (n.sure() || len(v) >= 6)
	case strings.ContainsAny(v, "()[]{}") && !n.quoted:
		return false // the value is an expression
	}
	upper := n.name == strings.ToUpper(n.name)
	if n.scheme || n.name[0] == '_' && hasTail(n.left, ":") || n.name == "_auth" { // an HTTP header, or .npmrc
		return strong || len(v) >= 4 && n.isLast()
	}
	return n.secretIn(v, strong, upper, digits)
}

// isStrong reports whether a value is more than a word. Such a value has at least six bytes: letters and digits, or
// letters and special characters that do not form a name. Or it has only letters and looks random.
func isStrong(v string) bool {
	letters, digits, others := count(v)
	return digits > 0 && letters > 0 && len(v) >= 6 || others > 0 && letters > 0 && len(v) >= 6 && !isName(v) ||
		letters == len(v) && isRandom(v)
}

// hasPassword reports whether a value has the form USER:PASSWORD.
func hasPassword(v string) bool {
	user, password, ok := strings.Cut(v, ":")
	return ok && user != "" && isStrong(password) && !isName(password) && !strings.ContainsAny(v, "/ ")
}

// isVerdict reports whether PASS is not the name of a password, but begins Go's message about a passed test: PASS:
// TestX. It returns false if the name of a user comes before PASS.
func (p position) isVerdict() bool {
	const verdict = "PASS: Test"
	if !hasHead(p.text, verdict) || !p.final && len(p.text) < 2*maxWord {
		return false
	}
	left := p.before[max(0, len(p.before)-maxWord/4):]
	if len(left) > 0 && nameBytes[left[len(left)-1]] {
		return false
	}
	for i, c := range left { // the end of user:, username= or login:
		if (c == ':' || c == '=') && i > 0 && strings.IndexByte("ren", left[i-1]|0x20) >= 0 {
			return false
		}
	}
	return true
}

// isQuotedVerdict reports whether a quoted value may be the name of a test, as in DejaGnu's line PASS: "a name".
func (n *named) isQuotedVerdict(v string) bool {
	return n.inQuotes && strings.Contains(v, " ") && !n.hasQuotedName()
}

// besideUser reports whether the name of a user comes before the name of the secret, on the same line or on a line
// above.
func (n *named) besideUser() bool {
	left := bytes.ToLower(n.left[max(0, len(n.left)-maxWord/4):])
	for _, user := range []string{"user:", "user=", "username:", "username=", "login:", "login="} {
		if bytes.Contains(left, []byte(user)) {
			return true
		}
	}
	return false
}

// secretIn reports whether a value is a secret. The check is stricter for some styles of the name. The caller has
// already excluded ordinary values.
func (n *named) secretIn(v string, strong, upper bool, digits int) bool {
	switch n.style {
	case styleOption:
		if !n.sure() && isName(v) && strings.Contains(v, ".") {
			return false // the value is the name of a file
		}
		return strong || len(v) >= 4 && !n.isFlag() && (n.quoted || n.isLast() || n.name[0] != '-' ||
			isPassword(n.name) && contains(thisLine(n.left), "--user") && v != strings.ToUpper(v))
	case styleAssign:
		if n.name[0] == '-' || upper && (n.sure() || strings.ContainsAny(n.name, "_-")) {
			return len(v) >= 4
		}
		return n.sure() && (strong && !isName(v) ||
			len(v) >= 4 && !isName(v) && isPassword(n.name) && (n.isLast() || n.quoted || n.isMember()) ||
			digits == len(v) && len(v) >= 8 && !isPlural(n.name) && n.isLast())
	case styleColon:
		return n.sure() &&
			(strong && !isName(v) || len(v) >= 4 && (n.quoted || upper && strings.ContainsAny(n.name, "_-") && n.isLast()))
	}
	return n.sure() && (strong && !isName(v) && (len(v) >= 8 || isPassword(n.name) && n.isLast()) ||
		n.quoted && len(v) >= 4 && isPassword(n.name))
}

// isMember reports whether the name and the value are a member of an object or a map that Java prints: {user=bob,
// password=VALUE}.
func (n *named) isMember() bool {
	line := thisLine(n.left)
	open := bytes.LastIndexAny(line, "{[()]}")
	return len(n.behind) > 0 && strings.IndexByte(",]}", n.behind[0]) >= 0 && open >= 0 &&
		strings.IndexByte("{[", line[open]) >= 0 && (open == len(line)-1 || hasTail(line, ", "))
}

// flagVerbs are the first words of options that have no value: --ask-password.
var flagVerbs = sync.OnceValue(func() map[string]bool {
	return wordSet("ASK USE NO ENABLE DISABLE SHOW PRINT SKIP PROMPT WITHOUT HIDE GENERATE LIST EXPORT")
})

// isFlag reports whether the name is an option that has no value. The text after such an option is not a secret.
func (n *named) isFlag() bool {
	list := words(n.name)
	return strings.HasPrefix(n.name, "--") && len(list) > 1 && flagVerbs()[list[0]]
}

// sure reports whether the name is used only for secrets. It returns false for names such as key, auth, pat and cookie,
// which also have other meanings.
func (n *named) sure() bool {
	list := words(n.name)
	for i, w := range list {
		if slices.ContainsFunc(secretEndings, func(end string) bool { return strings.HasSuffix(w, end) }) ||
			slices.Contains([]string{"PASS", "PW", "PIN", "OTP", "PWD", "PSK", "CREDS", "BEARER", "AUTHORIZATION",
				"CVV", "TOTP", "PEPPER"}, w) ||
			endsInPassword([]byte(w)) {
			return true
		}
		if w == "PAT" && len(list) > 1 { // pat means pattern here
			return !bytes.ContainsFunc(n.value, func(r rune) bool { return r > '~' || !nameBytes[byte(r)] })
		}
		if w == "SECRETSTR" || w == "SECRETBYTES" {
			return true
		}
		if w == "AUTH" && i == 1 && len(list) == 2 && list[0] == "X" { // X-Auth is a header
			return true
		}
		if w == "KEY" && i > 0 && slices.Contains(
			[]string{"API", "ACCESS", "SECRET", "PRIVATE", "SIGNING", "ENCRYPTION", "DEPLOY", "ACCOUNT", "LICENSE",
				"AUTH", "HMAC", "FUNCTIONS", "SUBSCRIPTION", "MASTER", "ADMIN", "UNSEAL", "RECOVERY", "APPLICATION"}, list[i-1]) {
			return true
		}
	}
	return strings.HasSuffix(strings.ToUpper(n.name), "PASS") || n.name == "masterauth"
}

// isHeader reports whether the name is a header on a command line.
func (n *named) isHeader() bool {
	left := bytes.TrimRight(n.left, "\"'\\ =")
	return n.style == styleColon && (hasTail(left, "-H") || hasTail(left, "header"))
}

// blankMarks are blanks, and other characters that may be between a value and the end of its line.
const blankMarks = " \t\"'`\\"

// isLast reports whether the value is at the end of the line, or before another option or an operator of the shell.
func (n *named) isLast() bool {
	behind := bytes.TrimLeft(n.behind, blankMarks)
	return len(behind) == 0 || strings.IndexByte("\r\n-|>&;/", behind[0]) >= 0
}

// isPIN reports whether the name is that of a secret that may have only a few digits, such as a PIN.
func (n *named) isPIN() bool {
	return isPassword(n.name) ||
		slices.ContainsFunc(words(n.name), func(w string) bool {
			return w == "PIN" || w == "OTP" || w == "TOTP" || w == "PASSCODE"
		})
}

// isPlural reports whether a name is plural, so that its value may be a count: tokens, secrets.
func isPlural(name string) bool { return strings.HasSuffix(strings.ToUpper(name), "S") }

//go:noinline
func isPassword(name string) bool {
	name = strings.TrimRight(strings.ToUpper(name), "0123456789")
	return strings.HasSuffix(name, "PASSWORD") || strings.HasSuffix(name, "PASSWORT") ||
		strings.HasSuffix(name, "PASSWD") ||
		strings.HasSuffix(name, "PASSPHRASE") || strings.HasSuffix(name, "PWD") || strings.HasSuffix(name, "PASS") ||
		strings.HasSuffix(name, "PW")
}

// isNumericCode reports whether a value is a code of digits, and its name is the name of such a code: OTP: 482913. Only
// a blank, a line end or a quote may directly follow the digits.
func (n *named) isNumericCode(v string) bool {
	const longest = 10 // digits of a code
	_, digits, _ := count(v)
	if digits != len(v) || len(v) < 4 || len(v) > longest {
		return false
	}
	if n.style != styleColon && n.style != styleAssign && n.style != styleSpaced && n.style != stylePhrase {
		return false
	}
	if len(n.behind) > 0 && n.behind[0] > ' ' && quoteLen(n.behind) == 0 {
		return false
	}
	return n.isPIN() && (!isPassword(n.name) || len(v) >= 6)
}

// remarkLen returns the length of a remark in parentheses between a name and a colon: private key (hex):. It returns
// 0 for other text.
func remarkLen(text []byte) int {
	if !hasHead(text, " (") {
		return 0
	}
	end := indexOf(text[:min(len(text), maxWord/8)], "):")
	if end < 0 || bytes.ContainsAny(text[2:end], "()\n\"'=,") {
		return 0
	}
	return end + 1
}

// isNoun reports whether the word pass is short for password. In "you can pass 'x'", pass is a verb.
func (n *named) isNoun() bool {
	if contains(bytes.ToLower(thisLine(n.left)), "user") || !n.inQuotes {
		return true
	}
	before := string(bytes.Join(lastWords(n.left, 1), nil))
	return before == "with" || before == "using"
}
