package redact

import (
	"bytes"
)

// flagValue reads the value of a short option, which the text begins with: -uVALUE or -u VALUE.
func flagValue(p place, flag int) (from, to int, more bool) {
	at := flag
	glued := at < len(p.text) && p.text[at] != ' ' && p.text[at] != '='
	if !glued {
		at++
		at += blankLen(p.text[min(at, len(p.text)):])
	}
	at = min(at, len(p.text))
	quote := quoteLen(p.text[at:])
	from = at + quote
	to = from + valueLen(p.text[from:], p.text[at:from])
	return from, to, to == len(p.text) && !p.final && to-from < maxWord
}

// userOption finds the password in curl -u USER:PASSWORD and the like.
func userOption(p place) match {
	line := thisLine(p.before)
	separator := byte(':')
	switch {
	case bytes.Contains(line, []byte("curl")), bytes.Contains(line, []byte("http")), bytes.Contains(line, []byte("wget")):
	case bytes.Contains(line, []byte("lftp")):
		separator = ','
	case bytes.Contains(line, []byte("smb")):
		separator = '%'
	default:
		return match{}
	}
	flag := len(" -u")
	if p.text[0] == '-' {
		flag = len("-user")
	}
	if len(p.text) < flag {
		return match{more: !p.final}
	}
	from, to, more := flagValue(p, flag)
	if more {
		return match{more: true}
	}
	i := bytes.IndexByte(p.text[from:to], separator)
	if i < 0 || from+i+1 == to || isVariable(string(p.text[from+i+1:to])) {
		return match{}
	}
	return match{from: from + i + 1, to: to, ok: true}
}

// passwordTools are programs whose short option is a password. Of some the value is never a word of
// its own: mysql -p asks for it.
var passwordTools = []struct {
	flag  byte
	tool  string
	glued bool
}{
	{'p', "sshpass", false}, {'p', " login", false}, {'p', "mongo", false}, {'p', "twine", false},
	{'p', "mysql", true}, {'p', "mariadb", true}, {'p', "7z", true},
	{'P', "sqlcmd", false}, {'P', "bcp", false}, {'P', "unzip", false}, {'P', "zip ", false},
	{'a', "redis-cli", false}, {'w', "ldap", false},
}

// passwordOption finds the password in sshpass -p PASSWORD and the like.
func passwordOption(p place) match {
	line := thisLine(p.before)
	for _, t := range passwordTools {
		if p.text[2] != t.flag || !bytes.Contains(line, []byte(t.tool)) || t.glued && (p.text[3] == ' ' || p.text[3] == '=') {
			continue
		}
		from, to, more := flagValue(p, len(" -p"))
		if more {
			return match{more: true}
		}
		v := string(p.text[from:to])
		if v == "" || v[0] == '-' || isVariable(v) {
			return match{}
		}
		return match{from: from, to: to, ok: true}
	}
	return match{}
}

// readers are programs that read a secret from their input.
var readers = []string{"--password-stdin", "--with-token", "chpasswd", "sudo -S", "--passphrase-fd"}

// pipedValue finds the secret in echo SECRET | docker login --password-stdin and the like.
func pipedValue(p place) match {
	line := p.text[:min(len(p.text), maxPast)]
	if end := bytes.IndexByte(line, '\n'); end >= 0 {
		line = line[:end]
	} else if !p.final && len(line) < maxPast {
		return match{more: true}
	}
	pipe := bytes.IndexByte(line, '|')
	if pipe < 0 {
		return match{}
	}
	for _, r := range readers {
		if !bytes.Contains(line[pipe:], []byte(r)) {
			continue
		}
		from := len("echo")
		from += blankLen(line[from:])
		for bytes.HasPrefix(line[from:], []byte("-n ")) || bytes.HasPrefix(line[from:], []byte("-e ")) {
			from += len("-n ")
		}
		quote := quoteLen(line[from:])
		to := from + quote + valueLen(line[from+quote:], line[from:from+quote])
		from += quote
		if from >= to || from > pipe || isVariable(string(line[from:to])) {
			return match{}
		}
		return match{from: from, to: to, ok: true}
	}
	return match{}
}
