package redact

import (
	"bytes"
	"strings"
)

// valuedShape returns the shape of a value that comes before the name of its field: {"value": "VALUE", "name":
// "DB_PASSWORD"}. The shape also matches a value next to the type of a secret: "Type": "SecureString", "Value":
// "VALUE".
func valuedShape() *shape {
	return &shape{name: "valued", within: valueBeforeName, triggers: []string{"valu", "Valu", "VALU"}, may: isField}
}

// isField reports whether a text may be a field. The text begins with "valu".
func isField(text []byte) bool {
	const head = "value"
	return len(text) <= len(head) ||
		text[len(head)-1]|0x20 == 'e' && strings.IndexByte("\"' \t:=\\", text[len(head)]) >= 0
}

func valueBeforeName(p position) match {
	const head = "value"
	text := p.text[:min(len(p.text), 2*maxWord)]
	final := p.final || len(text) == 2*maxWord
	if len(text) < len(head) || !strings.EqualFold(string(text[:len(head)]), head) {
		return match{more: len(text) < len(head) && !final}
	}
	at, ok := fieldGap(text[len(head):])
	if at += len(head); !ok {
		return match{more: at == len(text) && !final}
	}
	quote := quoteLen(text[at:])
	from := at + quote
	end := from + valueLen(text[from:], text[at:from])
	if quote == 0 && bytes.IndexByte(text[len(head):at], ':') >= 0 { // YAML
		if end = bytes.IndexAny(text[from:], " \t\r\n,}"); end < 0 {
			end = len(text) - from
		}
		end += from
	}
	if end == len(text) && !final && end-from < maxWord && bytes.IndexByte(text[from:], '\n') < 0 {
		return match{more: true}
	}
	v := string(text[from:end])
	if !isGiven(v) {
		return match{}
	}
	found := match{from: from, to: end, ok: true}
	before := p.before[max(0, len(p.before)-maxWord):]
	before = before[bytes.LastIndexAny(before, "{}")+1:]
	if contains(before, `"SecureString"`) || contains(before, `"CONCEALED"`) {
		return found
	}
	next := bytes.TrimLeft(text[end:], " \t\r\n\"'\\,")
	word := letterCount(next)
	if word == len(next) || len(next) < maxWord/4 && bytes.IndexByte(next, '\n') < 0 {
		if !final {
			return match{more: true}
		}
	}
	if len(next) == len(text[end:]) || word == 0 {
		return match{}
	}
	gap, ok := fieldGap(next[word:])
	if !ok {
		return match{}
	}
	rest := next[word+gap:]
	rest = rest[quoteLen(rest):]
	name := string(rest[:nameLen(rest)])
	switch strings.ToLower(string(next[:word])) {
	case "name", "key":
		found.ok = isSureName(name)
	case "type":
		if name == "string" && len(rest) < maxWord/8 && !final && bytes.IndexByte(rest, '}') < 0 {
			return match{more: true}
		}
		found.ok = name == "SecureString" || name == "string" && isSensitive(rest)
	default:
		found.ok = false
	}
	return found
}

// fieldGap returns the number of bytes between the end of a field's name and its value. In "password": "x" this is 3,
// because the opening quote of the value is not counted. ok is false if there is no colon or equals sign.
func fieldGap(text []byte) (gap int, ok bool) {
	gap = quoteLen(text)
	gap += blankLen(text[gap:])
	if gap == len(text) || text[gap] != ':' && text[gap] != '=' {
		return gap, false
	}
	gap++
	return gap + blankLen(text[gap:]), true
}

// letterCount returns the number of letters at the beginning of a text.
func letterCount(text []byte) int {
	n := 0
	for n < len(text) && (text[n]|0x20 >= 'a' && text[n]|0x20 <= 'z') {
		n++
	}
	return n
}

// nameLen returns the length of the name at the beginning of a text.
//
//go:noinline
func nameLen(text []byte) int {
	n := 0
	for n < len(text) && n < maxWord/4 && nameBytes[text[n]] {
		n++
	}
	return n
}

// isSensitive reports whether the first maxWord/8 bytes of a text have the field with which Terraform's state marks a
// value as sensitive: "sensitive": true.
func isSensitive(text []byte) bool {
	line := text[:min(len(text), maxWord/8)]
	return contains(line, `"sensitive": true`) || contains(line, `"sensitive":true`)
}
