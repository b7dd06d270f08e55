package redact

import (
	"bytes"
	"slices"
	"strings"
)

// secretTools are programs whose secrets are found by a function of their own.
var secretTools = []struct {
	tool   string
	values func(line []byte) []span
}{
	{"pulumi ", pulumiSecrets},
	{"patch secret", patchedSecrets},
	{"nuget push ", nugetKey},
	{"nuget delete ", nugetKey},
	{"nuget.exe push ", nugetKey},
	{"nuget.exe delete ", nugetKey},
	{"rclone config ", rcloneSecrets},
	{"sops ", sopsSecrets},
}

// pulumiValued are the options of pulumi config set whose value is the next argument.
var pulumiValued = []string{"-s", "--stack", "-C", "--cwd", "--config-file", "--type"}

// pulumiSecrets returns the secret in "pulumi config set --secret NAME VALUE", and the secrets in "pulumi config
// set-all --secret NAME=VALUE".
func pulumiSecrets(line []byte) (list []span) {
	command := indexOf(line, " config set")
	if command < 0 || !contains(line, "--secret") {
		return nil
	}
	at := command + len(" config set")
	all := hasHead(line[at:], "-all")
	if all {
		at += len("-all")
	}
	skip, secret, count := false, false, 0
	for at < len(line) {
		at += blankLen(line[at:])
		quote := quoteLen(line[at:])
		from := at + quote
		to := from + valueLen(line[from:], line[at:from])
		word := string(line[from:to])
		at = to + quote
		switch {
		case word == "": // an operator of the shell, or the end
			return list
		case skip:
			skip = false
		case word[0] == '-' && quote == 0:
			skip, secret = slices.Contains(pulumiValued, word), word == "--secret"
		case all && secret:
			equal := bytes.IndexByte(line[from:to], '=') + 1
			list = append(list, span{from, from + equal, to})
		case !all:
			if count++; count == 2 && !isVariable(word) {
				return append(list, span{from, from, to})
			}
		}
	}
	return list
}

// patchedSecrets returns the values that may be secret in the JSON of a "kubectl patch secret" command.
func patchedSecrets(line []byte) (list []span) {
	for at := 0; at < len(line); {
		open := bytes.IndexAny(line[at:], `"\`)
		if open < 0 {
			return list
		}
		at += open
		quote := quoteLen(line[at:])
		if quote == 0 {
			at++
			continue
		}
		from := at + quote
		length := quotedLen(line[from:], line[at:from])
		if length < 0 {
			return list
		}
		next := bytes.TrimLeft(line[min(len(line), from+length+quote):], " ")
		left := bytes.TrimRight(line[:at], " ")
		v := string(line[from : from+length])
		if hasTail(left, ":") && !hasHead(next, ":") && v != "" && !isVariable(v) && !isPatchField(left) {
			list = append(list, span{from, from, from + length})
		}
		at = from + length + quote
	}
	return list
}

// isPatchField reports whether a text ends with the name of a field that describes the patch or the Kubernetes object,
// such as "op" or "kind". The value of such a field is not secret.
func isPatchField(left []byte) bool {
	name := bytes.TrimRight(left, `": \`)
	for _, field := range []string{`"op`, `"path`, `"from`, `"kind`, `"apiVersion`, `"type`, `"name`, `"namespace`} {
		if hasTail(name, field) {
			return true
		}
	}
	return false
}

// nugetKey returns the key in "nuget push FILE KEY", and in "nuget delete NAME VERSION KEY".
func nugetKey(line []byte) []span {
	words := commandWords(line, 0)
	key := 3
	if len(words) > 1 && string(line[words[1].from:words[1].to]) == "delete" {
		key = 4
	}
	if len(words) <= key {
		return nil
	}
	for _, w := range words[2:key] {
		if line[w.from] == '-' {
			return nil
		}
	}
	v := string(line[words[key].from:words[key].to])
	if !isGiven(v) || v[0] == '-' || strings.HasSuffix(v, ".nupkg") {
		return nil
	}
	return words[key : key+1]
}

// rcloneSecrets returns the secrets in "rclone config create NAME TYPE pass VALUE".
func rcloneSecrets(line []byte) (list []span) {
	words := commandWords(line, 0)
	for i := 3; i+1 < len(words); i++ {
		name, v := words[i], words[i+1]
		if isSureName(string(line[name.from:name.to])) && line[name.from] != '-' && !isVariable(string(line[v.from:v.to])) {
			list = append(list, v)
			i++
		}
	}
	return list
}

// sopsSecrets returns the value in sops --set '["name"] "VALUE"', and in sops set FILE '["name"]' '"VALUE"'.
func sopsSecrets(line []byte) []span {
	if !contains(line, " --set ") && !hasHead(line, "sops set ") {
		return nil
	}
	index := bytes.LastIndex(line, []byte(`"]`))
	if index < 0 {
		return nil
	}
	from := len(line) - len(bytes.TrimLeft(line[index+len(`"]`):], `' "`))
	quote := bytes.IndexByte(line[from:], '"')
	if quote <= 0 || isVariable(string(line[from:from+quote])) {
		return nil
	}
	return []span{{from, from, from + quote}}
}
