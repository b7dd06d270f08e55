package redact

import (
	"bytes"
)

// keyHeads are the beginnings of private keys that have no first line in plain text. If inner is set, the characters
// before the head may belong to the base64.
var keyHeads = []struct {
	head  string
	inner bool
}{
	// These are keys in DER: RSA, PKCS #8, EC, Ed25519, and OpenSSH's own form. BgkqhkiG9w0BBQ0w is encrypted PKCS #8.
	{"IBAAKCAQEA", true}, {"IBAAKCAgEA", true}, {"IBADANBgkqhkiG9w0BAQEFAASC", true}, {"MHcCAQEEI", false},
	{"MIGHAgEAMBMGByqGSM49", false}, {"MC4CAQAwBQYDK2VwBCIEI", false}, {"b3BlbnNzaC1rZXktdjEA", false},
	{"BgkqhkiG9w0BBQ0w", true},
	// These are the base64 of first lines, such as -----BEGIN PRIVATE KEY-----.
	{"LS0tLS1CRUdJTiBQUklWQVRF", false}, {"LS0tLS1CRUdJTiBSU0Eg", false}, {"LS0tLS1CRUdJTiBFQyBQ", false},
	{"LS0tLS1CRUdJTiBPUEVOU1NI", false}, {"LS0tLS1CRUdJTiBFTkNSWVBURUQ", false}, {"LS0tLS1CRUdJTiBEU0Eg", false},
	{"LS0tLS1CRUdJTiBQR1AgUFJJ", false},
	// These are the base64 of the same, as in a Secret of Kubernetes that has a kubeconfig.
	{"TFMwdExTMUNSVWRKVGlCUVVrbFdRVlJG", false}, {"TFMwdExTMUNSVWRKVGlCU1UwRWdV", false},
	{"TFMwdExTMUNSVWRKVGlCRlF5QlFV", false}, {"TFMwdExTMUNSVWRKVGlCUFVFVk9VMU5J", false},
	{"TFMwdExTMUNSVWRKVGlCRlRrTlNXVkJVUlVR", false},
	// These are first lines in hex: BEGIN PRIVATE, RSA, EC, OPENSSH, and ENCRYPTED.
	{"424547494e2050524956415445", true}, {"424547494e2052534120505249", true}, {"424547494e204543205052", true},
	{"424547494e204f50454e535348", true}, {"424547494e20454e4352595054", true},
}

// keyLinesShapes returns the shapes of keyHeads.
func keyLinesShapes() (list []*shape) {
	for _, k := range keyHeads {
		list = append(list, &shape{name: "key-lines", triggers: []string{k.head[:gramSize]},
			within: func(p position) match { return linesOfKey(p, k.head, k.inner) }})
	}
	return list
}

// linesOfKey finds the base64 after the head of a key, and the further lines of the key.
func linesOfKey(p position, head string, inner bool) match {
	if len(p.text) < len(head) && !p.final && hasHead([]byte(head), string(p.text)) {
		return match{more: true}
	}
	if !hasHead(p.text, head) {
		return match{}
	}
	before := 0 // characters of base64 before the head
	for before < len(p.before) && base64Bytes[p.before[len(p.before)-1-before]] {
		before++
	}
	if before > 0 && !inner && !endsInEscape(p.before) {
		return match{}
	}
	margin := len(p.before) - before - 1 - bytes.LastIndexByte(p.before[:len(p.before)-before], '\n')
	text := p.text[:min(len(p.text), longestKey)]
	final := p.final || len(text) == longestKey
	to := encodedLen(text)
	if to == len(text) && !final {
		return match{more: true}
	}
	for width := before + to; text[to-1] != '='; {
		from, next, more := nextKeyLine(text[to:], margin, final)
		if more {
			return match{more: true}
		}
		if next == 0 || next > width || next < width && !isKeyWord(text[to+from:to+from+next]) {
			break
		}
		to += from + next
		if next < width {
			break
		}
	}
	return match{from: len(head), to: to, ok: to-len(head) >= fullRun}
}

// nextKeyLine returns the position and the length of the base64 in the line below a line of a key. The text begins
// after the base64 of the line above. margin is the length of the text before the base64. The length is 0 if the next
// line is no line of a key. undecided is true if further text is needed.
func nextKeyLine(text []byte, margin int, final bool) (from, length int, undecided bool) {
	const longestMark = 16 // bytes after the base64 of a line, such as a quote, or the border of a box
	end := bytes.IndexByte(text, '\n')
	if end < 0 {
		return 0, 0, !final && len(text) < longestMark
	}
	if end > longestMark || bytes.ContainsFunc(text[:end], isBase64) {
		return 0, 0, false
	}
	line := text[end+1:]
	if len(line) <= margin {
		return 0, 0, !final && bytes.IndexByte(line, '\n') < 0
	}
	length = encodedLen(line[margin:])
	rest := line[margin+length:]
	if !final && len(rest) < longestMark && bytes.IndexByte(rest, '\n') < 0 {
		return 0, 0, true
	}
	if stop := bytes.IndexByte(rest, '\n'); stop >= 0 {
		rest = rest[:stop]
	}
	if len(rest) > longestMark || bytes.ContainsFunc(rest, isBase64) {
		return 0, 0, false
	}
	return end + 1 + margin, length, false
}
