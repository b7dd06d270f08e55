package redact

import (
	"bytes"
)

// services are the services whose keys look like other words. Such a key is found only if the name of its service is
// before it on the same line.
var services = []struct {
	triggers []string // parts of the name
	patterns []string // regular expressions for the keys of the service
}{
	{[]string{"okta", "Okta", "OKTA"}, []string{`\b00[\w-]{40}\b`}},
	{[]string{"rdut", "rDut", "RDUT"}, []string{`u\+[\w-]{18}\b`, `\b[\w-]{20}\b`}}, // PagerDuty
	{[]string{"ngro", "NGRO"}, []string{`\b[12][0-9A-Za-z]{26}_[0-9A-Za-z]{20,22}\b`}},
}

// serviceShapes returns the shapes of the keys of services.
func serviceShapes() (list []*shape) {
	for _, service := range services {
		var keys []*shape
		for _, pattern := range service.patterns {
			keys = append(keys, compileShape("service", pattern))
		}
		list = append(list, &shape{name: "service", triggers: service.triggers,
			within: func(p position) match { return serviceKey(p, keys) }})
	}
	return list
}

// serviceKey finds a key after the name of its service.
func serviceKey(p position, keys []*shape) match {
	line, whole := p.line()
	if !whole && len(line) < maxWord {
		return match{more: true}
	}
	line = line[:min(len(line), maxWord)]
	end := len(line)
	if next := bytes.Index(line[gramSize:], line[:gramSize]); next >= 0 {
		end = gramSize + next + gramSize // the text after the next name belongs to that name
	}
	for at := gramSize; at < end; at++ {
		if wordBytes[line[at-1]] && !hasHead(line[at:], "u+") {
			continue // keys of other services begin at the beginning of a word
		}
		for _, key := range keys {
			m := key.match(line[at:], line[at-1], true)
			if m.ok && line[at-1] != '-' && isKey(string(line[at:at+m.to])) {
				return match{from: at, to: at + m.to, ok: true}
			}
		}
	}
	return match{}
}

// isKey reports whether a word has at least two digits, and letters in both cases, as a random key has. It does not
// check the length of the word.
func isKey(v string) bool {
	lower, upper, digits := false, false, 0
	for i := range len(v) {
		switch c := v[i]; {
		case c >= 'a' && c <= 'z':
			lower = true
		case c >= 'A' && c <= 'Z':
			upper = true
		case c >= '0' && c <= '9':
			digits++
		}
	}
	return lower && upper && digits > 1
}

// azureKeyShape returns the shape of the keys of Azure's storage accounts, as az lists them: "keyName": "key1", and
// "value": "VALUE" below it.
func azureKeyShape() *shape {
	key := compileShape("azure-key", `"([0-9A-Za-z+/]{86}==)"`)
	return &shape{name: "azure-key", triggers: []string{"keyN"}, within: func(p position) match {
		text := p.text[:min(len(p.text), maxWord)]
		if !hasHead(text, "keyName") {
			return match{more: len(text) < len("keyName") && !p.final}
		}
		object := text
		end := bytes.IndexByte(text, '}')
		if end < 0 && !p.final && len(text) < maxWord {
			return match{more: true}
		}
		if end >= 0 {
			object = text[:end]
		}
		for at := range object {
			if object[at] != '"' {
				continue
			}
			if m := key.match(object[at:], ' ', true); m.ok {
				return match{from: at + m.from, to: at + m.to, ok: true}
			}
		}
		return match{}
	}}
}

// bitwardenShape returns the shape of an access token of Bitwarden: 0.UUID.SECRET:KEY. Many numbers begin with 0. and
// digits, so the shape is triggered by the third part of the UUID, which begins with its version.
func bitwardenShape() *shape {
	rest := compileShape("bitwarden", `-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}\.([0-9A-Za-z]{20,40}:[\w+/=]{20,50})`)
	head := compileShape("bitwarden", `\b0\.[0-9a-f]{8}-[0-9a-f]{4}`)
	s := &shape{name: "bitwarden", within: func(p position) match {
		at := len(p.before) - len("0.12345678-1234")
		if at < 0 || !head.match(p.before[at:], lastOf(p.before[:at]), true).ok {
			return match{}
		}
		return rest.match(p.text, p.before[len(p.before)-1], p.final)
	}}
	for i := range 0x100 {
		s.triggers = append(s.triggers, "-4"+string("0123456789abcdef"[i>>4])+string("0123456789abcdef"[i&15]))
	}
	return s
}

// lastOf returns the last byte of a text, or a line end if the text is empty.
func lastOf(text []byte) byte {
	if len(text) == 0 {
		return '\n'
	}
	return text[len(text)-1]
}

// hexKey is the length in bytes of the hex digits in a key of Mailchimp.
const hexKey = 32

// mailchimpShape returns the shape of a key of Mailchimp: 32 hex digits, a hyphen, and the name of a data centre: us12.
func mailchimpShape() *shape {
	s := &shape{name: "mailchimp"}
	for _, digit := range "123456789" {
		s.triggers = append(s.triggers, "-us"+string(digit))
	}
	s.within = func(p position) match {
		digits := p.before[max(0, len(p.before)-hexKey-1):]
		if len(digits) < hexKey || hexLen(digits[len(digits)-hexKey:]) < hexKey ||
			len(digits) > hexKey && wordBytes[digits[0]] {
			return match{}
		}
		end := len("-us1")
		if end == len(p.text) && !p.final {
			return match{more: true}
		}
		if end < len(p.text) && p.text[end] >= '0' && p.text[end] <= '9' {
			end++
		}
		return match{from: -hexKey, to: end, ok: end == len(p.text) || !wordBytes[p.text[end]]}
	}
	return s
}

// hexLen returns the number of lower-case hex digits at the end of a text.
func hexLen(text []byte) int {
	n := 0
	for n < len(text) && isHex(text[len(text)-1-n]) && (text[len(text)-1-n] < 'A' || text[len(text)-1-n] > 'F') {
		n++
	}
	return n
}
