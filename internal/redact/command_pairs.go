package redact

import (
	"bytes"
	"slices"
	"strings"
)

// pairShape returns the shape of a user and a password as two arguments or list items: auth=("bob", "VALUE"),
// NetworkCredential("bob", "VALUE").
func pairShape() *shape {
	return &shape{name: "pair", within: passwordOfPair, triggers: []string{"uth(", "uth=", "uth\"", "uth'", "uth:",
		"ial(", "als(", "ion(", "ord(", "new("}}
}

// pairNames are the endings of names that may come directly before a user and a password: auth in basic_auth=("bob",
// "x").
var pairNames = []string{"auth", "credential", "credentials", "authentication", "password", "credential]::new"}

// endsInPairName reports whether a text ends with one of pairNames. The text is given in two parts, text and lastWord.
func endsInPairName(text, lastWord []byte) bool {
	for _, n := range pairNames {
		head, ok := strings.CutSuffix(n, string(lastWord))
		if from := len(text) - len(head); ok && from >= 0 && strings.EqualFold(string(text[from:]), head) {
			return true
		}
	}
	return false
}

func passwordOfPair(p position) match {
	const end = 3
	if !endsInPairName(p.before, p.text[:end]) {
		return match{}
	}
	name := lastWord(p.before)
	name = bytes.ToLower(append(bytes.Clone(name[max(0, len(name)-maxWord/8):]), p.text[:end]...))
	line, whole := p.line()
	if !whole {
		return match{more: true}
	}
	at := end + len(line[end:]) - len(bytes.TrimLeft(line[end:], "\"'=: "))
	if at == len(line) || line[at] != '(' && line[at] != '[' {
		return match{}
	}
	user := at + 1 + blankLen(line[at+1:])
	quote := quoteLen(line[user:])
	if quote == 0 {
		return match{}
	}
	stop := bytes.Index(line[user+quote:], line[user:user+quote])
	if stop <= 0 {
		return match{}
	}
	next := user + 2*quote + stop
	if next == len(line) || line[next] != ',' {
		return match{}
	}
	next += 1 + blankLen(line[next+1:])
	quote = quoteLen(line[next:])
	from := next + quote
	to := from + valueLen(line[from:], line[next:from])
	from, to = lastOfFour(line, from, to)
	v := string(line[from:to])
	exact := p.text[end] == '=' || contains(name, "basic") || contains(name, "cred")
	return match{from: from, to: to, ok: quote > 0 && len(v) >= 4 && !isVariable(v) && !isPlaceholder(v) && !isPath(v) &&
		!strings.Contains(v, " ") && (isStrong(v) && !isName(v) || exact)}
}

// lastOfFour returns the range of the fourth string in a list of four strings, such as Credentials("realm", "host",
// "bob", "x"). line[from:to] is the second string. If the list is shorter, lastOfFour returns the range of the second
// string.
func lastOfFour(line []byte, from, to int) (int, int) {
	at, end := from, to
	for range 2 {
		next := end + 1 // after the quote
		if next >= len(line) || line[next] != ',' {
			return from, to
		}
		next += 1 + blankLen(line[next+1:])
		quote := quoteLen(line[next:])
		if quote == 0 {
			return from, to
		}
		at = next + quote
		end = at + valueLen(line[at:], line[next:at])
	}
	return at, end
}

// loginShape returns the shape of a sentence with credentials: login with admin / VALUE.
func loginShape() *shape {
	return &shape{name: "login", within: passwordOfLogin, may: isLogin, triggers: []string{"ogin", "ials"}}
}

// logins are the texts before the credentials that loginShape finds. Their first letters are left out, because they may
// be upper or lower case.
var logins = []string{"ogin with ", "ogin as ", "ogin: ", "ials for ", "ials: ", "ials "}

func isLogin(text []byte) bool { return begins(text, logins) }

func passwordOfLogin(p position) match {
	if ok, more := p.begins(logins...); !ok {
		return match{more: more}
	}
	line, whole := p.line()
	if !whole {
		return match{more: true}
	}
	words := bytes.Fields(line)[1:]
	if len(words) > 0 && slices.Contains([]string{"with", "as", "for"}, string(words[0])) {
		words = words[1:]
	}
	var v []byte
	switch {
	case len(words) == 3 && (string(words[1]) == "/" || string(words[1]) == ":"):
		v = words[2]
	case len(words) == 1:
		if i := bytes.IndexAny(words[0], ":/"); i > 0 && (words[0][i] == ':' || bytes.Count(words[0], []byte("/")) == 1) {
			v = words[0][i+1:]
		}
	}
	v = bytes.Trim(v, "\"'`.,")
	if s := string(v); s == "" || !isStrong(s) || isName(s) || isPath(s) || isVariable(s) {
		return match{}
	}
	from := bytes.LastIndex(line, v)
	return match{from: from, to: from + len(v), ok: true}
}

// flagShape returns the shape of a password in a short option: -u bob -p VALUE, http -a bob:VALUE. The option -a counts
// only for HTTPie and similar programs. The options -p and -P count only after an option for the user, and not for the
// programs in otherFlags.
func flagShape() *shape {
	return &shape{name: "flag", within: passwordOfFlag, triggers: []string{" -p ", " -P ", " -a "}}
}

// userFlags are options for a user.
var userFlags = []string{" -u ", " -U ", " --user ", " --username ", " -user ", " --user=", " --username="}

// otherFlags are programs that use the options of flagShape for other purposes: mysql -u bob -p DATABASE.
var otherFlags = []string{"mysql", "mariadb", "journalctl", "docker ", "podman ", "pytest", "systemd-run", "rsync ",
	"git "}

func passwordOfFlag(p position) match {
	const flag = len(" -p ")
	before := thisLine(p.before)
	pair := p.text[2] == 'a'
	if pair && !isHTTPie(before) || !pair && !hasUser(before) {
		return match{}
	}
	line, whole := p.line()
	if !whole {
		return match{more: true}
	}
	from := flag + blankLen(line[min(flag, len(line)):])
	quote := quoteLen(line[from:])
	to := from + quote + valueLen(line[from+quote:], line[from:from+quote])
	from += quote
	if i := bytes.IndexByte(line[from:to], ':'); pair && i > 0 {
		from += i + 1
	}
	v := string(line[from:to])
	letters, _, _ := count(v)
	return match{from: from, to: to, ok: letters > 0 && len(v) >= 4 && v[0] != '-' && !isVariable(v) &&
		!isPlaceholder(v) && !isPath(v) && !strings.Contains(v, "=") && (isStrong(v) || p.command || isCommand(p.before))}
}

// isHTTPie reports whether a command line runs HTTPie or a similar program.
func isHTTPie(line []byte) bool {
	for w := range bytes.FieldsSeq(line) {
		switch string(w) {
		case "http", "https", "xh", "xhs", "httpie":
			return true
		}
	}
	return false
}

// hasUser reports whether a command line has an option for a user with a value that may be a user name, and contains
// none of otherFlags.
func hasUser(line []byte) bool {
	for _, other := range otherFlags {
		if bytes.Contains(line, []byte(other)) {
			return false
		}
	}
	for _, flag := range userFlags {
		if bytes.Contains(line, []byte(flag)) {
			for user := range bytes.FieldsSeq(line[bytes.LastIndex(line, []byte(flag))+len(flag):]) {
				return user[0] != '-' && !bytes.ContainsAny(user, "./")
			}
			return false
		}
	}
	return false
}
