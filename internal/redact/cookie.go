package redact

import (
	"bytes"
	"strings"
)

// maxCookie is the max length in bytes of a header that is searched for cookies.
const maxCookie = 4 << 10

// isCookie reports whether the name is a header with cookies.
func (n *named) isCookie() bool {
	return strings.EqualFold(n.name, "Cookie") || strings.EqualFold(n.name, "Set-Cookie")
}

// readCookie reads the value of the first cookie in a Set-Cookie header, and the values of all cookies in a Cookie
// header: id=1; theme=dark.
func (n *named) readCookie(at int) (more bool) {
	at += quoteLen(n.text[at:])
	text := n.text[at:]
	text = text[:min(len(text), maxCookie)]
	end := bytes.IndexAny(text, "\r\n\"'`")
	if end < 0 && len(text) < maxCookie && !n.final {
		return true
	}
	if end < 0 {
		end = len(text)
	}
	text = text[:end]
	equal := bytes.IndexByte(text, '=')
	if equal <= 0 || bytes.IndexByte(text[:equal], ' ') >= 0 {
		n.style = styleNone
		return false
	}
	if stop := bytes.IndexByte(text, ';'); stop > 0 && len(n.name) > len("Cookie") {
		end = stop
	}
	n.from = at + equal + 1
	n.value, n.behind = text[equal+1:end], n.text[at+end:]
	return false
}
