package redact

import (
	"bytes"
)

// optionTools returns what the names of programs with passwords in short options begin with.
func optionTools() []string {
	var list []string
	for _, o := range shortOptions {
		list = append(list, o.tool)
	}
	return list
}

// shortOptions are options of programs whose value is a password, or has one behind a separator. Of
// some the value is never a word of its own: mysql -p asks for it.
var shortOptions = []struct {
	tool      string
	flags     []string
	separator byte // between user and password, 0 for a password alone
	glued     bool
}{
	{tool: "curl", flags: []string{" -u", " -U", " --user", " --proxy-user"}, separator: ':'},
	{tool: "wget", flags: []string{" --user"}, separator: ':'},
	{tool: "lftp", flags: []string{" -u"}, separator: ','},
	{tool: "smbclient", flags: []string{" -U"}, separator: '%'},
	{tool: "sshpass", flags: []string{" -p"}},
	{tool: "login ", flags: []string{" -p"}},
	{tool: "mongo", flags: []string{" -p"}},
	{tool: "twine", flags: []string{" -p"}},
	{tool: "mysql", flags: []string{" -p"}, glued: true},
	{tool: "mariadb", flags: []string{" -p"}, glued: true},
	{tool: "sqlcmd", flags: []string{" -P"}},
	{tool: "zip -", flags: []string{" -P"}},
	{tool: "redis-cli", flags: []string{" -a"}},
	{tool: "ldap", flags: []string{" -w"}},
}

// shortOption finds the password in curl -u USER:PASSWORD, sshpass -p PASSWORD and the like. The text
// begins with the name of the program.
func shortOption(p place) match {
	line, whole := p.line()
	for _, o := range shortOptions {
		if !bytes.HasPrefix(line, []byte(o.tool)[:min(len(o.tool), len(line))]) {
			continue
		}
		if !whole {
			return match{more: true}
		}
		if !bytes.HasPrefix(line, []byte(o.tool)) {
			continue
		}
		for _, flag := range o.flags {
			if m := optionValue(line, flag, o.separator, o.glued); m.ok {
				return m
			}
		}
	}
	return match{}
}

// line returns the line that the text begins with, with the lines that continue it, and whether it is
// complete.
func (p place) line() (line []byte, whole bool) {
	text := p.text[:min(len(p.text), 2*maxPast)]
	for at := 0; at < len(text); {
		end := bytes.IndexByte(text[at:], '\n')
		if end < 0 {
			break
		}
		at += end
		if !bytes.HasSuffix(bytes.TrimRight(text[:at], "\r"), []byte(`\`)) {
			return text[:at], true
		}
		at++
	}
	return text, p.final || len(text) == 2*maxPast
}

// optionValue finds the password of an option in a line.
func optionValue(line []byte, flag string, separator byte, glued bool) match {
	for at := 0; ; {
		i := bytes.Index(line[at:], []byte(flag))
		if i < 0 {
			return match{}
		}
		at += i + len(flag)
		from := at
		if n := blankLen(line[at:]); n > 0 && !glued {
			from += n
		} else if at < len(line) && line[at] == '=' {
			from++
		}
		quote := quoteLen(line[from:])
		to := from + quote + valueLen(line[from+quote:], line[from:from+quote])
		from += quote
		if separator != 0 {
			name := bytes.IndexByte(line[from:to], separator)
			if name < 0 {
				continue
			}
			from += name + 1
		}
		if from >= to || line[from] == '-' || isVariable(string(line[from:to])) {
			continue
		}
		return match{from: from, to: to, ok: true}
	}
}

// readers are programs that read a secret from their input.
var readers = []string{"--password-stdin", "--with-token", "chpasswd", "sudo -S", "--passphrase-fd"}

// pipedValue finds the secret in echo SECRET | docker login --password-stdin and the like.
func pipedValue(p place) match {
	line, whole := p.line()
	if !whole {
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
