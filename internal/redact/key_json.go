package redact

import (
	"bytes"
	"slices"
	"strings"
)

const (
	maxWebKey = 8 << 10 // max bytes of a JSON Web Key
	minWebKey = 16      // min bytes of a secret member
)

// webKeyShape returns the shape of the secret members of a JSON Web Key: {"kty":"RSA","d":"VALUE"}.
func webKeyShape() *shape {
	return &shape{name: "web-key", within: webKey, triggers: webKeyTriggers}
}

var webKeyTriggers = []string{`"kty`, `"d":`, `"d" `, `"p":`, `"p" `, `"k":`, `"k" `}

var webKeyMembers = []string{"d", "p", "q", "dp", "dq", "qi", "k"}

func webKey(p position) match {
	before := p.before[bytes.LastIndexAny(p.before, "{}")+1:]
	if slices.ContainsFunc(webKeyTriggers, func(t string) bool { return bytes.Contains(before, []byte(t)) }) {
		return match{} // the whole key was read at its first trigger
	}
	text := p.text[:min(len(p.text), maxWebKey)]
	end := bytes.IndexAny(text, "{}")
	if end < 0 {
		if !p.final && len(text) < maxWebKey && mayBeWebKey(text) {
			return match{more: true}
		}
		end = len(text)
	}
	object := text[:end]
	if !contains(object, `"kty"`) {
		return match{}
	}
	var found match
	for at := 0; at < len(object); {
		name := jsonString(object, at)
		if name.to == 0 {
			break
		}
		at = name.to + 1
		gap, ok := fieldGap(object[name.to:])
		if value := jsonString(object, name.to+gap); ok && value.to > 0 && value.from == name.to+gap+1 {
			at = value.to + 1
			if slices.Contains(webKeyMembers, string(object[name.from:name.to])) && value.to-value.from >= minWebKey {
				found.addAll([]span{value})
			}
		}
	}
	return found
}

// mayBeWebKey reports whether a text may be the beginning of a JSON Web Key. Such a text has only the characters of
// base64, quotes, blanks, line ends and some punctuation.
func mayBeWebKey(text []byte) bool {
	for _, c := range text {
		if !base64Bytes[c] && strings.IndexByte("\":, \t\r\n[]=.", c) < 0 {
			return false
		}
	}
	return true
}

// jsonString returns the range of the first string in text[at:], without its quotes. It returns zeros if there is
// none.
func jsonString(text []byte, at int) span {
	open := bytes.IndexByte(text[min(at, len(text)):], '"')
	if open < 0 {
		return span{}
	}
	from := at + open + 1
	end := bytes.IndexByte(text[from:], '"')
	if end < 0 {
		return span{}
	}
	return span{from, from, from + end}
}

// rsaKeyShape returns the shape of the secret elements of a key in .NET's XML.
func rsaKeyShape() *shape {
	return &shape{name: "rsa-key", within: rsaKey, triggers: []string{"<RSA"}}
}

func rsaKey(p position) match {
	const open, close = "<RSAKeyValue>", "</RSAKeyValue>"
	if ok, more := p.begins(open); !ok {
		return match{more: more}
	}
	text := p.text[:min(len(p.text), maxWebKey)]
	end := bytes.Index(text, []byte(close))
	if end < 0 {
		if !p.final && len(text) < maxWebKey {
			return match{more: true}
		}
		end = len(text)
	}
	var found match
	for _, name := range []string{"D", "P", "Q", "DP", "DQ", "InverseQ"} {
		from := bytes.Index(text[:end], []byte("<"+name+">"))
		if from < 0 {
			continue
		}
		from += len(name) + len("<>")
		if n := bytes.IndexByte(text[from:end], '<'); n > 0 {
			found.addAll([]span{{from, from, from + n}})
		}
	}
	return found
}
