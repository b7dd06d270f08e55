package redact

import (
	"strings"
)

const (
	secretKeyLen  = 40  // bytes of an AWS secret access key
	minSessionKey = 100 // min bytes of an AWS session token
	maxAccessKey  = 4 << 10
)

// accessKey returns the shape of AWS secrets that have no names, and that follow an access key ID in columns or on the
// next lines: ASIA... SECRET TOKEN.
func accessKey() *shape {
	return &shape{name: "aws-text", within: secretKeys, triggers: []string{"AKIA", "ASIA"}}
}

func secretKeys(p position) match {
	text := p.text[:min(len(p.text), maxAccessKey)]
	final := p.final || len(text) == maxAccessKey
	id := len("AKIA") + 16
	if len(text) <= id {
		return match{more: !final && isUpper(text)}
	}
	if !isUpper(text[:id]) || alnum[text[id]] {
		return match{}
	}
	var m match
	for at, lines := id, 0; lines < 3; {
		from := at
		for from < len(text) && (text[from] <= ' ' || strings.IndexByte("\"',:[]|", text[from]) >= 0) {
			if text[from] == '\n' {
				lines++
			}
			from++
		}
		to := from
		for to < len(text) && (base64Bytes[text[to]] || text[to] == '=' || text[to] == ':' || text[to] == '.') {
			to++
		}
		if to == len(text) && !final {
			return match{more: true}
		}
		if to == from {
			break
		}
		if word := text[from:to]; isSecretKey(word) {
			if !m.ok {
				m.from = from
			}
			m.to, m.ok = to, true
		} else if m.ok {
			break
		}
		at = to
	}
	return m
}

func isUpper(text []byte) bool {
	for _, c := range text {
		if !(c >= 'A' && c <= 'Z' || c >= '0' && c <= '9') {
			return false
		}
	}
	return true
}

// isSecretKey reports whether a word may be a secret access key or a session token. A hexadecimal hash is neither.
func isSecretKey(word []byte) bool {
	upper, lower := false, false
	for _, c := range word {
		if !base64Bytes[c] && c != '=' {
			return false
		}
		upper, lower = upper || c >= 'A' && c <= 'Z', lower || c >= 'a' && c <= 'z'
	}
	return upper && lower && (len(word) == secretKeyLen || len(word) >= minSessionKey)
}
