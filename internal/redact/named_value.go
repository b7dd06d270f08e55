package redact

import (
	"bytes"
	"strings"
)

// schemes are the words before the credentials in an Authorization header: Bearer TOKEN.
var schemes = wordSet("bearer basic token digest apikey bot key negotiate splunk ssws geniekey sharedkey " +
	"sharedkeylite apitoken oauth pat aws hmac jwt ntlm kerberos session api-key klaviyo-api-key x-api-key " +
	"zoho-oauthtoken truerest")

func (n *named) readValue(at int) (more bool) {
	if n.style == styleColon {
		at += tagLen(n.text[at:])
	}
	if found, more := n.readLines(at); found || more {
		return more
	}
	wrapper, more := n.wrapperLen(n.text[at:])
	if more {
		return true
	}
	n.listed = wrapper == 1 && n.text[at] == '['
	at += wrapper
	text := n.text[at:]
	if n.isSchemeInBrackets(text) {
		at, text = at+1, text[1:]
	}
	quote := quoteLen(text)
	n.inQuotes = quote > 0
	n.quoted = n.quoted || quote > 0
	n.from = at + quote
	text = text[quote:]
	end := valueLen(text, n.text[at:at+quote])
	if !n.final && len(text) < maxWord &&
		(end == len(text) || quote > 0 && text[end] != n.text[at] && bytes.IndexByte(text, '\n') < 0) {
		return true
	}
	n.value, n.behind = text[:end], text[end:]
	if n.style == styleColon || n.style == styleAssign {
		if word, rest, ok := cutAt(text, " "); ok &&
			schemes[strings.ToLower(strings.TrimSuffix(string(word), `\`))] &&
			contains(bytes.ToLower([]byte(n.name)), "auth") {
			end := valueLen(rest, nil)
			if end == len(rest) && !n.final && end < maxWord {
				return true
			}
			n.from += len(word) + 1
			n.value, n.behind, n.scheme = rest[:end], rest[end:], true
		} else if schemes[strings.ToLower(string(n.value))] && len(n.behind) == 0 && !n.final {
			return true
		}
	}
	return false
}

// isSchemeInBrackets reports whether the value is a header in a map of Go: map[Authorization:[Bearer VALUE]].
func (n *named) isSchemeInBrackets(text []byte) bool {
	word, _, ok := cutAt(text[:min(len(text), maxWord/8)], " ")
	return ok && hasHead(word, "[") && schemes[strings.ToLower(string(word[1:]))] &&
		strings.HasSuffix(strings.ToLower(n.name), "authorization")
}

// quoteLen returns the length of the quotation mark at the beginning of a text, with up to three backslashes before the
// mark. It returns 0 if there is no mark.
//
//go:noinline
func quoteLen(b []byte) int {
	n := 0
	for n < len(b) && n < 3 && b[n] == '\\' {
		n++
	}
	if n < len(b) && (b[n] == '"' || b[n] == '\'' || b[n] == '`') {
		return n + 1
	}
	return 0
}

// maxBlanks is the max number of blanks between a name and its value.
const maxBlanks = 64

//go:noinline
func blankLen(b []byte) int {
	n := 0
	for n < len(b) && n < maxBlanks && (b[n] == ' ' || b[n] == '\t') {
		n++
	}
	return n
}
