package redact

import (
	"bytes"
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/blq-ci/blq/internal/lazyregexp"
)

// FromEnvironment returns the secret values of an environment. A value is secret if the variable's name has a word
// such as TOKEN, SECRET, PASSWORD or KEY. Passwords in URLs and connection strings are secret in any variable.
// FromEnvironment omits short values and placeholders (see isOrdinary), names of files, and public values such as the
// name of the user.
func FromEnvironment(environ []string) []string {
	e := environment{}
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		if slices.Contains(
			[]string{"USER", "LOGNAME", "USERNAME", "HOSTNAME", "GITHUB_ACTOR", "GITHUB_REPOSITORY", "GITHUB_SHA"}, name) {
			e.public = append(e.public, value)
		}
	}
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		e.variable(name, strings.TrimSpace(value))
	}
	return e.secrets
}

type environment struct{ secrets, public []string }

func (e *environment) variable(name, value string) {
	if strings.HasPrefix(value, "{") && e.document(name, value) {
		return
	}
	for _, m := range setting.FindAllStringSubmatch(value, -1) {
		e.add(m[1])
	}
	if u, err := url.Parse(value); err == nil && u.Scheme != "" && u.Host != "" {
		if password, ok := u.User.Password(); ok {
			e.add(password)
			_, raw, _ := strings.Cut(value[:strings.LastIndexByte(value, '@')], "://")
			_, raw, _ = strings.Cut(raw, ":")
			e.add(raw)
		} else if user := u.User.Username(); len(user) >= minUserToken && strings.ContainsAny(user, "0123456789") {
			e.add(user)
		}
		if slices.Contains(words(name), "WEBHOOK") {
			e.add(value)
		}
		return // in other URLs only the password is secret
	}
	if isSecretName([]byte(name)) || len(value) >= minKeyFile && isKeyFile(name) {
		e.add(value)
	}
}

// minKeyFile is the min length of a value that is the content of a key file. A shorter value is a file name.
const minKeyFile = 200

// isKeyFile reports whether a variable may hold the content of a key file.
func isKeyFile(name string) bool {
	list := words(name)
	for i, w := range list {
		// The function words removes digits, so P12 becomes P.
		if slices.Contains([]string{"KUBECONFIG", "P", "PFX", "JKS", "KEYSTORE", "KEYCHAIN"}, w) ||
			w == "CONFIG" && i > 0 && list[i-1] == "KUBE" {
			return true
		}
	}
	return false
}

// minUserToken is the min length of a token in the user part of a URL: https://TOKEN@github.com.
const minUserToken = 16

// setting matches a password in a connection string.
var setting = lazyregexp.New(
	`(?i)(?:^|[;&?\s])(?:password|passwd|pwd|accountkey|sharedaccesskey|secret|token)=([^;&\s]+)`)

// document adds the secret members of a value that is a JSON object, and reports whether it is one. If the variable has
// the name of a secret, document also adds the whole value, unless it is short.
func (e *environment) document(name, value string) bool {
	var fields map[string]any
	if json.Unmarshal([]byte(value), &fields) != nil {
		return false
	}
	if isSecretName([]byte(name)) && len(value) > 16 {
		e.secrets = append(e.secrets, value)
	}
	e.fields(fields)
	return true
}

func (e *environment) fields(v map[string]any) {
	for name, field := range v {
		switch field := field.(type) {
		case string:
			e.variable(name, field)
		case map[string]any:
			e.fields(field)
		}
	}
}

func (e *environment) add(value string) {
	if !isOrdinary(value) && !slices.Contains(e.public, value) && !isFile(value) {
		e.secrets = append(e.secrets, value)
	}
}

// words returns the parts of a variable's name without trailing digits.
func words(name string) []string {
	list := strings.FieldsFunc(strings.ToUpper(name),
		func(r rune) bool { return (r < 'A' || r > 'Z') && (r < '0' || r > '9') })
	for i, w := range list {
		if bare := strings.TrimRight(w, "0123456789"); bare != "" {
			list[i] = bare
		}
	}
	return list
}

var secretEndings = []string{"TOKEN", "TOKENS", "SECRET", "SECRETS", "PASSWORD", "PASSWORDS", "PASSWD", "PASSPHRASE",
	"PASSWORT", "CREDENTIAL", "CREDENTIALS", "PASSCODE", "APIKEY", "ACCESSKEY", "SECRETKEY", "PRIVATEKEY", "SHAREDKEY",
	"AUTHKEY", "SSHKEY", "MASTERKEY", "LICENSEKEY", "SIGNINGKEY", "ENCRYPTIONKEY", "DEPLOYKEY", "ACCOUNTKEY",
	"SECRETID", "SECRETSTRING"}

// isSecretName reports whether a variable with this name holds a secret.
func isSecretName(name []byte) bool {
	if string(name) == "PWD" || string(name) == "OLDPWD" {
		return false
	}
	var space [maxWord / 4]byte
	upper := space[:0]
	for _, c := range name {
		if c >= 'a' && c <= 'z' {
			c -= 'a' - 'A'
		}
		upper = append(upper, c)
	}
	secret, public := false, false
	for at := 0; at < len(upper); {
		if !alnum[upper[at]] {
			at++
			continue
		}
		from := at
		for at < len(upper) && alnum[upper[at]] {
			at++
		}
		word := upper[from:at]
		if bare := bytes.TrimRight(word, "0123456789"); len(bare) > 0 {
			word = bare
		}
		if isPublicWord(word) {
			return false
		}
		secret, public = secret || isSecretWord(word), isPublicLast(word)
	}
	return secret && !public
}

// isSecretWord reports whether a word in the name of a variable marks a secret.
func isSecretWord(word []byte) bool {
	switch string(word) {
	case "KEY", "AUTH", "AUTHORIZATION", "PASS", "PWD", "PAT", "PSK", "PIN", "OTP", "CRED", "CREDS", "WEBHOOK", "BEARER",
		"TOTP", "MNEMONIC", "PEPPER", "SAS", "HMAC",
		"COOKIE", "JWT", "SESSIONID", "UNSEAL", "CVV":
		return true
	}
	for _, end := range secretEndings {
		if len(word) >= len(end) && string(word[len(word)-len(end):]) == end {
			return true
		}
	}
	return endsInPassword(word)
}

// passwordOwners are words that may come before a short word for a password: SSH in SSHPASS, root in rootpw, db in
// dbPass.
var passwordOwners = sync.OnceValue(func() map[string]bool {
	return wordSet("DB USER ADMIN ROOT MYSQL PG SQL SMTP MAIL EMAIL FTP SSH LDAP REDIS KEY STORE MY LOGIN HTTP PROXY " +
		"BASIC BIND NEW OLD WIFI VPN SUDO BECOME ACCOUNT APP DATABASE POSTGRES MONGO RABBITMQ RABBIT KAFKA UNICODE " +
		"OLCROOT SERVICE SMB IMAP ZIP PFX CERT GPG SIGN SIGNING REPO NEXUS SONAR DOCKER REGISTRY JENKINS NPM API CLIENT " +
		"SERVER HOST")
})

// endsInPassword reports whether a word is one of passwordOwners with a short word for passwords, or is PW alone.
func endsInPassword(word []byte) bool {
	for _, end := range []string{"PW", "PWD", "PASS"} {
		if head, ok := bytes.CutSuffix(word, []byte(end)); ok && (passwordOwners()[string(head)] || string(word) == "PW") {
			return true
		}
	}
	return false
}

// isPublicWord reports whether a word in the name of a variable shows that the value is not secret.
func isPublicWord(word []byte) bool {
	switch string(word) {
	case "PUBLIC", "CACHE", "PRIMARY", "SORT", "FOREIGN", "PARTITION", "LABEL", "MAX", "MIN", "NUM", "COUNT":
		return true
	}
	return false
}

// isPublicLast reports whether the last word of a name shows that the value is not secret.
func isPublicLast(word []byte) bool {
	switch string(word) {
	case "FILE", "PATH", "DIR", "SOCK", "ENDPOINT", "HOST", "NAME", "USER", "USERNAME", "TYPE", "VERSION",
		"TTL", "TIMEOUT",
		"EXPIRY", "LENGTH", "SIZE", "METHOD", "MODE", "ENABLED", "LIMIT", "URL", "URI", "ISSUER", "SCOPE", "SCOPES", "RATE",
		"PERCENT", "PERCENTAGE", "MESSAGE", "MSG", "PROVIDER":
		return true
	}
	return false
}

// isFile reports whether a value is the absolute path of an existing file, or of a file in an existing directory other
// than the root.
func isFile(value string) bool {
	if !filepath.IsAbs(value) || strings.ContainsRune(value, '\n') {
		return false
	}
	if _, err := os.Lstat(value); err == nil {
		return true
	}
	dir := filepath.Dir(filepath.Clean(value))
	_, err := os.Stat(dir)
	return err == nil && filepath.Dir(dir) != dir
}
