package redact

import (
	"bytes"
	"strings"
	"sync"
)

// maxCookie is the max number of bytes in a header that are searched for cookies.
const maxCookie = 4 << 10

// isCookie reports whether the name is a header with cookies.
func (n *named) isCookie() bool {
	return strings.EqualFold(n.name, "Cookie") || strings.EqualFold(n.name, "Set-Cookie")
}

// readCookie reads the value of the first cookie in a Set-Cookie header, and the values of all cookies in a Cookie
// header: id=1; theme=dark. It reports whether it needs more text.
func (n *named) readCookie(at int) (more bool) {
	if hasHead(n.text[at:], "[") {
		return n.readCookieList(at)
	}
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
	if first, _, more := cutAt(text[:end], "; "); isPublicCookie(first[:equal]) {
		n.style = styleNone
		if more {
			n.readCookies(at+len(first), text[len(first):end])
		}
		return false
	}
	n.from = at + equal + 1
	n.value, n.behind = text[equal+1:end], n.text[at+end:]
	return false
}

// publicCookies are names of cookies whose values are not secrets, because they only hold a visitor's preferences.
var publicCookies = sync.OnceValue(func() map[string]bool {
	return wordSet("theme lang language locale i18n i18next hl color-scheme color_mode dark_mode tz " +
		"timezone currency country cookie_consent cookieconsent")
})

func isPublicCookie(name []byte) bool {
	return publicCookies()[strings.ToLower(string(bytes.TrimSpace(name)))]
}

// readCookies records the values of cookies in a list: id=1; theme=dark. It leaves out values that cannot be secrets.
// The list begins at n.text[at].
func (n *named) readCookies(at int, list []byte) {
	const least = 4 // bytes of a secret
	for from := 0; from < len(list); {
		cookie, _, _ := cutAt(list[from:], ";")
		if name, value, ok := cutAt(cookie, "="); ok && !isPublicCookie(name) && len(value) >= least &&
			!isVariable(string(value)) {
			position := at + from + len(name) + 1
			n.cells = append(n.cells, span{position, position, position + len(value)})
		}
		from += len(cookie) + 1
	}
}

// readCookieList records the values of the cookies in a list of headers: ['id=1; Path=/']. The argument is the
// position of the list. readCookieList reports whether it needs more text.
func (n *named) readCookieList(at int) (more bool) {
	text := n.text[at:min(len(n.text), at+maxCookie)]
	end := bytes.IndexByte(text, ']')
	if end < 0 {
		n.style = styleNone
		return !n.final && len(text) < maxCookie
	}
	if !bytes.ContainsAny(text[:end], "\"'`") { // Go prints no quotes
		n.readCookies(at+1, text[1:end])
	}
	for from := 1; from < end; {
		quote := quoteLen(text[from:end])
		if quote == 0 {
			from++
			continue
		}
		header := text[from+quote : end]
		length := quotedLen(header, text[from:from+quote])
		if length < 0 {
			break
		}
		first, _, _ := cutAt(header[:length], ";")
		n.readCookies(at+from+quote, first)
		from += quote + length + quote
	}
	n.style = styleNone
	return false
}

// isCookies reports whether n.text begins with the name of a list of cookie objects, as in a HAR file: "cookies": [. It
// also returns true if the text ends before the list and more text may follow.
func (n *named) isCookies() bool {
	const name = "cookies"
	if !hasHead(n.text, name) || !hasTail(n.before, `"`) {
		return false
	}
	rest := n.text[len(name):]
	for _, open := range []string{`": [`, `":[`} {
		if k := min(len(rest), len(open)); string(rest[:k]) == open[:k] && (k == len(open) || !n.final) {
			return true
		}
	}
	return false
}

// readCookieObjects records the values of the cookies in a list of objects. The list begins at n.text[at].
// readCookieObjects reports whether it needs more text.
func (n *named) readCookieObjects(at int) (more bool) {
	n.style = styleNone
	text := n.text[at:min(len(n.text), at+maxTable)]
	end := bytes.IndexByte(text, ']')
	if end < 0 {
		if !n.final && len(text) < maxTable {
			return true
		}
		end = len(text)
	}
	from := 0
	for object := range bytes.SplitAfterSeq(text[:end], []byte("}")) {
		name, value := jsonField(object, "name"), jsonField(object, "value")
		if v := object[value.from:value.to]; len(v) >= 4 && !isPublicCookie(object[name.from:name.to]) &&
			!isVariable(string(v)) {
			position := at + from + value.from
			n.cells = append(n.cells, span{position, position, position + len(v)})
		}
		from += len(object)
	}
	return false
}

// jsonField returns the position of the string in a field of an object. It returns zeros if there is no such string.
func jsonField(object []byte, name string) span {
	i := bytes.Index(object, []byte(`"`+name+`"`))
	if i < 0 {
		return span{}
	}
	at := i + len(name) + len(`"`)
	gap, ok := fieldGap(object[at:])
	if value := jsonString(object, at+gap); ok && value.from == at+gap+1 {
		return value
	}
	return span{}
}
