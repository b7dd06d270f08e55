package redact

import (
	"bytes"
	"encoding/base64"
)

const (
	maxWebToken  = 8 << 10
	minTokenPart = 16 // min bytes of a part of a JWT
	minWrapped   = 40 // min bytes of a line of a wrapped JWT
)

// webToken returns the shape of a JWT that is wrapped, or whose parts are on separate lines.
func webToken() *shape {
	return &shape{name: "jwt-lines", within: linesOfWebToken,
		triggers: []string{"eyJh", "eyJ0", "eyJr", "eyJj", "eyJ4", "eyJl"}}
}

var webTokenBytes = bytesOf("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.=")

// linesOfWebToken finds the header of a JWT, and the other parts of the JWT on the next lines.
func linesOfWebToken(p position) match {
	if n := len(p.before); n > 0 && webTokenBytes[p.before[n-1]] && !endsInEscape(p.before) {
		return match{}
	}
	text := p.text[:min(len(p.text), maxWebToken)]
	final := p.final || len(text) == maxWebToken
	part := webTokenLen(text)
	if part == len(text) && !final {
		return match{more: true}
	}
	header, _, _ := cutAt(text[:part], ".")
	decoded, _ := base64.RawURLEncoding.DecodeString(string(header))
	if !contains(decoded, `"alg"`) {
		return match{}
	}
	m := match{to: part}
	dots := bytes.Count(text[:part], []byte("."))
	for width := part; dots < 3; {
		gap := m.to + len(text[m.to:]) - len(bytes.TrimLeft(text[m.to:], "\"', \r"))
		if gap == len(text) {
			return match{more: !final}
		}
		if text[gap] != '\n' {
			break
		}
		from := gap + 1
		from += len(text[from:]) - len(bytes.TrimLeft(text[from:], "\"' \t"))
		part = webTokenLen(text[from:])
		if from+part == len(text) && !final {
			return match{more: true}
		}
		word := text[from : from+part]
		behind := bytes.TrimLeft(text[from+part:], "\"', \r")
		if len(behind) == 0 && !final {
			return match{more: true}
		}
		if dots == 2 && part < minTokenPart && isWordOfText(word) {
			break
		}
		wrapped := width >= minWrapped && part <= width && part > 0
		if len(behind) > 0 && behind[0] != '\n' || !wrapped && part < minTokenPart ||
			!wrapped && !m.ok && !hasHead(word, "eyJ") {
			break
		}
		m.to, m.ok = from+part, true
		if wrapped && part < width && dots+bytes.Count(word, []byte(".")) >= 2 {
			break // the last line
		}
		dots += max(bytes.Count(word, []byte(".")), 1)
	}
	return m
}

// isWordOfText reports whether a word has at least two letters and no other bytes. Only the first letter may
// be a capital.
func isWordOfText(word []byte) bool {
	letters, _, _ := count(string(word))
	return letters == len(word) && len(word) > 1 && string(bytes.ToLower(word[1:])) == string(word[1:])
}

func webTokenLen(text []byte) int {
	n := 0
	for n < len(text) && webTokenBytes[text[n]] {
		n++
	}
	return n
}
