package redact

import (
	"bytes"
)

// optionTools returns what the names of programs with passwords in short options or arguments begin with.
func optionTools() []string {
	var list []string
	for _, o := range shortOptions {
		list = append(list, o.tool)
	}
	for _, a := range arguments {
		list = append(list, a.tool)
	}
	return list
}

// arguments are programs with a password as an argument, behind the given number of others, -1 for the last.
var arguments = []struct {
	tool   string
	behind int
}{
	{"cargo login", 0}, {"snyk auth", 0}, {"vault login", 0}, {"ngrok authtoken ", 0}, {"ngrok config add-authtoken ", 0},
	{"rclone obscure ", 0}, {"net use ", 1}, {"gcloud auth activate-refresh-token ", 1}, {"net user ", 1},
	{"rabbitmqctl add_user ", 1},
	{"wpa_passphrase ", 1}, {"poetry config http-basic.", 2}, {"poetry config pypi-token.", 1},
	{"rabbitmqctl change_password ", 1}, {"htpasswd -b", -1},
	{"htpasswd -nb", -1}, {"htpasswd -bn", -1}, {"htpasswd -cb", -1}, {"htpasswd -bc", -1},
	{"htpasswd -Bb", -1}, {"htpasswd -bB", -1}, {"htpasswd -nbB", -1},
}

// shortOptions are options of programs whose value is a password, or has one behind a separator. Where glued is set,
// the value is in the same word: mysql -psecret, while mysql -p asks for it.
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
	{tool: "snmp", flags: []string{" -c ", " -A ", " -X "}},
	{tool: "openssl", flags: []string{" -k "}},
	{tool: "7z a", flags: []string{" -p"}, glued: true},
	{tool: "7z x", flags: []string{" -p"}, glued: true},
	{tool: "useradd", flags: []string{" -p "}},
	{tool: "usermod", flags: []string{" -p "}},
	{tool: "plink", flags: []string{" -pw "}},
	{tool: "pscp", flags: []string{" -pw "}},
	{tool: "cmdkey", flags: []string{" /pass:"}, glued: true},
	{tool: "xfreerdp", flags: []string{" /p:"}, glued: true},
	{tool: "sqlplus", flags: []string{" "}, separator: '/'},
	{tool: "nuget push", flags: []string{" -k "}},
	{tool: "doctl auth", flags: []string{" -t", " --access-token"}},
	{tool: "gh secret set", flags: []string{" -b", " --body"}},
	{tool: "psexec", flags: []string{" -p"}},
	{tool: "PsExec", flags: []string{" -p"}},
	{tool: "snowsql", flags: []string{" -p"}},
	{tool: "cqlsh", flags: []string{" -p"}},
	{tool: "keyvault secret set", flags: []string{" --value"}},
	{tool: "SecureString ", flags: []string{" --value"}},
	{tool: "schtasks", flags: []string{" /rp "}},
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
		flags := o.flags
		if o.tool == "curl" {
			flags = append(bundles(line), flags...)
		}
		for _, flag := range flags {
			if m := optionValue(line, flag, o.separator, o.glued); m.ok {
				return m
			}
		}
	}
	return argument(line, whole)
}

// bundles returns the bundles of short options that end with that for a user: -sSfu.
func bundles(line []byte) []string {
	var list []string
	for _, w := range bytes.Fields(line) {
		if len(w) > 2 && w[0] == '-' && w[1] != '-' && (w[len(w)-1] == 'u' || w[len(w)-1] == 'U') {
			list = append(list, " "+string(w)+" ")
		}
	}
	return list
}

// argument finds the password among the arguments of a program.
func argument(line []byte, whole bool) match {
	for _, a := range arguments {
		if !bytes.HasPrefix(line, []byte(a.tool)[:min(len(a.tool), len(line))]) {
			continue
		}
		if !whole {
			return match{more: true}
		}
		if !bytes.HasPrefix(line, []byte(a.tool)) {
			continue
		}
		var found match
		count := 0
		for at := len(a.tool); at < len(line); {
			at += blankLen(line[at:])
			quote := quoteLen(line[at:])
			end := at + quote + valueLen(line[at+quote:], line[at:at+quote])
			if end == at+quote { // an operator of the shell, or the end
				break
			}
			if bytes.HasPrefix(line[at:end], []byte("--")) && bytes.IndexByte(line[at:end], '=') < 0 {
				count -= 1 // the next word is its value
			}
			drive := end == at+len("z:") && line[at+1] == ':' // of net use
			if line[at] != '-' && !drive && bytes.IndexByte(bytes.TrimRight(line[at:end], "="), '=') < 0 {
				if count == a.behind || a.behind < 0 {
					found = match{from: at + quote, to: end, ok: count > 1 || a.behind >= 0 || len(a.tool) > len("htpasswd -b")}
				}
				count++
			}
			at = end + quote
		}
		if found.ok && !isVariable(string(line[found.from:found.to])) && line[found.from] != '/' {
			return found
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
			if name < 0 || name == 0 && separator == '/' {
				continue
			}
			from += name + 1
		}
		v := string(line[from:to])
		if v == "" || v[0] == '-' || isVariable(v) || v == "public" || v == "private" { // communities of SNMP
			continue
		}
		return match{from: from, to: to, ok: true}
	}
}

// readers are programs that read a secret from their input.
var readers = []string{"--password-stdin", "--with-token", "chpasswd", "sudo -S", "--passphrase-fd",
	"kinit", "cryptsetup", "gcloud secrets"}

// hereValue finds the secret in chpasswd <<< SECRET and the like.
func hereValue(p place) match {
	line, whole := p.line()
	if !whole {
		return match{more: true}
	}
	before := thisLine(p.before)
	for _, r := range readers {
		if !bytes.Contains(before, []byte(r)) {
			continue
		}
		from := len("<<< ")
		quote := quoteLen(line[from:])
		to := from + quote + valueLen(line[from+quote:], line[from:from+quote])
		from += quote
		if from < to && !isVariable(string(line[from:to])) {
			return match{from: from, to: to, ok: true}
		}
	}
	return match{}
}

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
