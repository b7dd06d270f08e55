package redact

import (
	"bytes"
	"strings"
)

// userToken returns the shape of a token in the user part of a URL: https://TOKEN@github.com.
func userToken() *shape {
	s := compileShape("url-token", `://([0-9A-Za-z_.~-]{16,255})@`)
	s.check = isUserToken
	return s
}

func isUserToken(v string) bool {
	letters, digits, _ := count(v)
	mixed := strings.ToLower(v) != v && strings.ToUpper(v) != v
	return letters > 0 && (digits > 2 || digits > 0 && mixed) && !isName(v)
}

// bearerToken returns the shape of a token after the word Bearer: Bearer TOKEN. The word need not follow the name of a
// header.
func bearerToken() *shape {
	s := compileShape("bearer-alone", `\b(?i:bearer)[ ]([\w~+/=.-]{8,})`)
	s.check = func(v string) bool {
		v = strings.TrimRight(v, "=")
		return isStrong(v) && !isName(v) && !strings.Contains(v, "=")
	}
	return s
}

const (
	maxURLUser     = 64  // max bytes of the user in a URL
	maxURLPassword = 255 // max bytes of the password in a URL
)

var (
	urlUserEnd = bytesOf(" \t\r\n\v\f/:@?#'\"<>")
	urlEnd     = bytesOf(" \t\r\n\v\f'\"<>\\|`")
)

// urlPassword returns the shape of the password in a URL. The password may have characters that a correct URL would
// escape.
func urlPassword() *shape {
	s := &shape{name: "url-password", custom: passwordOfURL}
	for c := byte('!'); c <= '~'; c++ {
		if !urlUserEnd[c] || c == ':' {
			s.triggers = append(s.triggers, "://"+string(rune(c)))
		}
	}
	return s
}

func passwordOfURL(text []byte, final bool) match {
	const begin = len("://")
	from := begin
	for from < len(text) && from-begin <= maxURLUser && text[from] > ' ' {
		if text[from] == '@' {
			found, more := hasPasswordBehind(text[from+1:])
			if more && !final {
				return match{more: true}
			}
			if !found {
				break
			}
		} else if urlUserEnd[text[from]] {
			break
		}
		from++
	}
	user := string(text[begin:from])
	if from == len(text) {
		return match{more: !final && len(user) <= maxURLUser}
	}
	if len(user) > maxURLUser || text[from] != ':' {
		return match{}
	}
	from++
	end := from
	for end < len(text) && end-from <= maxURLPassword && text[end] > ' ' {
		if n := gitQuote(text[end:]); n > 0 {
			end += n
		} else if urlEnd[text[end]] {
			break
		} else {
			end++
		}
	}
	if end == len(text) && end-from <= maxURLPassword && !final {
		return match{more: true}
	}
	at := passwordEnd(text[from:end])
	if at < 0 {
		return match{}
	}
	v := string(text[from : from+at])
	if v == "" && len(user) >= minUserToken && isUserToken(user) || v == "x-oauth-basic" && !isVariable(user) {
		return match{from: begin, to: from - 1, ok: len(user) > 3} // GitHub accepts a token as the user
	}
	return match{from: from, to: from + at,
		ok: at > 2 && strings.IndexByte("&$*{}%[(\\|", v[0]) < 0 && !isPlaceholder(v)}
}

// hasPasswordBehind reports whether the text after an @ shows that the @ belongs to the user: ann@corp.com:VALUE@host.
// The result more is true if further text is needed.
func hasPasswordBehind(text []byte) (found, more bool) {
	colon := false
	for i, c := range text[:min(len(text), maxURLUser+maxURLPassword)] {
		switch {
		case c == '@':
			return colon && text[i-1] != ':', false
		case c == ':' && !colon:
			colon = true
		case c <= ' ' || urlUserEnd[c] && !colon || colon && urlEnd[c] || c == '/':
			return false, false
		}
	}
	return false, len(text) < maxURLUser+maxURLPassword
}

// gitQuote returns the length of an escape that git writes between single quotes (see gitQuotes), if the text begins
// with one. At the end of the text, the escape may be incomplete. gitQuote returns 0 for other text.
func gitQuote(text []byte) int {
	for _, quoted := range []string{`'\''`, `'\!'`} {
		if n := min(len(text), len(quoted)); string(text[:n]) == quoted[:n] {
			return n
		}
	}
	return 0
}

// passwordEnd returns the length of the password at the beginning of a text, or -1 for none. The text follows the
// user and the colon in a URL. The password may contain /, ? or #. But if only digits, or only letters, come before the
// first of these characters, they are usually a port.
func passwordEnd(text []byte) int {
	authority := text
	path := bytes.IndexAny(text, "/?#")
	if path >= 0 {
		authority = text[:path]
	}
	if at := bytes.LastIndexByte(authority, '@'); at >= 0 {
		return at
	}
	at := bytes.IndexByte(text, '@')
	if letters, digits, others := count(string(authority)); digits == 0 && others == 0 || letters == 0 && others == 0 {
		if letters > 0 && at > 0 && text[path] == '#' && bytes.IndexByte(text[:at], '/') < 0 {
			return at // no URL has a fragment after the name of a port
		}
		return -1 // a port, or the name of a port
	}
	return at
}
