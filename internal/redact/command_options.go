package redact

import (
	"bytes"
	"strings"
	"sync"
)

// optionTools returns the beginnings of commands that accept secrets in options or arguments, such as mysql and vault
// kv put.
func optionTools() []string {
	var list []string
	for _, o := range shortOptions {
		list = append(list, o.tool)
	}
	for _, a := range arguments {
		list = append(list, a.tool)
	}
	for _, t := range secretTools {
		list = append(list, t.tool)
	}
	return append(list, assigners...)
}

// toolsByGram has the texts from optionTools by their first four bytes.
var toolsByGram = sync.OnceValue(func() *grams[[]string] {
	tools := optionTools()
	by := newGrams[[]string](len(tools))
	for _, tool := range tools {
		list, _ := by.get(gramOf(tool))
		by.put(gramOf(tool), append(list, tool))
	}
	return &by
})

// beginsTool reports whether a text begins with one of optionTools. It also returns true if the text ends inside of
// such a beginning.
func beginsTool(text []byte) bool {
	tools, _ := toolsByGram().get(gramOf(text))
	return begins(text, tools)
}

// begins reports whether a text begins with one of the words. It also returns true if the text ends inside of a word.
func begins(text []byte, words []string) bool {
	for _, w := range words {
		if n := min(len(w), len(text)); string(text[:n]) == w[:n] {
			return true
		}
	}
	return false
}

// arguments are programs that take a password as an argument. The field behind is the number of arguments before the
// password. The value -1 means that the password is the last argument.
var arguments = []struct {
	tool   string
	behind int
}{
	{"vault operator unseal ", 0}, {"composer config http-basic.", 2}, {"composer config --global http-basic.", 2},
	{"composer config -g http-basic.", 2}, {"composer config github-oauth.", 1}, {"composer config gitlab-token.", 1},
	{"mc config host add ", 3}, {"travis encrypt ", 0},
	{"composer config bearer.", 1}, {"composer config --global bearer.", 1},
	{"composer config --global github-oauth.", 1}, {"composer config -g github-oauth.", 1},
	{"bw unlock ", 0}, {"chamber write ", 2},
	{"cargo login", 0}, {"snyk auth", 0}, {"vault login", 0}, {"ngrok authtoken ", 0}, {"ngrok config add-authtoken ", 0},
	{"rclone obscure ", 0}, {"net use ", 1}, {"gcloud auth activate-refresh-token ", 1}, {"net user ", 1},
	{"rabbitmqctl add_user ", 1}, {"user-secrets set ", 1},
	{"wpa_passphrase ", 1}, {"poetry config http-basic.", 2}, {"poetry config pypi-token.", 1},
	{"rabbitmqctl change_password ", 1}, {"neo4j-admin set-initial-password ", 0}, {"dscl . -passwd ", 1},
	{"nuget setapikey ", 0}, {"openssl passwd -6 ", 0}, {"openssl passwd -5 ", 0}, {"openssl passwd -1 ", 0},
	{"openssl passwd -apr1 ", 0}, {"mkpasswd -m ", -1}, {"fly auth token ", 0}, {"flyctl auth token ", 0},
	{"consul acl set-agent-token ", 1}, {"grafana-cli admin reset-admin-password ", 0},
	{"grafana cli admin reset-admin-password ", 0}, {"samba-tool user create ", 1}, {"mc alias set ", 3},
	{"neo4j-admin dbms set-initial-password ", 0}, {"qpdf --encrypt ", 0}, {"htpasswd -b", -1},
	{"htpasswd -nb", -1}, {"htpasswd -bn", -1}, {"htpasswd -cb", -1}, {"htpasswd -bc", -1}, {"htpasswd -nbB", -1},
	{"vault unseal ", 0}, {"cf auth ", 1}, {"mosquitto_passwd -b", -1}, {"htpasswd -Bb", -1}, {"htpasswd -bB", -1},
}

// shortOptions are options whose value is a password, or contains a password after a separator. If
// glued is set, the value is in the same argument as the option. For example, mysql -psecret has a
// password, but mysql -p asks for a password.
var shortOptions = []struct {
	tool      string
	flags     []string
	separator byte // between user and password, 0 for a password without a user
	glued     bool
}{
	{tool: "curl", flags: []string{" -u", " -U", " --user", " --proxy-user", " -E", " --cert"}, separator: ':'},
	{tool: "curl", flags: []string{" -b", " --cookie"}, separator: '='},
	{tool: "wget", flags: []string{" --user"}, separator: ':'},
	{tool: "lftp", flags: []string{" -u"}, separator: ','},
	{tool: "smbclient", flags: []string{" -U"}, separator: '%'},
	{tool: "smbget", flags: []string{" -U"}, separator: '%'},
	{tool: "winexe", flags: []string{" -U"}, separator: '%'},
	{tool: "net rpc ", flags: []string{" -U"}, separator: '%'},
	{tool: "wbinfo", flags: []string{" -a"}, separator: '%'},
	{tool: "swaks", flags: []string{" -ap "}},
	{tool: "sshpass", flags: []string{" -p"}},
	{tool: "login ", flags: []string{" -p"}},
	{tool: "mongo", flags: []string{" -p"}},
	{tool: "twine", flags: []string{" -p"}},
	{tool: "mysql", flags: []string{" -p"}, glued: true},
	{tool: "mariadb", flags: []string{" -p"}, glued: true},
	{tool: "sqlcmd", flags: []string{" -P"}},
	{tool: "bcp ", flags: []string{" -P "}},
	{tool: "bcp ", flags: []string{" -P"}, glued: true},
	{tool: "osql ", flags: []string{" -P "}},
	{tool: "isql ", flags: []string{" -P "}},
	{tool: "tsql ", flags: []string{" -P "}},
	{tool: "zip -", flags: []string{" -P"}},
	{tool: "redis-cli", flags: []string{" -a"}},
	{tool: "ldap", flags: []string{" -w"}},
	{tool: "snmp", flags: []string{" -c ", " -A ", " -X "}},
	{tool: "openssl", flags: []string{" -k ", " -psk "}},
	{tool: "7z a", flags: []string{" -p"}, glued: true},
	{tool: "7z x", flags: []string{" -p"}, glued: true},
	{tool: "7za ", flags: []string{" -p"}, glued: true},
	{tool: "7zz ", flags: []string{" -p"}, glued: true},
	{tool: "useradd", flags: []string{" -p "}},
	{tool: "usermod", flags: []string{" -p "}},
	{tool: "plink", flags: []string{" -pw "}},
	{tool: "pscp", flags: []string{" -pw "}},
	{tool: "cmdkey", flags: []string{" /pass:"}, glued: true},
	{tool: "freerdp", flags: []string{" /p:"}, glued: true},
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
	{tool: "signtool", flags: []string{" /p "}},
	{tool: "caddy hash-password", flags: []string{" --plaintext", " -p "}},
	{tool: "ssh-keygen", flags: []string{" -N ", " -P "}},
	{tool: "kadmin", flags: []string{" -w ", " -pw "}},
	{tool: "ktutil", flags: []string{" -w "}},
	{tool: "rpcclient", flags: []string{" -U"}, separator: '%'},
	{tool: "sendemail", flags: []string{" -xp "}},
	{tool: "codecov", flags: []string{" -t "}},
	{tool: "zerotier-cli", flags: []string{" -T"}, glued: true},
	{tool: "etcdctl", flags: []string{" --user"}, separator: ':'},
	{tool: "nzsql", flags: []string{" -pw "}},
	{tool: "vsql", flags: []string{" -w "}},
	{tool: "beeline", flags: []string{" -p "}},
	{tool: "iwconfig", flags: []string{" key s:", " key "}},
	{tool: "wpa_cli", flags: []string{" psk "}},
	{tool: "security unlock-keychain", flags: []string{" -p "}},
	{tool: "security create-keychain", flags: []string{" -p "}},
	{tool: "security import", flags: []string{" -P "}},
	{tool: "security set-key-partition-list", flags: []string{" -k "}},
	{tool: "security add-", flags: []string{" -w "}},
	{tool: "rar a", flags: []string{" -p", " -hp"}, glued: true},
	{tool: "rar x", flags: []string{" -p"}, glued: true},
	{tool: "pdftk", flags: []string{" input_pw ", " user_pw ", " owner_pw "}},
	{tool: "db2 connect", flags: []string{" using "}},
	{tool: "mysqladmin", flags: []string{" password "}},
	{tool: "winrs", flags: []string{" -p:"}, glued: true},
	{tool: "ssm put-parameter", flags: []string{" --value"}},
	{tool: "expdp", flags: []string{" "}, separator: '/'},
	{tool: "impdp", flags: []string{" "}, separator: '/'},
	{tool: "sqlldr", flags: []string{" "}, separator: '/'},
	{tool: "rman target", flags: []string{" "}, separator: '/'},
	{tool: "eas secret:create", flags: []string{" --value"}},
	{tool: "eas env:create", flags: []string{" --value"}},
	{tool: "hatch publish", flags: []string{" -a "}},
	{tool: "pdftotext", flags: []string{" -upw ", " -opw "}},
	{tool: "doctl ", flags: []string{" -t "}},
	{tool: "certutil ", flags: []string{" -p "}},
	{tool: "knife bootstrap ", flags: []string{" -P "}},
	{tool: "net ads ", flags: []string{" -U"}, separator: '%'},
	{tool: "bw list ", flags: []string{" --session"}},
	{tool: "bw get ", flags: []string{" --session"}},
	{tool: "influx ", flags: []string{" -t "}},
	{tool: "ldappasswd", flags: []string{" -s "}},
	{tool: "drone secret ", flags: []string{" --data"}},
	{tool: "nmcli ", flags: []string{" wifi-sec.psk ", " 802-11-wireless-security.psk "}},
	{tool: "azuresigntool ", flags: []string{" -kvs "}},
	{tool: "AzureSignTool ", flags: []string{" -kvs "}},
	{tool: "choco apikey ", flags: []string{" -k "}},
	{tool: "choco push ", flags: []string{" -k "}},
	{tool: "conan user ", flags: []string{" -p "}},
	{tool: "virsh secret-set-value ", flags: []string{" --base64"}},
	{tool: "vercel ", flags: []string{" -t "}},
	{tool: "uv publish", flags: []string{" -t "}},
	{tool: "anaconda ", flags: []string{" -t "}},
	{tool: "bundle config ", flags: []string{" "}, separator: ':'},
}

// shortOption finds the passwords in curl -u USER:PASSWORD, sshpass -p PASSWORD and similar commands. The text begins
// with the name of the program.
func shortOption(p position) match {
	line, whole := p.line()
	var found match
	for _, o := range shortOptions {
		if !bytes.HasPrefix(line, []byte(o.tool)[:min(len(o.tool), len(line))]) {
			continue
		}
		if !whole {
			return match{more: true}
		}
		if !hasHead(line, o.tool) ||
			o.tool == "ssm put-parameter" && !contains(line, "SecureString") {
			continue
		}
		end := len(line)
		if next := bytes.Index(line[min(len(line), maxWord):], []byte(o.tool)); next >= 0 {
			end = maxWord + next // the program's name occurs again, and options after it are found from there
		}
		flags := o.flags
		if o.tool == "curl" && o.separator == ':' {
			flags = append(bundles(line), flags...)
		}
		for _, flag := range flags {
			found.addAll(optionValues(line, end, flag, o.separator, o.glued))
		}
	}
	for _, tool := range assigners {
		if ok, more := p.begins(tool); more || ok && !whole {
			return match{more: true}
		} else if ok {
			found.addAll(assignments(line, len(tool)))
		}
	}
	for _, t := range secretTools {
		if ok, more := p.begins(t.tool); more || ok && !whole {
			return match{more: true}
		} else if ok {
			found.addAll(t.values(line))
		}
	}
	ofOption := found.ok
	if !ofOption {
		found = argument(line, whole)
	}
	if found.ok && len(found.others) == 0 && !p.command &&
		isSaid(p.before, line[:found.to], found.from, ofOption) {
		return match{}
	}
	return found
}

// assigners are programs that store secrets given as NAME=VALUE.
var assigners = []string{"vault kv put ", "vault kv patch ", "vault write ", "flyctl secrets set ", "fly secrets set ",
	"doppler secrets set ", "supabase secrets set "}

// assignments returns the values of all NAME=VALUE in line[at:].
func assignments(line []byte, at int) (list []span) {
	for at < len(line) {
		at += blankLen(line[at:])
		quote := quoteLen(line[at:])
		end := at + quote + valueLen(line[at+quote:], line[at:at+quote])
		if end == at+quote {
			return list
		}
		if i := bytes.IndexByte(line[at:end], '='); i > 0 && line[at] != '-' {
			from := at + i + 1
			from += quoteLen(line[from:])
			if from > at+i+1 {
				end = from + valueLen(line[from:], line[at+i+1:from])
			}
			if from < end && line[from] != '@' && !isVariable(string(line[from:end])) {
				list = append(list, span{from, from, end})
			}
		}
		at = end + quoteLen(line[min(end, len(line)):])
	}
	return list
}

// addAll adds further secrets to a match.
func (m *match) addAll(list []span) {
	for _, p := range list {
		if !m.ok {
			m.from, m.to, m.ok = p.from, p.to, true
			continue
		}
		m.others = append(m.others, p)
	}
}

// bundles returns the words of a line that are several short options in one, such as -sSfu, if the last option is -u or
// -U. The value of these options is a user and a password.
func bundles(line []byte) []string {
	var list []string
	for _, w := range bytes.Fields(line) {
		if len(w) > 2 && w[0] == '-' && w[1] != '-' && (w[len(w)-1] == 'u' || w[len(w)-1] == 'U') {
			list = append(list, " "+string(w)+" ")
		}
	}
	return list
}

// argument finds the password among the arguments of a program in the list arguments.
func argument(line []byte, whole bool) match {
	for _, a := range arguments {
		if !bytes.HasPrefix(line, []byte(a.tool)[:min(len(a.tool), len(line))]) {
			continue
		}
		if !whole {
			return match{more: true}
		}
		if !hasHead(line, a.tool) {
			continue
		}
		var found match
		count := 0
		for at := len(a.tool); at < len(line); {
			at += blankLen(line[at:])
			quote := quoteLen(line[at:])
			end := at + quote + valueLen(line[at+quote:], line[at:at+quote])
			if quote == 1 && end == at+quote && end < len(line) && line[end] == line[at] { // an empty argument
				at = end + 1
				count++
				continue
			}
			if end == at+quote { // a shell operator, or the end
				break
			}
			if hasHead(line[at:end], "--") && bytes.IndexByte(line[at:end], '=') < 0 {
				count -= 1 // the next word is the option's value
			}
			drive := end == at+len("z:") && line[at+1] == ':' // a drive letter, as in net use z:
			flag := line[at] == '-' || line[at] == '/' && hasHead(line, "net use")
			if !flag && !drive && bytes.IndexByte(bytes.TrimRight(line[at:end], "="), '=') < 0 {
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

// line returns the first line of the text with its continuation lines. complete reports whether the line is
// complete.
func (p position) line() (line []byte, complete bool) {
	text := p.text[:min(len(p.text), 2*maxPast)]
	for at := 0; at < len(text); {
		end := bytes.IndexByte(text[at:], '\n')
		if end < 0 {
			break
		}
		at += end
		if !hasTail(bytes.TrimRight(text[:at], "\r"), `\`) {
			return text[:at], true
		}
		at++
	}
	return text, p.final || len(text) == 2*maxPast
}

// optionValues returns the passwords in a line that follow the option in flag. It ignores an option that begins at or
// after line[before].
func optionValues(line []byte, before int, flag string, separator byte, glued bool) (list []span) {
	for at := 0; ; {
		i := bytes.Index(line[at:], []byte(flag))
		if i < 0 || at+i >= before {
			return list
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
			if inner := quoteLen(line[from:]); quote == 0 && from == to && inner > 0 { // scott/"VALUE"
				from += inner
				to = from + valueLen(line[from:], line[from-inner:from])
			}
		}
		v := string(line[from:to])
		if v == "" || v[0] == '-' || isVariable(v) || v == "public" || v == "private" || // SNMP communities
			flag == " " && strings.HasPrefix(v, "//") {
			continue
		}
		list = append(list, span{from, from, to})
		if flag == " " {
			return list
		}
	}
}
