package redact

import (
	"bytes"
	"encoding/base64"
	"slices"
	"strings"
)

// protocolShape returns the shape of the passwords that clients of mail, FTP, chat and Redis servers send in a line
// of their own: PASS VALUE, a1 LOGIN bob VALUE, AUTH PLAIN VALUE.
func protocolShape() *shape {
	return &shape{name: "protocol", within: sentPassword, triggers: []string{"PASS", "AUTH", "LOGI", "IDEN"},
		may: func(text []byte) bool { return begins(text, protocolCommands) }}
}

var protocolCommands = []string{"PASS ", "AUTH ", "LOGIN ", "AUTHENTICATE ", "IDENTIFY "}

func sentPassword(p position) match {
	if ok, more := p.begins(protocolCommands...); !ok {
		return match{more: more}
	}
	if n := len(p.before); n > 0 && !hasTail(p.before, `\n`) && (nameBytes[p.before[n-1]] || p.before[n-1] == '=') {
		return match{}
	}
	line, whole := p.line()
	if !whole {
		return match{more: true}
	}
	command, _, _ := cutAt(line, " ")
	words := firstWords(line, len(command), 3)
	if len(words) == 0 || len(words) > 2 || line[len(command)+1] == ' ' {
		return match{}
	}
	last := words[len(words)-1]
	found := match{from: last.from, to: last.to}
	v := string(line[last.from:last.to])
	if isVariable(v) || isPath(v) || isPlaceholder(v) {
		return match{}
	}
	switch string(command) {
	case "PASS":
		sent := isSent(p.before) || isEscapedEnd(line[last.to:])
		found.ok = len(words) == 1 && (followsUser(p.before) && len(v) >= 3 || sent && isGiven(v) && !isFileName(v))
	case "LOGIN":
		isQuoted := last.from > 0 && line[last.from-1] == '"'
		found.ok = len(words) == 2 && (followsTag(p.before) || isSent(p.before)) && (isGiven(v) || isQuoted && len(v) >= 4)
	case "IDENTIFY":
		found.ok = contains(bytes.ToLower(thisLine(p.before)), "nickserv") && len(v) >= 4
	default:
		return p.authentication(line, words)
	}
	return found
}

// mechanisms are the mechanisms of SASL, and other words after AUTH that are not passwords.
var mechanisms = []string{"PLAIN", "LOGIN", "XOAUTH2", "OAUTHBEARER", "EXTERNAL", "CRAM-MD5", "DIGEST-MD5", "NTLM",
	"GSSAPI", "TLS", "SSL", "ANONYMOUS"}

// authentication finds the password of AUTH PLAIN VALUE and AUTHENTICATE PLAIN VALUE. This value may also be on the
// line after the server's answer. authentication also finds the password of AUTH bob VALUE, a command of Redis.
func (p position) authentication(line []byte, words []span) match {
	last := words[len(words)-1]
	first, v := string(line[words[0].from:words[0].to]), string(line[last.from:last.to])
	if contains(thisLine(p.before), "CAPABILITY ") { // a server's list of words
		return match{}
	}
	isMechanism := slices.Contains(mechanisms, first) || strings.HasPrefix(first, "SCRAM-")
	found := match{from: last.from, to: last.to}
	switch {
	case isMechanism && len(words) == 2:
		found.ok = first != "LOGIN" && isEncoded(v)
		return found
	case first == "PLAIN":
		return p.answered(len(line))
	case isMechanism || hasHead(p.text, "AUTHENTICATE"):
		return match{}
	}
	next, _, whole := cutAt(p.text[min(len(p.text), len(line)+1):], "\n")
	if !whole && !p.final && len(next) < maxWord/4 {
		return match{more: true}
	}
	reply := next
	for m := range margins(next) {
		reply = next[m:]
	}
	accepted := hasHead(reply, "+OK") || hasHead(reply, "-ERR") || hasHead(reply, "-WRONGPASS") || string(reply) == "OK"
	found.ok = accepted && len(v) >= 3 || isSent(p.before) && isGiven(v)
	return found
}

// answered finds the base64 that a client sends after the server's answer, + or 334. The index at is the end of the
// line before the answer.
func (p position) answered(at int) match {
	text := p.text[min(len(p.text), at+1):]
	text = text[:min(len(text), maxWord)]
	answer, rest, whole := cutAt(text, "\n")
	fields := bytes.Fields(answer)
	if whole && (len(fields) == 0 || !slices.ContainsFunc(fields, func(f []byte) bool {
		return string(f) == "+" || string(f) == "334"
	})) {
		return match{}
	}
	if !whole && (p.final || len(text) == maxWord) {
		return match{}
	}
	from := at + 1 + len(answer) + 1
	return p.lastWord(from, rest, whole)
}

// lastWord finds the last word of a line if the word is base64. The line begins at p.text[at]. begun is false if the
// beginning of the line is not yet known.
func (p position) lastWord(at int, text []byte, begun bool) match {
	line, _, whole := cutAt(text[:min(len(text), maxWord)], "\n")
	if !begun || !whole && !p.final && len(line) < maxWord {
		return match{more: !p.final}
	}
	for _, field := range bytes.Fields(line) { // a server's status code, such as 235, ends the exchange
		if len(field) >= 3 && digits(field[:3]) == 3 && strings.IndexByte("245", field[0]) >= 0 {
			return match{}
		}
	}
	words := commandWords(line, max(0, bytes.LastIndexByte(bytes.TrimRight(line, " \r"), ' ')))
	if len(words) != 1 || !isEncoded(string(line[words[0].from:words[0].to])) {
		return match{}
	}
	return match{from: at + words[0].from, to: at + words[0].to, ok: true}
}

// isEncoded reports whether a word is base64 of at least gramSize characters.
func isEncoded(v string) bool {
	_, err := base64.StdEncoding.DecodeString(v)
	return err == nil && len(v) >= gramSize
}

// promptShape returns the shape of the password after a mail server's prompt. The prompt is the base64 of Password:,
// and the password is on the next line.
func promptShape() *shape {
	const prompt = "UGFzc3dvcmQ6"
	return &shape{name: "prompt", triggers: []string{prompt[:gramSize]},
		may: func(text []byte) bool { return begins(text, []string{prompt}) },
		within: func(p position) match {
			if ok, more := p.begins(prompt); !ok {
				return match{more: more}
			}
			line, whole := p.line()
			if !whole {
				return match{more: true}
			}
			return p.lastWord(min(len(p.text), len(line)+1), p.text[min(len(p.text), len(line)+1):], true)
		}}
}

// commandWords returns the words of a command in line[at:]. The command ends at an escaped line end, and at a quote
// that does not enclose a word.
func commandWords(line []byte, at int) []span { return firstWords(line, at, len(line)) }

// firstWords is like commandWords, but returns at most limit words.
func firstWords(line []byte, at, limit int) (words []span) {
	for at < len(line) && len(words) < limit {
		at += blankLen(line[at:])
		quote := ""
		if at < len(line) && (line[at] == '"' || line[at] == '\'') {
			quote = string(line[at])
			at++
		}
		from := at
		for at < len(line) && line[at] > ' ' && line[at] != '"' && line[at] != '\'' && !isEscapedEnd(line[at:]) {
			at++
		}
		if at > from {
			words = append(words, span{from, from, at})
		}
		if quote != "" && at < len(line) && line[at] == quote[0] {
			at++
		}
		if at == from || at < len(line) && line[at] != ' ' && line[at] != '\t' {
			break
		}
	}
	return words
}

// isEscapedEnd reports whether a text begins with \r or \n.
func isEscapedEnd(text []byte) bool { return hasHead(text, `\r`) || hasHead(text, `\n`) }

// followsUser reports whether the text before a password has a command with the name of the user, or the server's
// answer to such a command.
func followsUser(before []byte) bool {
	before = before[max(0, len(before)-maxWord):]
	for _, word := range []string{"USER ", "331 ", "+OK"} {
		if i := bytes.LastIndex(before, []byte(word)); i >= 0 && (i == 0 || !nameBytes[before[i-1]]) &&
			bytes.Count(before[i:], []byte("\n")) < 4 {
			return true
		}
	}
	return false
}

// followsTag reports whether the last word of a text may be the tag of an IMAP command: a1, 0003, JLMN1.
func followsTag(before []byte) bool {
	words := lastWords(thisLine(before), 1)
	if len(words) == 0 {
		return false
	}
	letters, digits, others := count(string(bytes.TrimLeft(words[0], "b'\"")))
	return digits > 0 && others == 0 && letters+digits <= maxNumber
}

// sentMarks are words before a command that mark it as sent by a client.
var sentMarks = []string{">", "c:", "client:", "sent:", "send:", "command:", "cmd*", "put*", "request:"}

// protocolNames are names of protocols in which clients send a password on a line of its own.
var protocolNames = []string{"ftp", "pop3", "smtp", "imap", "redis", "irc"}

// isSent reports whether the text before a command shows that a client sent the command.
func isSent(before []byte) bool {
	left := bytes.ToLower(thisLine(before))
	left = left[max(0, len(left)-maxWord/4):]
	mark := bytes.TrimRight(bytes.TrimSuffix(bytes.TrimRight(left, "\"'"), []byte("b")), " \t")
	return slices.ContainsFunc(sentMarks, func(m string) bool { return hasTail(mark, m) }) ||
		slices.ContainsFunc(protocolNames, func(m string) bool { return bytes.Contains(left, []byte(m)) })
}

// isFileName reports whether a value looks like the name of a file or a class: cart2.test.js, Unit\CartTest.
func isFileName(v string) bool {
	dot := strings.LastIndexByte(v, '.')
	return strings.Contains(v, `\`) || dot > 0 && len(v)-dot <= len(".proto") && !hasDigit(v[dot:])
}

// bulkShape returns the shape of a password in the protocol of Redis. AUTH, $8 and VALUE are on separate lines.
func bulkShape() *shape {
	list := &shape{name: "bulk", within: bulkPassword}
	for _, command := range []string{"AUTH", "auth", "requirepass", "masterauth"} {
		list.triggers = append(list.triggers, command[len(command)-gramSize:])
	}
	list.may = func(text []byte) bool {
		return len(text) == gramSize || text[gramSize] == '\r' || text[gramSize] == '\n' || text[gramSize] == '\\'
	}
	return list
}

func bulkPassword(p position) match {
	text := p.text[:min(len(p.text), 2*maxWord)]
	var found match
	at := gramSize
	for range 2 { // the name of a user comes before the password
		from, to, more := bulkString(text[at:])
		if more && !p.final && len(text) < 2*maxWord {
			return match{more: true}
		}
		if to == 0 {
			break
		}
		found = match{from: at + from, to: at + to, ok: true}
		at += to
	}
	return found
}

// bulkString returns the range of a string that follows its length: \r\n$8\r\nVALUE. The line ends may be escaped.
// The result to is 0 if there is no such string. undecided is true if further text is needed.
func bulkString(text []byte) (from, to int, undecided bool) {
	end := bulkEnd(text)
	if end == 0 || end == len(text) || text[end] != '$' {
		return 0, 0, end == len(text) || len(text) < len(`\r\n$`)
	}
	size := 0
	at := end + 1
	for ; at < len(text) && text[at] >= '0' && text[at] <= '9' && size < maxWord; at++ {
		size = 10*size + int(text[at]-'0')
	}
	end = bulkEnd(text[at:])
	if from = at + end; end == 0 || size == 0 || size > maxWord {
		return 0, 0, len(text)-at < len(`\r\n`)
	}
	if to = from + size; to > len(text) {
		return 0, 0, true
	}
	return from, to, false
}

// bulkEnd returns the length of the line end at the beginning of a text, or 0 if there is none. The line end may also
// be the four characters \r\n.
func bulkEnd(text []byte) int {
	for _, end := range []string{"\r\n", "\n", `\r\n`} {
		if hasHead(text, end) {
			return len(end)
		}
	}
	return 0
}
