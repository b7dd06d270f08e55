package redact

import (
	"bytes"
	"strings"
	"sync"
)

// publicParameters are the parameters of an Authorization header that are not secret, in lower case. The values of
// other parameters are signatures, hashes of passwords, and tokens.
var publicParameters = sync.OnceValue(func() map[string]bool {
	return wordSet("id key keyid key_id apikey realm username user userhash uri qop nc nonce opaque algorithm " +
		"headers signedheaders version v ts timestamp date created expires ext app dlg charset method host path scope " +
		"type domain client credential oauth_consumer_key oauth_nonce oauth_timestamp oauth_signature_method " +
		"oauth_version oauth_callback")
})

// maxCredentials is the max number of bytes of an Authorization header that are searched for parameters.
const maxCredentials = 2 << 10

// readCredentials reads the secrets among the parameters of an Authorization header: Hawk id="x", mac="VALUE".
// text[at:] begins after the colon. readCredentials reports whether it needs more text.
func (n *named) readCredentials(at int) (more bool) {
	if !strings.HasSuffix(strings.ToUpper(n.name), "AUTHORIZATION") {
		return false
	}
	quote := quoteLen(n.text[at:])
	at += quote
	text := n.text[at:min(len(n.text), at+maxCredentials)]
	end := bytes.IndexAny(text, "\r\n")
	if end < 0 && !n.final && len(text) < maxCredentials {
		return mayHaveParameters(text)
	}
	if end >= 0 {
		text = text[:end]
	}
	open := n.text[at-quote : at]
	if quote == 0 && len(n.left) > 0 && quoteLen(n.left[len(n.left)-1:]) > 0 {
		open = n.left[len(n.left)-1:] // the quote around the whole header
	}
	if len(open) > 0 {
		if stop := quotedLen(text, open); stop >= 0 {
			text = text[:stop]
		}
	}
	if !mayHaveParameters(text) {
		return false
	}
	from := bytes.IndexByte(text, ' ') + 1
	for from < len(text) {
		next := parameterLen(text[from:])
		if bytes.IndexByte(text[from:from+next], '=') < 0 {
			break // the text is not a parameter
		}
		n.readParameter(at+from, text[from:from+next])
		from += next
		from += len(text[from:]) - len(bytes.TrimLeft(text[from:], ",; "))
	}
	return false
}

// mayHaveParameters reports whether a text begins with a scheme and a parameter: Digest username=. If the text is
// too short for the decision, it returns true.
func mayHaveParameters(text []byte) bool {
	scheme := nameLen(text)
	if scheme == 0 || scheme == len(text) {
		return scheme > 0
	}
	rest := text[scheme:]
	if rest[0] != ' ' {
		return false
	}
	rest = bytes.TrimLeft(rest, " ")
	name := nameLen(rest)
	rest = rest[name:]
	return len(rest) == 0 || name > 0 && rest[0] == '=' && (len(rest) == 1 || rest[1] != '=')
}

// parameterLen returns the length of the parameter at the beginning of a text: NAME="VALUE" or NAME=VALUE. If there is
// no parameter, it returns the length of the name, but at least 1.
func parameterLen(text []byte) int {
	n := nameLen(text)
	if n == 0 || n == len(text) || text[n] != '=' {
		return max(1, n)
	}
	n++
	if quote := quoteLen(text[n:]); quote > 0 {
		if end := bytes.Index(text[n+quote:], text[n:n+quote]); end >= 0 {
			return n + quote + end + quote
		}
	}
	if end := bytes.IndexAny(text[n:], ", "); end >= 0 {
		return n + end
	}
	return len(text)
}

// readParameter records the value of a parameter that begins at text[at].
func (n *named) readParameter(at int, parameter []byte) {
	const least = 4 // bytes of a secret
	name, value, ok := cutAt(parameter, "=")
	quote := quoteLen(value)
	text := value[quote:]
	text = text[:max(0, len(text)-quote)]
	v := string(text)
	if !ok || len(v) < least || publicParameters()[strings.ToLower(string(name))] || isVariable(v) || isPlaceholder(v) {
		return
	}
	from := at + len(name) + 1 + quote
	n.cells = append(n.cells, span{from, from, from + len(v)})
}
