package source

import (
	"net/url"
	"strings"
)

// maxShown is the max length of an address in a message.
const maxShown = 200

// shown returns an address for messages. It leaves out user, password, query and fragment, because these may be
// secret. It shortens a long address.
func shown(address string) string {
	if i := strings.IndexAny(address, "?#"); i >= 0 {
		address = address[:i]
	}
	if scheme, rest, ok := strings.Cut(address, "//"); ok {
		host, _, _ := strings.Cut(rest, "/")
		if strings.ContainsAny(host, "@:") { // a password may have slashes
			rest = rest[strings.LastIndexByte(rest, '@')+1:]
		}
		address = scheme + "//" + rest
	}
	if len(address) > maxShown {
		address = strings.ToValidUTF8(address[:maxShown], "") + "…"
	}
	return address
}

// secretParameter returns the name of the first query parameter that may be a secret, or "" if there is none.
func secretParameter(u *url.URL) string {
	for pair := range strings.FieldsFuncSeq(u.RawQuery, func(r rune) bool { return r == '&' || r == ';' }) {
		name, value, _ := strings.Cut(pair, "=")
		if plain, err := url.QueryUnescape(name); err == nil {
			name = plain
		}
		if value != "" && isSecretParameter(strings.ToLower(name)) {
			return name
		}
	}
	return ""
}

func isSecretParameter(name string) bool {
	switch name {
	case "key", "sig", "sas", "pat", "auth", "jwt", "pwd", "session":
		return true
	}
	for _, word := range []string{"token", "secret", "passw", "apikey", "api_key", "api-key", "accesskey", "access_key",
		"access-key", "private_key", "signature", "credential", "oauth", "authkey", "auth_key", "sessionid", "session_id"} {
		if strings.Contains(name, word) {
			return true
		}
	}
	return false
}

// withoutSecrets returns the address to store. If the query may contain a secret, it drops the query and the fragment.
func withoutSecrets(u *url.URL) string {
	if secretParameter(u) == "" {
		return u.String()
	}
	plain := *u
	plain.RawQuery, plain.Fragment, plain.RawFragment = "", "", ""
	return plain.String()
}
